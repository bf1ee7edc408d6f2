//===- KernelAttributes.cpp - nvcc's attributes of kernels ----------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions are annotated in a list of the module. A parameter is annotated by
// an intrinsic, of its memory if it is passed by value in memory, and of a
// local variable otherwise. The latter has no address that a kernel could share
// with others, and needs nothing.
//
// LLVM 19 looks at the annotations of an address once (KernelDeclarer.cpp), and
// passes that run before this one have asked. So a kernel moves to a new
// function. The old one leaves the module and is never freed: functions that
// are made later must not get its address, and with it what was found there.
// None was freed before, as no function is until here.
//
// Source: CUDA C++ Programming Guide on these attributes; LLVM's
// NVPTXUtilities.cpp and NVPTXAsmPrinter.cpp for the annotations.
//
//===----------------------------------------------------------------------===//

#include "passes/device/KernelAttributes.h"
#include "passes/common/GlobalAnnotations.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/TargetParser/Triple.h"

using namespace llvm;
using namespace gridspan;

static constexpr StringLiteral RegistersText = "gridspan.maxnreg";
static constexpr StringLiteral GridConstantText = "gridspan.grid_constant";

static void annotate(Function &F, StringRef Key, Metadata *Value) {
  LLVMContext &Context = F.getContext();
  F.getParent()
      ->getOrInsertNamedMetadata("nvvm.annotations")
      ->addOperand(MDNode::get(Context, {ConstantAsMetadata::get(&F),
                                         MDString::get(Context, Key), Value}));
}

static Metadata *number(LLVMContext &Context, uint64_t Value) {
  return ConstantAsMetadata::get(
      ConstantInt::get(Type::getInt32Ty(Context), Value));
}

/// Moves all that F is to a new function.
static void moveToNewAddress(Function &F) {
  Function *New = Function::Create(F.getFunctionType(), F.getLinkage(),
                                   F.getAddressSpace());
  F.getParent()->getFunctionList().insert(F.getIterator(), New);
  New->takeName(&F);
  New->copyAttributesFrom(&F);
  New->setComdat(F.getComdat());
  New->copyMetadata(&F, 0);
  New->splice(New->begin(), &F);
  for (unsigned I = 0, E = F.arg_size(); I != E; ++I) {
    New->getArg(I)->takeName(F.getArg(I));
    F.getArg(I)->replaceAllUsesWith(New->getArg(I));
  }
  F.replaceAllUsesWith(New);
  F.removeFromParent();
}

/// Takes what is said of a kernel over. Returns the kernel, or null if it is
/// said to others.
static Function *takeOver(const GlobalAnnotation &A) {
  auto *F = dyn_cast<Function>(A.On);
  if (!F || A.Text != RegistersText || A.Arguments.size() != 1)
    return nullptr;
  annotate(*F, "maxnreg", number(F->getContext(), A.Arguments[0]));
  return F;
}

/// Takes over what is said of the parameters of F. Returns true if something
/// is.
static bool takeOverParameters(Function &F) {
  SmallVector<IntrinsicInst *> Taken;
  SmallVector<Metadata *> Places; // counted from 1
  for (Instruction &I : instructions(F)) {
    auto *Call = dyn_cast<IntrinsicInst>(&I);
    if (!Call || Call->getIntrinsicID() != Intrinsic::var_annotation ||
        annotationText(*Call->getArgOperand(1)) != GridConstantText)
      continue;
    Taken.push_back(Call);
    const auto *Memory =
        dyn_cast<Argument>(Call->getArgOperand(0)->stripPointerCasts());
    if (Memory && Memory->hasByValAttr())
      Places.push_back(number(F.getContext(), Memory->getArgNo() + 1));
  }
  for (IntrinsicInst *Call : Taken)
    Call->eraseFromParent();
  if (!Places.empty())
    annotate(F, "grid_constant", MDNode::get(F.getContext(), Places));
  return !Taken.empty();
}

PreservedAnalyses KernelAttributesPass::run(Module &M,
                                            ModuleAnalysisManager &) {
  if (!Triple(M.getTargetTriple()).isNVPTX())
    return PreservedAnalyses::all();
  SmallSetVector<Function *, 8> Kernels;
  dropGlobalAnnotations(M, [&](const GlobalAnnotation &A) {
    Function *Kernel = takeOver(A);
    if (Kernel)
      Kernels.insert(Kernel);
    return Kernel != nullptr;
  });
  for (Function &F : M)
    if (takeOverParameters(F))
      Kernels.insert(&F);
  for (Function *Kernel : Kernels)
    moveToNewAddress(*Kernel);
  return Kernels.empty() ? PreservedAnalyses::all() : PreservedAnalyses::none();
}
