//===- InitializerAddresses.cpp - Addresses in initializers ---------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Walks aggregates down to scalars, with their offsets.
//
//===----------------------------------------------------------------------===//

#include "passes/common/InitializerAddresses.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/GlobalVariable.h"

using namespace llvm;

namespace gridspan {

bool refersTo(const Constant &C, IsTakenFn IsTaken) {
  if (const auto *G = dyn_cast<GlobalVariable>(&C))
    return IsTaken(*G);
  // The contents of another variable, or code, are no part of the constant.
  if (isa<GlobalValue>(C))
    return false;
  return any_of(C.operands(), [&](const Use &U) {
    const auto *Operand = dyn_cast<Constant>(U);
    return Operand && refersTo(*Operand, IsTaken);
  });
}

Constant *withoutAddresses(Constant *C, uint64_t Offset, const DataLayout &DL,
                           IsTakenFn IsTaken,
                           function_ref<void(Constant *, uint64_t)> Store) {
  if (!refersTo(*C, IsTaken))
    return C;
  Type *Ty = C->getType();
  if (!isa<ConstantAggregate>(C)) {
    Store(C, Offset);
    return Constant::getNullValue(Ty);
  }
  SmallVector<Constant *> Elements;
  for (unsigned I = 0, E = C->getNumOperands(); I != E; ++I) {
    auto *Element = cast<Constant>(C->getOperand(I));
    uint64_t At = Offset;
    if (auto *Struct = dyn_cast<StructType>(Ty))
      At += DL.getStructLayout(Struct)->getElementOffset(I);
    else
      At += I * DL.getTypeAllocSize(Element->getType());
    Elements.push_back(withoutAddresses(Element, At, DL, IsTaken, Store));
  }
  if (auto *Struct = dyn_cast<StructType>(Ty))
    return ConstantStruct::get(Struct, Elements);
  if (auto *Array = dyn_cast<ArrayType>(Ty))
    return ConstantArray::get(Array, Elements);
  return ConstantVector::get(Elements);
}

} // namespace gridspan
