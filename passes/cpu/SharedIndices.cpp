//===- SharedIndices.cpp - Indices into shared memory that wrap -----------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Both extensions of a 32-bit index give the same address modulo 2^32, whatever
// the element's size. As shared memory has less than 2^31 bytes, the right one
// is that with the smaller distance. Where the index is a small number, both
// are the same.
//
// Only indices that are a difference, a complement or a product with a negative
// constant are changed. Others would be large only after a sum of large
// numbers; such an access is a fault that is reported. Signed indices
// would keep LLVM from vectorizing loops whose unsigned index it knows well.
//
//===----------------------------------------------------------------------===//

#include "passes/cpu/SharedIndices.h"
#include "analysis/nvptx/AddressSpaces.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace gridspan;

/// How many operations an index is followed through.
static constexpr unsigned MostDepth = 6;

/// Returns true if the 32-bit number may be a negative one that has wrapped.
static bool mayHaveWrapped(const Value *V, unsigned Depth = 0) {
  const auto *Op = dyn_cast<BinaryOperator>(V);
  if (!Op || Depth == MostDepth)
    return false;
  const auto *Wrapping = dyn_cast<OverflowingBinaryOperator>(Op);
  if (Wrapping && Wrapping->hasNoUnsignedWrap())
    return false;
  const Value *Left = Op->getOperand(0), *Right = Op->getOperand(1);
  switch (Op->getOpcode()) {
  case Instruction::Sub:
    return true;
  case Instruction::Add:
  case Instruction::Mul:
  case Instruction::Xor:
    if (match(Right, m_Negative()))
      return true;
    break;
  case Instruction::Shl:
    return mayHaveWrapped(Left, Depth + 1);
  case Instruction::Or:
    break;
  default:
    return false;
  }
  return mayHaveWrapped(Left, Depth + 1) || mayHaveWrapped(Right, Depth + 1);
}

/// Returns true if the 64-bit index has such a number in it.
static bool hasWrappedPart(const Value *Index, unsigned Depth = 0) {
  if (const auto *Extended = dyn_cast<ZExtInst>(Index))
    return Extended->getSrcTy()->isIntegerTy(32) && !Extended->hasNonNeg() &&
           mayHaveWrapped(Extended->getOperand(0));
  const auto *Op = dyn_cast<BinaryOperator>(Index);
  if (!Op || Depth == MostDepth)
    return false;
  switch (Op->getOpcode()) {
  case Instruction::Add:
  case Instruction::Sub:
  case Instruction::Mul:
  case Instruction::Shl:
  case Instruction::Or:
    return hasWrappedPart(Op->getOperand(0), Depth + 1) ||
           hasWrappedPart(Op->getOperand(1), Depth + 1);
  default:
    return false;
  }
}

static void signIndices(GetElementPtrInst &GEP) {
  IRBuilder<> B(&GEP);
  bool Changed = false;
  for (Use &Index : GEP.indices()) {
    if (!Index->getType()->isIntegerTy(64) || !hasWrappedPart(Index))
      continue;
    auto *Extended = dyn_cast<ZExtInst>(Index);
    Value *Narrow = Extended ? Extended->getOperand(0)
                             : B.CreateTrunc(Index, B.getInt32Ty());
    Index.set(B.CreateSExt(Narrow, B.getInt64Ty()));
    Changed = true;
  }
  if (Changed && GEP.hasNoUnsignedWrap())
    GEP.setNoWrapFlags(GEP.getNoWrapFlags().withoutNoUnsignedWrap());
}

void gridspan::signSharedIndices(Function &F) {
  for (Instruction &I : instructions(F))
    if (auto *GEP = dyn_cast<GetElementPtrInst>(&I);
        GEP && isSharedMemory(GEP->getPointerOperand()))
      signIndices(*GEP);
}
