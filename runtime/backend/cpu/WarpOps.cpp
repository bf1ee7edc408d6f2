//===- WarpOps.cpp - Exchanges between the lanes of a warp ----------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A shuffle from a lane that does not take part is undefined in CUDA; here the
// reader gets its own value.
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/cpu/WarpOps.h"
#include "runtime/backend/cpu/WarpMatrix.h"
#include <algorithm>

using namespace gridspan;

constexpr uint64_t Predicate = uint64_t(1) << 32;

static uint64_t shuffle(const LaneRequests &Requests, int Lane) {
  const LaneRequest &R = *Requests[Lane];
  const int Offset = R.Lane & 31;
  const int Clamp = R.Clamp & 31, Segment = (R.Clamp >> 8) & 31;
  const int Last = (Lane & Segment) | (Clamp & ~Segment);
  const int First = Lane & Segment;
  int Source = Lane;
  bool InRange = false;
  switch (WarpShuffle(R.Code)) {
  case WarpShuffle::Up:
    Source = Lane - Offset;
    InRange = Source >= Last;
    break;
  case WarpShuffle::Down:
    Source = Lane + Offset;
    InRange = Source <= Last;
    break;
  case WarpShuffle::Butterfly:
    Source = Lane ^ Offset;
    InRange = Source <= Last;
    break;
  case WarpShuffle::Index:
    Source = First | (Offset & ~Segment);
    InRange = Source <= Last;
    break;
  }
  if (!InRange || !Requests[Source])
    Source = Lane;
  return uint32_t(Requests[Source]->Value) | (InRange ? Predicate : 0);
}

static uint64_t vote(const LaneRequests &Requests, uint32_t Mask,
                     WarpVote Code) {
  uint32_t Yes = 0, All = 0;
  for (unsigned Lane = 0; Lane != WarpSize; ++Lane)
    if (Requests[Lane] && Mask >> Lane & 1) {
      All |= 1u << Lane;
      Yes |= uint32_t(Requests[Lane]->Value != 0) << Lane;
    }
  switch (Code) {
  case WarpVote::All:
    return Yes == All;
  case WarpVote::Any:
    return Yes != 0;
  case WarpVote::Uniform:
    return Yes == All || Yes == 0;
  case WarpVote::Ballot:
    return Yes;
  }
  return 0;
}

/// Returns the lanes whose value is that of Lane.
static uint32_t equalLanes(const LaneRequests &Requests, unsigned Lane) {
  uint32_t Equal = 0;
  for (unsigned Other = 0; Other != WarpSize; ++Other)
    if (Requests[Other] && Requests[Other]->Value == Requests[Lane]->Value)
      Equal |= 1u << Other;
  return Equal;
}

static uint32_t presentLanes(const LaneRequests &Requests) {
  uint32_t Present = 0;
  for (unsigned Lane = 0; Lane != WarpSize; ++Lane)
    Present |= uint32_t(Requests[Lane] != nullptr) << Lane;
  return Present;
}

static uint32_t combine(WarpReduction Code, uint32_t L, uint32_t R) {
  switch (Code) {
  case WarpReduction::Add:
    return L + R;
  case WarpReduction::Min:
    return std::min<int32_t>(L, R);
  case WarpReduction::Max:
    return std::max<int32_t>(L, R);
  case WarpReduction::UnsignedMin:
    return std::min(L, R);
  case WarpReduction::UnsignedMax:
    return std::max(L, R);
  case WarpReduction::And:
    return L & R;
  case WarpReduction::Or:
    return L | R;
  case WarpReduction::Xor:
    return L ^ R;
  }
  return 0;
}

static uint32_t reduce(const LaneRequests &Requests, WarpReduction Code) {
  bool IsFirst = true;
  uint32_t Result = 0;
  for (const LaneRequest *R : Requests)
    if (R) {
      Result = IsFirst ? R->Value : combine(Code, Result, R->Value);
      IsFirst = false;
    }
  return Result;
}

static uint64_t evaluateLane(const LaneRequests &Requests, unsigned Lane) {
  const LaneRequest &R = *Requests[Lane];
  switch (R.Op) {
  case WarpOp::Sync:
  case WarpOp::Multiply:
    return 0;
  case WarpOp::Shuffle:
    return shuffle(Requests, Lane);
  case WarpOp::Vote:
    return vote(Requests, R.Mask, WarpVote(R.Code));
  case WarpOp::MatchAny:
    return equalLanes(Requests, Lane);
  case WarpOp::MatchAll: {
    const uint32_t Present = presentLanes(Requests);
    return equalLanes(Requests, Lane) == Present ? Present | Predicate : 0;
  }
  case WarpOp::Reduce:
    return reduce(Requests, WarpReduction(R.Code));
  case WarpOp::ActiveMask:
    return presentLanes(Requests);
  }
  return 0;
}

/// Whether the result is that of all lanes that give the same mask.
static bool isOfWarp(WarpOp Op) {
  return Op == WarpOp::Vote || Op == WarpOp::Reduce || Op == WarpOp::ActiveMask;
}

static void multiplyRequested(const LaneRequests &Requests, uint32_t Code) {
  LaneFragments Lanes = {};
  for (unsigned Lane = 0; Lane != WarpSize; ++Lane)
    if (Requests[Lane])
      Lanes[Lane] = reinterpret_cast<std::byte *>(Requests[Lane]->Value);
  multiplyFragments(MatrixProduct::unpack(Code), Lanes);
}

LaneResults gridspan::evaluateWarpOp(const LaneRequests &Requests) {
  LaneResults Results = {};
  const LaneRequest *const *Any = std::find_if(
      Requests.begin(), Requests.end(), [](auto *R) { return R != nullptr; });
  if (Any != Requests.end() && (*Any)->Op == WarpOp::Multiply) {
    multiplyRequested(Requests, (*Any)->Code);
    return Results;
  }
  const unsigned None = WarpSize;
  unsigned Before = None;
  for (unsigned Lane = 0; Lane != WarpSize; ++Lane) {
    if (!Requests[Lane])
      continue;
    const bool IsSame = Before != None && isOfWarp(Requests[Lane]->Op) &&
                        Requests[Lane]->Mask == Requests[Before]->Mask;
    Results[Lane] = IsSame ? Results[Before] : evaluateLane(Requests, Lane);
    Before = Lane;
  }
  return Results;
}
