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
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Instructions.h"

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

} // namespace gridspan
