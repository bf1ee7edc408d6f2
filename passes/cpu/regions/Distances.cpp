//===- Distances.cpp - Values of neighbours and of turns ------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A value of the next thread is computed from what the next thread has, so the
// distances of operands give that of the result. From turn to turn, that of a
// phi of the loop's header is what a turn adds to it.
//
//===----------------------------------------------------------------------===//

#include "passes/cpu/regions/Distances.h"
#include "llvm/IR/GetElementPtrTypeIterator.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;
using namespace gridspan;

Distance Distances::ofProduct(const Value *A, const Value *B) {
  if (isa<ConstantInt>(A))
    std::swap(A, B);
  const Distance OfA = of(A), OfB = of(B);
  if (OfA.isZero() && OfB.isZero())
    return 0;
  if (auto *Factor = dyn_cast<ConstantInt>(B);
      Factor && Factor->getBitWidth() <= 64)
    return OfA.times(Factor->getSExtValue());
  // A multiple of a number that is the same, and not known.
  if (OfA.isKnown() && OfB.isKnown() && (OfA.isZero() || OfB.isZero()))
    return Distance::Large;
  return Distance::unknown();
}

/// Returns what a turn adds to Phi, by way of V in the loop.
Distance Distances::stepOf(const PHINode &Phi, const Value *V, unsigned Depth) {
  if (V == &Phi)
    return 0;
  auto *I = dyn_cast<Instruction>(V);
  if (!I || !L.contains(I) || Depth == 0)
    return Distance::unknown();
  const Value *Base = nullptr, *More = nullptr;
  int64_t Scale = 1;
  if (auto *Join = dyn_cast<PHINode>(I);
      Join && I->getParent() != L.getHeader()) {
    const Distance First = stepOf(Phi, Join->getIncomingValue(0), Depth - 1);
    const bool IsSame = all_of(Join->incoming_values(), [&](const Use &U) {
      return stepOf(Phi, U, Depth - 1) == First;
    });
    return IsSame ? First : Distance::unknown();
  }
  if (I->getOpcode() == Instruction::Add) {
    Base = I->getOperand(0);
    More = I->getOperand(1);
    if (!L.isLoopInvariant(More))
      std::swap(Base, More);
  } else if (auto *Address = dyn_cast<GetElementPtrInst>(I);
             Address && Address->getNumIndices() == 1) {
    Base = Address->getPointerOperand();
    More = Address->getOperand(1);
    Scale = DL.getTypeAllocSize(Address->getSourceElementType());
  }
  if (!More || !L.isLoopInvariant(More))
    return Distance::unknown();
  auto *Number = dyn_cast<ConstantInt>(More);
  return stepOf(Phi, Base, Depth - 1) +
         Distance(Number ? Number->getSExtValue() : Distance::Large)
             .times(Scale);
}

Distance Distances::ofPhi(const PHINode &Phi) {
  if (OfTurns && Phi.getParent() == L.getHeader())
    return stepOf(Phi, Phi.getIncomingValueForBlock(L.getLoopLatch()),
                  /*Depth=*/8);
  // Between threads: that of the values that come from elsewhere.
  std::optional<Distance> Out;
  for (const BasicBlock *From : Phi.blocks()) {
    if (Phi.getParent() == L.getHeader() && L.contains(From))
      continue;
    const Distance D = of(Phi.getIncomingValueForBlock(From));
    if (Out && !(*Out == D))
      return Distance::unknown();
    Out = D;
  }
  return Out.value_or(Distance::unknown());
}

Distance Distances::ofAddress(const GEPOperator &Address) {
  Distance Out = of(Address.getPointerOperand());
  for (auto It = gep_type_begin(Address), E = gep_type_end(Address); It != E;
       ++It)
    if (!It.isStruct())
      Out = Out + of(It.getOperand())
                      .times(It.getSequentialElementStride(DL).getFixedValue());
  return Out;
}

Distance Distances::compute(const Value *V) {
  if (V == &TidX)
    return OfTurns ? 0 : 1;
  auto *I = dyn_cast<Instruction>(V);
  if (!I || (OfTurns && !L.contains(I)))
    return 0;
  if (auto *Phi = dyn_cast<PHINode>(I))
    return ofPhi(*Phi);
  if (auto *Address = dyn_cast<GEPOperator>(I))
    return ofAddress(*Address);
  switch (I->getOpcode()) {
  case Instruction::SExt:
  case Instruction::ZExt:
  case Instruction::Trunc:
  case Instruction::AddrSpaceCast:
  case Instruction::Freeze:
    return of(I->getOperand(0));
  case Instruction::Add:
    return of(I->getOperand(0)) + of(I->getOperand(1));
  case Instruction::Sub:
    return of(I->getOperand(0)) + of(I->getOperand(1)).times(-1);
  case Instruction::Or:
    if (cast<PossiblyDisjointInst>(I)->isDisjoint())
      return of(I->getOperand(0)) + of(I->getOperand(1));
    break;
  case Instruction::Mul:
    return ofProduct(I->getOperand(0), I->getOperand(1));
  case Instruction::Shl:
    if (auto *Bits = dyn_cast<ConstantInt>(I->getOperand(1));
        Bits && Bits->getValue().ult(32))
      return of(I->getOperand(0)).times(int64_t(1) << Bits->getZExtValue());
    break;
  default:
    break;
  }
  const bool IsSame =
      all_of(I->operands(), [&](const Use &U) { return of(U).isZero(); });
  return IsSame ? Distance(0) : Distance::unknown();
}
