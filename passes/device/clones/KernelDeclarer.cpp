//===- KernelDeclarer.cpp - New kernels beside others ---------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A new kernel must be at an address where the NVPTX back end sees that it is
// one.
//
// LLVM 19 caches nvvm.annotations by the address of the function, without
// forgetting functions that are deleted (NVPTXUtilities.cpp). A kernel that is
// allocated where an inlined device function used to be would be taken for a
// device function, and its launch bounds would be lost. What the back end
// thinks shows in whether it calls a kernel's arguments divergent. Rejected
// declarations stay until the end, so that their addresses are not tried
// again.
//
//===----------------------------------------------------------------------===//

#include "passes/device/clones/KernelDeclarer.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace gridspan {

KernelDeclarer::~KernelDeclarer() {
  for (Function *F : Rejected)
    F->eraseFromParent();
}

/// Gives To the same nvvm.annotations (kernel, maxntidx, ...) as From.
static void copyAnnotations(const Function &From, Function &To) {
  NamedMDNode *Annotations =
      From.getParent()->getNamedMetadata("nvvm.annotations");
  if (!Annotations)
    return;
  SmallVector<MDNode *, 4> Copies;
  for (MDNode *Node : Annotations->operands()) {
    if (Node->getNumOperands() == 0 ||
        mdconst::dyn_extract_or_null<Function>(Node->getOperand(0)) != &From)
      continue;
    SmallVector<Metadata *, 4> Ops(Node->op_begin(), Node->op_end());
    Ops[0] = ConstantAsMetadata::get(&To);
    Copies.push_back(MDNode::get(To.getContext(), Ops));
  }
  for (MDNode *Copy : Copies)
    Annotations->addOperand(Copy);
}

/// Takes back what copyAnnotations gave F.
static void removeAnnotations(const Function &F) {
  NamedMDNode *Annotations =
      F.getParent()->getNamedMetadata("nvvm.annotations");
  if (!Annotations)
    return;
  SmallVector<MDNode *, 8> Remaining;
  for (MDNode *Node : Annotations->operands())
    if (Node->getNumOperands() == 0 ||
        mdconst::dyn_extract_or_null<Function>(Node->getOperand(0)) != &F)
      Remaining.push_back(Node);
  Annotations->clearOperands();
  for (MDNode *Node : Remaining)
    Annotations->addOperand(Node);
}

Function &KernelDeclarer::declare(Function &Kernel, FunctionType *Ty,
                                  StringRef Name) {
  const auto &TTI = FAM.getResult<TargetIRAnalysis>(Kernel);
  while (true) {
    // Kernels keep their linkage: templates may be in several files.
    Function *New =
        Function::Create(Ty, Kernel.getLinkage(), Kernel.getAddressSpace(),
                         Name, Kernel.getParent());
    copyAnnotations(Kernel, *New);
    if (!TTI.isSourceOfDivergence(New->getArg(New->arg_size() - 1)))
      return *New;
    removeAnnotations(*New);
    New->setName("");
    Rejected.push_back(New);
  }
}

void copyCode(Function &Old, Function &New) {
  ValueToValueMapTy Map;
  auto NewArg = New.arg_begin();
  for (Argument &Arg : Old.args()) {
    NewArg->setName(Arg.getName());
    Map[&Arg] = &*NewArg++;
  }
  SmallVector<ReturnInst *, 2> Returns;
  CloneFunctionInto(&New, &Old, Map, CloneFunctionChangeType::LocalChangesOnly,
                    Returns);
}

void moveAllocas(BasicBlock &From, BasicBlock &To) {
  for (Instruction &I : make_early_inc_range(From))
    if (auto *Alloca = dyn_cast<AllocaInst>(&I);
        Alloca && isa<ConstantInt>(Alloca->getArraySize()))
      I.moveBefore(To, To.getFirstInsertionPt());
}

} // namespace gridspan
