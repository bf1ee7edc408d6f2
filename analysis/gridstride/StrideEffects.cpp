//===- StrideEffects.cpp - Effects of an iteration ------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Obligation 4 of GridStride.cpp: plain loads and stores, and atomics that
// commute; what is not known is an effect.
//
//===----------------------------------------------------------------------===//

#include "analysis/gridstride/StrideEffects.h"
#include "analysis/nvptx/AddressSpaces.h"
#include "analysis/symbolic/ExprBuilder.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace gridspan {

std::optional<AtomicRMWInst::BinOp> commutativeOperation(const Instruction &I) {
  const auto *RMW = dyn_cast<AtomicRMWInst>(&I);
  if (!RMW || !RMW->use_empty() || RMW->isVolatile() ||
      !RMW->getType()->isIntegerTy())
    return std::nullopt;
  switch (RMW->getOperation()) {
  case AtomicRMWInst::Add:
  case AtomicRMWInst::And:
  case AtomicRMWInst::Or:
  case AtomicRMWInst::Xor:
  case AtomicRMWInst::Max:
  case AtomicRMWInst::Min:
  case AtomicRMWInst::UMax:
  case AtomicRMWInst::UMin:
    return RMW->getOperation();
  case AtomicRMWInst::Sub:
    return AtomicRMWInst::Add;
  default:
    return std::nullopt;
  }
}

/// Returns why an iteration may not contain I, whatever its operands are.
std::optional<StrideRefusalKind> effectObstacle(const Instruction &I) {
  if (const auto *Load = dyn_cast<LoadInst>(&I)) {
    if (!Load->isSimple())
      return StrideRefusalKind::SideEffect;
    return isPrivateMemory(Load->getPointerOperand())
               ? std::optional(StrideRefusalKind::PrivateMemory)
               : std::nullopt;
  }
  if (const auto *Store = dyn_cast<StoreInst>(&I)) {
    if (!Store->isSimple())
      return StrideRefusalKind::SideEffect;
    return isPrivateMemory(Store->getPointerOperand())
               ? std::optional(StrideRefusalKind::PrivateMemory)
               : std::nullopt;
  }
  if (isa<AtomicRMWInst, AtomicCmpXchgInst>(I))
    return commutativeOperation(I)
               ? std::nullopt
               : std::optional(StrideRefusalKind::OrderedAtomic);
  if (const auto *Call = dyn_cast<CallBase>(&I)) {
    if (const auto *Block = dyn_cast<MemIntrinsic>(&I)) {
      if (Block->isVolatile())
        return StrideRefusalKind::SideEffect;
      const auto *Transfer = dyn_cast<MemTransferInst>(Block);
      return isPrivateMemory(Block->getRawDest()) ||
                     (Transfer && isPrivateMemory(Transfer->getRawSource()))
                 ? std::optional(StrideRefusalKind::PrivateMemory)
                 : std::nullopt;
    }
    if (const auto *Intrinsic = dyn_cast<IntrinsicInst>(Call)) {
      StringRef Name = Intrinsic->getCalledFunction()->getName();
      if (Intrinsic->isAssumeLikeIntrinsic() ||
          Name.starts_with("llvm.nvvm.ldg.global.") ||
          Name.starts_with("llvm.nvvm.ldu.global."))
        return std::nullopt;
      if (specialRegister(Intrinsic->getIntrinsicID()))
        return std::nullopt; // looked at as values
    }
    if (Call->isConvergent() || !Call->doesNotAccessMemory())
      return StrideRefusalKind::SideEffect;
    return std::nullopt;
  }
  return I.mayHaveSideEffects() || I.mayReadOrWriteMemory() ||
                 isa<AllocaInst>(I)
             ? std::optional(StrideRefusalKind::SideEffect)
             : std::nullopt;
}

} // namespace gridspan
