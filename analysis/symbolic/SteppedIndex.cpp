//===- SteppedIndex.cpp - Indices that all lanes step alike ---------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An example is i = (i + stride + (x > limit)) & mask. Nobody knows where it is
// in the end, but lanes that began side by side stay side by side, but for few.
// The walk goes from the latch's value to the phi through sums, masks and
// remainders whose other operand is the same in all threads. Values of memory
// are not.
//
//===----------------------------------------------------------------------===//

#include "analysis/symbolic/SteppedIndex.h"
#include "analysis/nvptx/Kernels.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace gridspan {

/// The most instructions of a chain that are looked at.
static constexpr unsigned MaxDepth = 8;

/// Returns true if V is the same in all threads of a block, or a condition's 0
/// or 1.
static bool isAlike(const Value *V, unsigned Depth = 0) {
  if (isa<Constant, Argument>(V))
    return true;
  if (Depth == MaxDepth)
    return false;
  if (isa<ZExtInst, SExtInst>(V)) {
    const Value *From = cast<CastInst>(V)->getOperand(0);
    return From->getType()->isIntegerTy(1) || isAlike(From, Depth + 1);
  }
  if (isa<TruncInst, BinaryOperator>(V))
    return all_of(cast<Instruction>(V)->operands(),
                  [&](const Use &U) { return isAlike(U, Depth + 1); });
  const auto *Call = dyn_cast<IntrinsicInst>(V);
  return Call && readsLaunchSize(Call->getIntrinsicID());
}

static bool isStepped(const Value *V, const PHINode &From, unsigned Depth = 0) {
  if (V == &From)
    return true;
  const auto *Op = dyn_cast<BinaryOperator>(V);
  if (!Op || Depth == MaxDepth)
    return false;
  const Value *A = Op->getOperand(0), *B = Op->getOperand(1);
  switch (Op->getOpcode()) {
  case Instruction::Add:
  case Instruction::And:
    if (isStepped(B, From, Depth + 1))
      return isAlike(A);
    [[fallthrough]];
  case Instruction::Sub:
  case Instruction::URem:
    return isStepped(A, From, Depth + 1) && isAlike(B);
  default:
    return false;
  }
}

const Value *startOfSteppedIndex(const Value *Index, const LoopInfo &LI) {
  const auto *Phi = dyn_cast<PHINode>(Index);
  const Loop *L = Phi ? LI.getLoopFor(Phi->getParent()) : nullptr;
  if (!L || L->getHeader() != Phi->getParent() ||
      Phi->getNumIncomingValues() != 2)
    return nullptr;
  unsigned Latch = L->contains(Phi->getIncomingBlock(0)) ? 0 : 1;
  if (L->contains(Phi->getIncomingBlock(1 - Latch)) ||
      !isStepped(Phi->getIncomingValue(Latch), *Phi))
    return nullptr;
  return Phi->getIncomingValue(1 - Latch);
}

} // namespace gridspan
