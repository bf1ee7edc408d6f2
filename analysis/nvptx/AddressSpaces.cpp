//===- AddressSpaces.cpp - Address spaces of NVPTX ------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Both the pointer's own type and its underlying object count. A cast from a
// generic pointer of unknown origin into a specific space is a promise of the
// program, and a generic pointer to a variable is as good as the variable.
//
//===----------------------------------------------------------------------===//

#include "analysis/nvptx/AddressSpaces.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace gridspan {

static unsigned spaceOf(const Value *Pointer) {
  return Pointer->getType()->getPointerAddressSpace();
}

static const Value *objectOf(const Value *Pointer) {
  return getUnderlyingObject(Pointer, /*MaxLookup=*/0);
}

static bool isInSpace(const Value *Pointer, unsigned Space) {
  return spaceOf(Pointer) == Space || spaceOf(objectOf(Pointer)) == Space;
}

bool mayBeGlobal(const Value *Pointer) {
  return mayBeGlobalSpace(spaceOf(Pointer)) &&
         mayBeGlobalSpace(spaceOf(objectOf(Pointer)));
}

bool isSharedMemory(const Value *Pointer) {
  return isInSpace(Pointer, SharedSpace);
}

bool isConstantMemory(const Value *Pointer) {
  return isInSpace(Pointer, ConstantSpace);
}

bool isPrivateMemory(const Value *Pointer) {
  return isSharedMemory(Pointer) || isInSpace(Pointer, LocalSpace) ||
         isa<AllocaInst>(objectOf(Pointer));
}

const Value *baseOfAddress(const Value *Number) {
  SmallVector<const Value *, 8> Work = {Number};
  SmallPtrSet<const Value *, 8> Seen;
  const Value *Base = nullptr;
  while (!Work.empty()) {
    const Value *Next = Work.pop_back_val();
    if (!Seen.insert(Next).second)
      continue;
    if (const auto *Address = dyn_cast<PtrToIntOperator>(Next)) {
      const Value *Pointer = Address->getPointerOperand();
      if (Base && objectOf(Base) != objectOf(Pointer))
        return nullptr;
      Base = Pointer;
    } else if (const auto *Select = dyn_cast<SelectInst>(Next)) {
      Work.push_back(Select->getTrueValue());
      Work.push_back(Select->getFalseValue());
    } else if (isa<BinaryOperator, CastInst, FreezeInst, PHINode, ConstantExpr>(
                   Next)) {
      append_range(Work, cast<User>(Next)->operands());
    } else if (!isa<Constant>(Next) &&
               Next->getType()->getScalarSizeInBits() > 32) {
      return nullptr;
    }
  }
  return Base;
}

} // namespace gridspan
