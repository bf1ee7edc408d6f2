//===- RingPlanner.cpp - A plan whose frames fit rings --------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Frames of several allocations may each have their most at another time, so
// that all rings together are larger than what is on a device at once. With a
// little less room they need that much less: with a whole frame, as a last
// frame of a few bytes has room where no slot has.
//
//===----------------------------------------------------------------------===//

#include "runtime/outofcore/RingPlanner.h"
#include <algorithm>

namespace gridspan {

/// The most bytes that a plan with rings may move, as a multiple.
static constexpr double WorthARing = 1.05;
/// The number of tries with less room for frames.
static constexpr unsigned MostTries = 4;

/// Returns the bytes that the plan takes of a device besides frames.
static uint64_t bytesBesideRings(const OutOfCorePlan &Plan, size_t Device) {
  return OutOfCorePlan::NumPackedBuffers * Plan.PackedBufferBytes +
         (Plan.ReplicaBytes.empty() ? 0 : Plan.ReplicaBytes[Device]);
}

/// Returns true if the rings have room beside the plan's packed buffers and its
/// replicas.
static bool fits(const RingSizes &Rings, const OutOfCorePlan &Plan,
                 const std::vector<uint64_t> &Budget) {
  for (size_t D = 0; D < Budget.size(); ++D)
    if (Rings.Bytes[D] + bytesBesideRings(Plan, D) > Budget[D])
      return false;
  return true;
}

/// Returns the bytes of the largest frame.
static uint64_t largestFrame(const std::vector<PagedView> &Paged) {
  uint64_t Most = 1;
  for (const PagedView &V : Paged)
    Most = std::max(Most, V.FrameBytes);
  return Most;
}

RingPlan planWithRings(
    const std::function<OutOfCorePlan(const std::vector<uint64_t> &)> &PlanFor,
    const std::vector<PagedView> &Paged, const RingViews &Present,
    const std::vector<uint64_t> &Budget) {
  const auto Devices = static_cast<unsigned>(Budget.size());
  OutOfCorePlan First = PlanFor(Budget);
  RingSizes Rings = chooseRings(First, Paged, Present, Devices);
  if (fits(Rings, First, Budget))
    return {std::move(First), std::move(Rings), true};
  std::vector<uint64_t> Beside;
  for (unsigned D = 0; D != Devices; ++D)
    Beside.push_back(bytesBesideRings(First, D));
  std::vector<uint64_t> Less = Budget;
  const uint64_t Frame = largestFrame(Paged);
  for (unsigned Try = 0; Try != MostTries; ++Try) {
    for (unsigned D = 0; D != Devices; ++D) {
      const uint64_t Wanted = Rings.Bytes[D] + Beside[D];
      if (Wanted <= Budget[D])
        continue;
      const uint64_t TooMuch = (Wanted - Budget[D] + Frame - 1) / Frame * Frame;
      Less[D] = TooMuch <= Less[D] / 2
                    ? Less[D] - TooMuch
                    : static_cast<uint64_t>(static_cast<double>(Less[D]) *
                                            static_cast<double>(Budget[D]) /
                                            static_cast<double>(Wanted));
    }
    OutOfCorePlan Next = PlanFor(Less);
    if (Next.Steps.empty() || Next.InPlace != First.InPlace ||
        Next.Replicas != First.Replicas ||
        static_cast<double>(Next.BytesIn + Next.BytesOut) >
            WorthARing * static_cast<double>(First.BytesIn + First.BytesOut))
      break;
    Rings = chooseRings(Next, Paged, Present, Devices);
    for (unsigned D = 0; D != Devices; ++D)
      Beside[D] = bytesBesideRings(Next, D);
    if (fits(Rings, Next, Budget))
      return {std::move(Next), std::move(Rings), true};
  }
  for (std::vector<uint32_t> &Slots : Rings.Slots)
    std::fill(Slots.begin(), Slots.end(), 0);
  return {std::move(First), std::move(Rings), false};
}

} // namespace gridspan
