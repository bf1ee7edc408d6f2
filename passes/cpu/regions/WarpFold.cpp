//===- WarpFold.cpp - What votes and reductions combine -------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whether all lanes say the same is seen from what is said at all: a bit for
// yes, one for no.
//
//===----------------------------------------------------------------------===//

#include "passes/cpu/regions/WarpFold.h"
#include "passes/common/CpuNames.h"

using namespace llvm;
using namespace gridspan;

namespace {
enum : uint32_t { SaysYes = 1, SaysNo = 2 };
} // namespace

static uint32_t neutralOf(WarpVote Vote) { return Vote == WarpVote::All; }

static uint32_t neutralOf(WarpReduction Operation) {
  switch (Operation) {
  case WarpReduction::Min:
    return INT32_MAX;
  case WarpReduction::Max:
    return uint32_t(INT32_MIN);
  case WarpReduction::UnsignedMin:
  case WarpReduction::And:
    return UINT32_MAX;
  case WarpReduction::Add:
  case WarpReduction::UnsignedMax:
  case WarpReduction::Or:
  case WarpReduction::Xor:
    return 0;
  }
  llvm_unreachable("covered");
}

static Value *combineBy(WarpReduction Operation, Value *L, Value *R, Value *,
                        IRBuilderBase &B) {
  switch (Operation) {
  case WarpReduction::Add:
    return B.CreateAdd(L, R);
  case WarpReduction::Min:
    return B.CreateBinaryIntrinsic(Intrinsic::smin, L, R);
  case WarpReduction::Max:
    return B.CreateBinaryIntrinsic(Intrinsic::smax, L, R);
  case WarpReduction::UnsignedMin:
    return B.CreateBinaryIntrinsic(Intrinsic::umin, L, R);
  case WarpReduction::UnsignedMax:
    return B.CreateBinaryIntrinsic(Intrinsic::umax, L, R);
  case WarpReduction::And:
    return B.CreateAnd(L, R);
  case WarpReduction::Or:
    return B.CreateOr(L, R);
  case WarpReduction::Xor:
    return B.CreateXor(L, R);
  }
  llvm_unreachable("covered");
}

static Value *combineBy(WarpVote Vote, Value *L, Value *R, Value *LaneOfR,
                        IRBuilderBase &B) {
  switch (Vote) {
  case WarpVote::All:
    return B.CreateAnd(L, R);
  case WarpVote::Ballot:
    return B.CreateOr(L, B.CreateShl(R, LaneOfR));
  case WarpVote::Any:
  case WarpVote::Uniform:
    return B.CreateOr(L, R);
  }
  llvm_unreachable("covered");
}

bool WarpFold::is(WarpVote Vote) const {
  const auto *Own = std::get_if<WarpVote>(&Operation);
  return Own && *Own == Vote;
}

std::optional<WarpFold> WarpFold::of(const CallBase &Call) {
  const StringRef Name = runtimeCall(Call);
  const bool IsVote = Name == "warp_vote";
  auto *Code = IsVote || Name == "warp_reduce"
                   ? dyn_cast<ConstantInt>(Call.getArgOperand(2))
                   : nullptr;
  if (!Code)
    return std::nullopt;
  return IsVote ? WarpFold(WarpVote(Code->getZExtValue()))
                : WarpFold(WarpReduction(Code->getZExtValue()));
}

ConstantInt *WarpFold::neutral(IRBuilderBase &B) const {
  return B.getInt32(
      std::visit([](auto Kind) { return neutralOf(Kind); }, Operation));
}

Value *WarpFold::offer(Value *V, IRBuilderBase &B) const {
  if (!std::holds_alternative<WarpVote>(Operation))
    return V;
  return B.CreateSelect(B.CreateIsNotNull(V), B.getInt32(SaysYes),
                        B.getInt32(is(WarpVote::Uniform) ? SaysNo : 0));
}

Value *WarpFold::combine(Value *Others, Value *V, Value *Lane,
                         IRBuilderBase &B) const {
  return std::visit(
      [&](auto Kind) { return combineBy(Kind, Others, V, Lane, B); },
      Operation);
}

Value *WarpFold::result(Value *All, IRBuilderBase &B) const {
  if (!is(WarpVote::Uniform))
    return All;
  Value *IsSame = B.CreateICmpNE(All, B.getInt32(SaysYes | SaysNo));
  return B.CreateZExt(IsSame, B.getInt32Ty());
}
