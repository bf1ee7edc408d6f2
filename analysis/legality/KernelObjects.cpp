//===- KernelObjects.cpp - Memory that a kernel is given ------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Assembly whose place is not known may write whatever other blocks have, and
// so may a call of what is not known that gets a pointer there.
//
//===----------------------------------------------------------------------===//

#include "analysis/legality/KernelObjects.h"
#include "analysis/nvptx/AddressSpaces.h"
#include "analysis/nvptx/InlineAssembly.h"
#include "analysis/nvptx/Kernels.h"
#include "analysis/nvptx/WaitReads.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace gridspan {

const Value *knownObject(const Value *Pointer) {
  const Value *Object = getUnderlyingObject(Pointer);
  const auto *Parameter = dyn_cast<Argument>(Object);
  return isa<GlobalVariable>(Object) ||
                 (Parameter && isKernel(*Parameter->getParent()))
             ? Object
             : nullptr;
}

bool mayWriteObject(const Instruction &I, const Value *Object) {
  // Ordered and volatile loads count as writes in LLVM.
  if (!I.mayWriteToMemory() || isa<FenceInst, LoadInst>(I))
    return false;
  if (const Function *Callee = calledBody(I))
    return any_of(reachableFunctions(*Callee), [&](const Function *Reached) {
      return any_of(instructions(Reached), [&](const Instruction &Inside) {
        return !calledBody(Inside) && mayWriteObject(Inside, Object);
      });
    });
  if (const Value *To = writtenBy(I)) {
    const Value *Other = knownObject(To);
    return !isPrivateMemory(To) && (!Other || Other == Object);
  }
  if (const InlineAsm *Asm = assemblyOf(I)) {
    const AssemblyEffects Effects = assemblyEffects(Asm->getAsmString());
    return Effects.Stores || Effects.Atomics || !Effects.Known;
  }
  const auto *Call = dyn_cast<CallBase>(&I);
  return !Call || any_of(Call->args(), [](const Value *Argument) {
    return Argument->getType()->isPointerTy() && !isPrivateMemory(Argument);
  });
}

} // namespace gridspan
