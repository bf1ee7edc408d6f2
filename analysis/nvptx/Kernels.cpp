//===- Kernels.cpp - The kernels of a device module -----------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM 19 marks kernels in the named metadata nvvm.annotations; IR from later
// versions uses the calling convention. Both are understood.
//
//===----------------------------------------------------------------------===//

#include "analysis/nvptx/Kernels.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace gridspan {

bool isKernel(const Function &F) {
  if (F.getCallingConv() == CallingConv::PTX_Kernel)
    return true;
  const NamedMDNode *Annotations =
      F.getParent()->getNamedMetadata("nvvm.annotations");
  if (!Annotations)
    return false;
  for (const MDNode *Node : Annotations->operands()) {
    if (Node->getNumOperands() == 0 ||
        mdconst::dyn_extract_or_null<Function>(Node->getOperand(0)) != &F)
      continue;
    for (unsigned I = 1; I + 1 < Node->getNumOperands(); I += 2)
      if (const auto *Key = dyn_cast<MDString>(Node->getOperand(I)))
        if (Key->getString() == "kernel")
          return true;
  }
  return false;
}

SmallVector<Function *, 8> kernelsOf(Module &M) {
  SmallVector<Function *, 8> Kernels;
  for (Function &F : M)
    if (!F.isDeclaration() && isKernel(F))
      Kernels.push_back(&F);
  return Kernels;
}

SetVector<const Function *> reachableFunctions(const Function &Kernel) {
  SetVector<const Function *> Reached;
  Reached.insert(&Kernel);
  // The vector grows while it is walked.
  for (unsigned Next = 0; Next != Reached.size(); ++Next)
    for (const Instruction &I : instructions(Reached[Next]))
      if (const auto *Call = dyn_cast<CallBase>(&I))
        if (const Function *Callee = Call->getCalledFunction())
          if (!Callee->isDeclaration())
            Reached.insert(Callee);
  return Reached;
}

bool readsLaunchSize(unsigned ID) {
  switch (ID) {
  case Intrinsic::nvvm_read_ptx_sreg_ntid_x:
  case Intrinsic::nvvm_read_ptx_sreg_ntid_y:
  case Intrinsic::nvvm_read_ptx_sreg_ntid_z:
  case Intrinsic::nvvm_read_ptx_sreg_nctaid_x:
  case Intrinsic::nvvm_read_ptx_sreg_nctaid_y:
  case Intrinsic::nvvm_read_ptx_sreg_nctaid_z:
    return true;
  default:
    return false;
  }
}

StringRef architectureOf(const Function &F) {
  return F.getFnAttribute("target-cpu").getValueAsString();
}

} // namespace gridspan
