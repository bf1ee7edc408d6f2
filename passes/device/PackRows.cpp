//===- PackRows.cpp - Kernels that read packed rows -----------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A load from X becomes one from
//
//   X + Move + row * Step
//       with   row = mulhi(u32((X - Base) >> Before), Magic) >> After
//
// (GridspanPacking): the pieces of rows that the tile touches, which are a
// pitch apart in the program's memory, lie -Step bytes closer together where
// they are read from. The quotient by a pitch that is known at the launch only
// is a product with its reciprocal (T. Granlund, P. L. Montgomery, "Division by
// invariant integers using multiplication", PLDI 1994); the runtime chooses
// the numbers so that it is exact. It is one of 32 bits, since GPUs have no
// multiplier of 64, and loops of little else wait for it at every load.
//
// Loops of little but such loads take twice their time with it. So where the
// address steps by the same number of full pitches in each iteration, the
// packed one steps by as many packed rows. Then nothing is looked up but the
// row of the first iteration. That it does so is known at the launch only. So
// the kernel has its body twice, and chooses by numbers that are the same for
// all threads: barriers are met by all of them or none. The sum that steps is
// exact for every iteration that loads. The way there is checked to be shorter
// than 2^62 bytes, so that it cannot have gone round the 64 bits.
//
// It is sound because the pointer is used for nothing but loads, so that only
// they may know where its data lies; that each loads from within the pieces is
// the range functions' promise.
//
//===----------------------------------------------------------------------===//

#include "passes/device/PackRows.h"
#include "analysis/legality/RowWalks.h"
#include "gridspan/ABI.h"
#include "passes/device/clones/KernelDeclarer.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;

namespace gridspan {

namespace {

/// The values of a GridspanPacking, by the names of its fields.
struct PackingValues {
  Value *Base, *Move, *Pitch, *Before, *Magic, *After, *Step;
};

/// A load whose address steps, perhaps by full rows.
struct SteppingLoad {
  Use *Address;
  const PackingValues *Packing;
  RowStep Form;
};

class RowPacker {
public:
  RowPacker(Function &Body, ArrayRef<unsigned> Params,
            FunctionAnalysisManager &FAM)
      : Body(Body), Params(Params), FAM(FAM) {}
  Function *run();

private:
  Function *copyBody(StringRef Name);
  void makeEntry();
  PackingValues readPacking(unsigned Number);
  void collectLoads();
  Value *stepsFullRows(const SteppingLoad &Load, SCEVExpander &Expander);
  void addOtherBody(Value *Stepping);

  Function &Body;
  ArrayRef<unsigned> Params;
  FunctionAnalysisManager &FAM;
  Function *New = nullptr;
  BasicBlock *Entry = nullptr;            ///< of New, before its body
  SmallVector<PackingValues, 4> Packings; ///< by the index in Params
  SmallVector<SteppingLoad, 4> Stepping;
  SmallVector<std::pair<Use *, const PackingValues *>, 8> Other;
};

} // namespace

/// Returns a copy of the body with one more parameter.
Function *RowPacker::copyBody(StringRef Name) {
  Module &M = *Body.getParent();
  LLVMContext &C = M.getContext();
  SmallVector<Type *, 8> Types(Body.getFunctionType()->params());
  Types.push_back(PointerType::getUnqual(C));
  auto *Copy = Function::Create(
      FunctionType::get(Body.getReturnType(), Types, /*isVarArg=*/false),
      GlobalValue::InternalLinkage, Body.getAddressSpace(), Name, &M);
  ValueToValueMapTy Map;
  for (auto [Old, Arg] : zip(Body.args(), Copy->args())) {
    Arg.setName(Old.getName());
    Map[&Old] = &Arg;
  }
  // Both copies become one function.
  if (DISubprogram *Known = New ? New->getSubprogram() : nullptr)
    Map.MD()[Body.getSubprogram()].reset(Known);
  SmallVector<ReturnInst *, 2> Returns;
  CloneFunctionInto(Copy, &Body, Map, CloneFunctionChangeType::LocalChangesOnly,
                    Returns);
  Copy->setLinkage(GlobalValue::InternalLinkage);
  Copy->setVisibility(GlobalValue::DefaultVisibility);
  Copy->setComdat(nullptr);
  return Copy;
}

/// Makes New begin with a block of its own, and its parameters fit for packing.
void RowPacker::makeEntry() {
  LLVMContext &C = New->getContext();
  BasicBlock &Begin = New->getEntryBlock();
  Entry = BasicBlock::Create(C, "choose", New, &Begin);
  BranchInst::Create(&Begin, Entry);
  moveAllocas(Begin, *Entry);
  Argument *Last = New->getArg(New->arg_size() - 1);
  Last->setName("packings");
  AttrBuilder Attributes(C);
  Attributes.addByValAttr(
      ArrayType::get(ArrayType::get(Type::getInt64Ty(C),
                                    sizeof(GridspanPacking) / sizeof(uint64_t)),
                     Params.size()));
  Attributes.addAlignmentAttr(Align(8));
  Attributes.addAttribute(Attribute::NoUndef);
  Last->addAttrs(Attributes);
  // It also reads its packings, through a pointer argument.
  New->removeFnAttr(Attribute::Memory);
  for (unsigned Param : Params)
    // The memory behind the pointer itself may be none.
    for (Attribute::AttrKind Kind :
         {Attribute::Dereferenceable, Attribute::DereferenceableOrNull})
      New->getArg(Param)->removeAttr(Kind);
  for (unsigned Number = 0, E = Params.size(); Number != E; ++Number)
    Packings.push_back(readPacking(Number));
}

PackingValues RowPacker::readPacking(unsigned Number) {
  IRBuilder<> B(Entry->getTerminator());
  auto Read = [&](const char *Name, Type *Ty, size_t Offset) {
    Value *Address = B.CreateConstInBoundsGEP1_32(
        B.getInt8Ty(), New->getArg(New->arg_size() - 1),
        Number * sizeof(GridspanPacking) + Offset);
    return B.CreateAlignedLoad(Ty, Address, Align(Ty->getIntegerBitWidth() / 8),
                               Name);
  };
  Type *I32 = B.getInt32Ty(), *I64 = B.getInt64Ty();
  return {Read("base", I64, offsetof(GridspanPacking, Base)),
          Read("move", I64, offsetof(GridspanPacking, Move)),
          Read("pitch", I64, offsetof(GridspanPacking, Pitch)),
          Read("before", I32, offsetof(GridspanPacking, Before)),
          Read("magic", I32, offsetof(GridspanPacking, Magic)),
          Read("after", I32, offsetof(GridspanPacking, After)),
          Read("step", I32, offsetof(GridspanPacking, Step))};
}

/// Makes U's instruction load from where the packing P says.
static void redirectLoad(Use &U, const PackingValues &P) {
  IRBuilder<> B(cast<Instruction>(U.getUser()));
  Type *I32 = B.getInt32Ty(), *I64 = B.getInt64Ty();
  Value *From = B.CreateSub(B.CreatePtrToInt(U.get(), I64), P.Base);
  Value *Units =
      B.CreateTrunc(B.CreateLShr(From, B.CreateZExt(P.Before, I64)), I32);
  Value *Product =
      B.CreateMul(B.CreateZExt(Units, I64), B.CreateZExt(P.Magic, I64));
  Value *High = B.CreateTrunc(B.CreateLShr(Product, 32), I32);
  Value *Row = B.CreateLShr(High, P.After, "row");
  Value *Back = B.CreateMul(B.CreateSExt(Row, I64), B.CreateSExt(P.Step, I64));
  // As offsets: the back end still sees what the address is based on.
  Value *Moved = B.CreateGEP(B.getInt8Ty(), U.get(), P.Move);
  U.set(B.CreateGEP(B.getInt8Ty(), Moved, Back, "packed"));
}

/// Sorts the loads of New into those that may follow steps and those that look
/// up their row.
void RowPacker::collectLoads() {
  const KernelAnalyses Analyses = KernelAnalyses::get(*New, FAM);
  SCEVExpander Expander(Analyses.SE, New->getParent()->getDataLayout(), "row");
  for (auto [Number, Param] : enumerate(Params))
    for (Use *U : onlyLoadsOf(*New->getArg(Param))) {
      const std::optional<RowStep> Form = rowStepOf(*U, Analyses);
      if (Form &&
          Expander.isSafeToExpandAt(Form->Step, Entry->getTerminator()) &&
          Expander.isSafeToExpandAt(Form->Most, Entry->getTerminator()) &&
          Expander.isSafeToExpandAt(
              Form->Start, Form->Around->getLoopPreheader()->getTerminator()))
        Stepping.push_back({U, &Packings[Number], *Form});
      else
        Other.emplace_back(U, &Packings[Number]);
    }
}

/// Returns true if the load's steps are full rows, all of them together less
/// than 2^62 bytes; at the end of Entry.
Value *RowPacker::stepsFullRows(const SteppingLoad &Load,
                                SCEVExpander &Expander) {
  Instruction *End = Entry->getTerminator();
  IRBuilder<> B(End);
  Type *I64 = B.getInt64Ty();
  Value *Step = Expander.expandCodeFor(Load.Form.Step, I64, End);
  Value *Most = Expander.expandCodeFor(Load.Form.Most, I64, End);
  Value *Rest = B.CreateSRem(Step, Load.Packing->Pitch);
  Value *Length = B.CreateBinaryIntrinsic(Intrinsic::abs, Step, B.getFalse());
  Value *Way =
      B.CreateBinaryIntrinsic(Intrinsic::umul_with_overflow, Length, Most);
  Value *Short = B.CreateICmpULT(B.CreateExtractValue(Way, 0),
                                 B.getInt64(uint64_t(1) << 62));
  Value *Fits = B.CreateNot(B.CreateExtractValue(Way, 1));
  return B.CreateAnd({B.CreateIsNull(Rest), Short, Fits});
}

/// Makes the load's address step from packed row to packed row.
static void followStep(const SteppingLoad &Load, SCEVExpander &Expander) {
  const PackingValues &P = *Load.Packing;
  const Loop &Around = *Load.Form.Around;
  Instruction *Before = Around.getLoopPreheader()->getTerminator();
  IRBuilder<> B(Before);
  Type *I64 = B.getInt64Ty();
  Type *PointerTy = Load.Address->get()->getType();
  Value *Start = Expander.expandCodeFor(Load.Form.Start, PointerTy, Before);
  Value *Step = Expander.expandCodeFor(Load.Form.Step, I64, Before);
  Value *RowStep = B.CreateSExt(P.Step, I64);
  // floor((Start - Base) / Pitch), also before the window
  Value *From = B.CreateSub(B.CreatePtrToInt(Start, I64), P.Base);
  Value *Row = B.CreateSDiv(From, P.Pitch);
  Value *Rest = B.CreateSub(From, B.CreateMul(Row, P.Pitch));
  Value *Negative = B.CreateICmpSLT(Rest, B.getInt64(0));
  Row = B.CreateAdd(Row, B.CreateSExt(Negative, I64));
  Value *Moved = B.CreateGEP(B.getInt8Ty(), Start, P.Move);
  Value *First =
      B.CreateGEP(B.getInt8Ty(), Moved, B.CreateMul(Row, RowStep), "first");
  Value *Rows = B.CreateSDiv(Step, P.Pitch);
  Value *PackedStep =
      B.CreateAdd(Step, B.CreateMul(Rows, RowStep), "packed.step");

  B.SetInsertPoint(Around.getHeader(), Around.getHeader()->begin());
  PHINode *At = B.CreatePHI(PointerTy, 2, "packed");
  B.SetInsertPoint(Around.getLoopLatch()->getTerminator());
  Value *Next = B.CreateGEP(B.getInt8Ty(), At, PackedStep, "packed.next");
  At->addIncoming(First, Around.getLoopPreheader());
  At->addIncoming(Next, Around.getLoopLatch());
  Load.Address->set(At);
}

/// Gives New the body once more, with all rows looked up, for launches that do
/// not step by full rows.
void RowPacker::addOtherBody(Value *Steps) {
  Function *Slow = copyBody(New->getName());
  // Loops that are long and rare need few registers.
  DominatorTree Dominators(*Slow);
  LoopInfo Loops(Dominators);
  for (Loop *L : Loops.getLoopsInPreorder())
    L->setLoopAlreadyUnrolled();
  for (auto [Number, Param] : enumerate(Params))
    for (Use *U : onlyLoadsOf(*Slow->getArg(Param)))
      redirectLoad(*U, Packings[Number]);
  for (auto [From, To] : zip(Slow->args(), New->args()))
    From.replaceAllUsesWith(&To);
  BasicBlock *Begin = &Slow->getEntryBlock();
  New->splice(New->end(), Slow);
  Slow->setSubprogram(nullptr);
  Slow->eraseFromParent();
  moveAllocas(*Begin, *Entry);
  BasicBlock *Fast = Entry->getSingleSuccessor();
  Entry->getTerminator()->eraseFromParent();
  BranchInst::Create(Fast, Begin, Steps, Entry);
}

Function *RowPacker::run() {
  New = copyBody((Body.getName() + PackedKind).str());
  makeEntry();
  collectLoads();
  Value *Steps = nullptr;
  {
    ScalarEvolution &SE = FAM.getResult<ScalarEvolutionAnalysis>(*New);
    SCEVExpander Expander(SE, New->getParent()->getDataLayout(), "row");
    for (const SteppingLoad &Load : Stepping) {
      Value *This = stepsFullRows(Load, Expander);
      Steps = Steps ? BinaryOperator::CreateAnd(Steps, This, "steps",
                                                Entry->getTerminator())
                    : This;
    }
    for (const SteppingLoad &Load : Stepping)
      followStep(Load, Expander);
  }
  for (auto [U, Packing] : Other)
    redirectLoad(*U, *Packing);
  FAM.clear(*New, New->getName());
  if (Steps)
    addOtherBody(Steps);
  return New;
}

Function *packRows(Function &Body, ArrayRef<unsigned> Params,
                   FunctionAnalysisManager &FAM) {
  assert(all_of(Params,
                [&](unsigned Param) {
                  return !onlyLoadsOf(*Body.getArg(Param)).empty();
                }) &&
         "a parameter is used for more than loads");
  return RowPacker(Body, Params, FAM).run();
}

} // namespace gridspan
