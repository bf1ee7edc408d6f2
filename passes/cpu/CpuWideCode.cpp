//===- CpuWideCode.cpp - Code for wider vectors ---------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The codes are one IR for several processors, so they differ only in what
// instruction selection and the vectorizer may choose. These keep results as
// they are, but for products and sums that may be contracted: with llvm.fmuladd
// and the flag contract, whether one is rounded depends on the processor. Both
// are taken away, so that no product is. Functions that are not inlined are
// there for each as well; those called by their addresses stay those of the
// program's own processors, which is right and only slower.
//
//===----------------------------------------------------------------------===//

#include "passes/cpu/CpuWideCode.h"
#include "gridspan/CpuCodes.h"
#include "passes/common/Options.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;
using namespace gridspan;

namespace {
/// What is known of a level above the program's own.
struct LevelCode {
  StringLiteral Suffix;    ///< of the names of its functions
  StringLiteral Feature;   ///< that its processors have and lower ones do not
  StringLiteral Processor; ///< LLVM's name
};
} // namespace

static const LevelCode &codeOf(VectorLevel Level) {
  static constexpr LevelCode Avx2 = {".avx2", "+avx2", "x86-64-v3"};
  static constexpr LevelCode Avx512 = {".avx512", "+avx512f", "x86-64-v4"};
  assert(Level != VectorLevel::Program && "has the program's own code");
  return Level == VectorLevel::Avx2 ? Avx2 : Avx512;
}

/// Has the levels that are wanted of a function, as digits.
static constexpr StringLiteral Request = "gridspan-wide";

SmallVector<VectorLevel, 2> gridspan::wideLevels(const Module &Host,
                                                 VectorLevel Most) {
  SmallVector<VectorLevel, 2> Levels;
  if (Triple(Host.getTargetTriple()).getArch() != Triple::x86_64)
    return Levels;
  const auto Model = find_if(Host, [](const Function &F) {
    return !F.isDeclaration() && F.hasFnAttribute("target-features");
  });
  if (Model == Host.end())
    return Levels;
  const StringRef Features =
      Model->getFnAttribute("target-features").getValueAsString();
  for (const VectorLevel Level : {VectorLevel::Avx2, VectorLevel::Avx512})
    if (Level <= Most && !Features.contains(codeOf(Level).Feature))
      Levels.push_back(Level);
  return Levels;
}

void gridspan::forbidContraction(Module &M) {
  for (Function &F : M)
    for (Instruction &I : make_early_inc_range(instructions(F))) {
      if (!isa<FPMathOperator>(I))
        continue;
      I.setHasAllowContract(false);
      auto *Call = dyn_cast<IntrinsicInst>(&I);
      if (!Call || Call->getIntrinsicID() != Intrinsic::fmuladd)
        continue;
      IRBuilder<> B(Call);
      B.setFastMathFlags(Call->getFastMathFlags());
      Value *Sum = B.CreateFAdd(
          B.CreateFMul(Call->getArgOperand(0), Call->getArgOperand(1)),
          Call->getArgOperand(2));
      Call->replaceAllUsesWith(Sum);
      Call->eraseFromParent();
    }
}

void gridspan::requestWideCode(Function &Run, ArrayRef<VectorLevel> Levels) {
  std::string Digits;
  for (const VectorLevel Level : Levels)
    Digits += static_cast<char>('0' + static_cast<uint32_t>(Level));
  Run.addFnAttr(Request, Digits);
}

//===--- What gains -----------------------------------------------------===//

/// Returns the function that is called, if there is to be wider code of it too;
/// null otherwise.
static Function *calledInWideCode(const Instruction &I) {
  const auto *Call = dyn_cast<CallInst>(&I);
  Function *Callee = Call ? Call->getCalledFunction() : nullptr;
  return Callee && !Callee->isDeclaration() &&
                 !Callee->hasFnAttribute(Attribute::OptimizeNone)
             ? Callee
             : nullptr;
}

/// Returns F and the functions that it calls, and these.
static SetVector<Function *> calledFrom(Function &F) {
  SetVector<Function *> Out;
  Out.insert(&F);
  for (unsigned I = 0; I != Out.size(); ++I)
    for (const Instruction &Inst : instructions(*Out[I]))
      if (Function *Callee = calledInWideCode(Inst))
        Out.insert(Callee);
  return Out;
}

/// Of large code, what gains from wider vectors calculates much of the time. In
/// others, such as a sort's, there is one operation among twenty instructions.
static constexpr unsigned LargeCodeShare = 8;

/// Returns true if Run is likely to be faster.
static bool gains(Function &Run) {
  unsigned Size = 0, NumOperations = 0;
  bool Calls = false; // in the program's own code, for fma
  for (Function *F : calledFrom(Run))
    for (const Instruction &I : instructions(*F)) {
      const auto *Call = dyn_cast<IntrinsicInst>(&I);
      ++Size;
      NumOperations +=
          isa<BinaryOperator>(I) && I.getType()->isFPOrFPVectorTy();
      Calls |= Call && Call->getIntrinsicID() == Intrinsic::fma;
    }
  if (Calls)
    return true;
  return NumOperations != 0 &&
         (Size <= CpuWideLimitOption || NumOperations >= Size / LargeCodeShare);
}

//===--- Copies ---------------------------------------------------------===//

static void setProcessor(Function &F, VectorLevel Level) {
  F.removeFnAttr("target-features");
  F.removeFnAttr("tune-cpu");
  F.addFnAttr("target-cpu", codeOf(Level).Processor);
  // LLVM keeps to 256 bits on such processors, for older ones of which are
  // slower for a while after they have used more.
  if (Level == VectorLevel::Avx512)
    F.addFnAttr("prefer-vector-width", "512");
}

/// Returns F's code for Level, with that of all that it calls.
static Function *wideVersion(Function &F, StringRef Name, VectorLevel Level) {
  const std::string Known = (Name + codeOf(Level).Suffix).str();
  if (Function *Made = F.getParent()->getFunction(Known))
    return Made;
  ValueToValueMapTy Map;
  Function *Wide = CloneFunction(&F, Map);
  Wide->setName(Known);
  Wide->setLinkage(GlobalValue::InternalLinkage);
  setProcessor(*Wide, Level);
  for (Instruction &I : instructions(*Wide))
    if (Function *Callee = calledInWideCode(I))
      cast<CallInst>(I).setCalledFunction(
          wideVersion(*Callee, Callee->getName(), Level));
  return Wide;
}

/// Replaces Run by a function of its name that calls either it or one of its
/// copies for Levels.
static void chooseByProcessor(Function &Run, ArrayRef<VectorLevel> Levels) {
  Module &M = *Run.getParent();
  const std::string Name = Run.getName().str();
  auto *Chooser = Function::Create(Run.getFunctionType(), Run.getLinkage(),
                                   Run.getAddressSpace(), "", &M);
  Chooser->setAttributes(Run.getAttributes());
  // Of what Run was found to do, none is known of the choice.
  for (const Attribute::AttrKind Kind :
       {Attribute::Memory, Attribute::NoSync, Attribute::NoFree,
        Attribute::WillReturn, Attribute::MustProgress})
    Chooser->removeFnAttr(Kind);
  Run.setName(Name + ".base");
  Run.setLinkage(GlobalValue::InternalLinkage);
  Chooser->setName(Name);
  Chooser->setDSOLocal(Run.isDSOLocal());
  Run.replaceAllUsesWith(Chooser);

  LLVMContext &Context = M.getContext();
  IRBuilder<> B(BasicBlock::Create(Context, "", Chooser));
  FunctionCallee Used = M.getOrInsertFunction(
      "__gridspan_cpu_wide", FunctionType::get(B.getInt32Ty(), false));
  cast<Function>(Used.getCallee())->setDoesNotThrow();
  Value *Most = B.CreateCall(Used);
  SmallVector<Value *> Args(make_pointer_range(Chooser->args()));
  auto CallAndReturn = [&](Function *Code) {
    B.CreateCall(Code, Args)->setTailCall();
    B.CreateRetVoid();
  };
  for (const VectorLevel Level : reverse(Levels)) {
    BasicBlock *Wide = BasicBlock::Create(Context, "wide", Chooser);
    BasicBlock *Less = BasicBlock::Create(Context, "less", Chooser);
    B.CreateCondBr(
        B.CreateICmpUGE(Most, B.getInt32(static_cast<uint32_t>(Level))), Wide,
        Less);
    B.SetInsertPoint(Wide);
    CallAndReturn(wideVersion(Run, Name, Level));
    B.SetInsertPoint(Less);
  }
  CallAndReturn(&Run);
}

PreservedAnalyses CpuWideCodePass::run(Module &M, ModuleAnalysisManager &) {
  SmallVector<Function *> Runs;
  for (Function &F : M)
    if (F.hasFnAttribute(Request))
      Runs.push_back(&F);
  for (Function *Run : Runs) {
    SmallVector<VectorLevel, 2> Levels;
    for (const char Digit : Run->getFnAttribute(Request).getValueAsString())
      Levels.push_back(VectorLevel(Digit - '0'));
    Run->removeFnAttr(Request);
    if (!Run->hasFnAttribute(Attribute::OptimizeNone) && gains(*Run))
      chooseByProcessor(*Run, Levels);
  }
  return Runs.empty() ? PreservedAnalyses::all() : PreservedAnalyses::none();
}
