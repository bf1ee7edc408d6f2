//===- FrameRings.cpp - Rings of frames at fixed addresses ----------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The plan is replayed for each allocation and device: which frames come and
// leave, in which order. A number of slots is good when hardly any frame comes
// to a slot that is taken; those that took it are left outside. Frames that are
// on the device outside the ring are in nobody's way, but chunks that use them,
// or frames of another device, are not served by the ring.
//
//===----------------------------------------------------------------------===//

#include "runtime/outofcore/FrameRings.h"
#include <algorithm>
#include <map>
#include <optional>

namespace gridspan {
namespace {

/// More slots than frames at once that are tried.
constexpr uint32_t MostSpare = 8;
/// One chunk in this many may be served by mapping.
constexpr uint32_t RareSteps = 4;
/// One frame in this many, and one, may be outside.
constexpr uint32_t RareFrames = 8;
/// Slots that are worth a frame outside, which is mapped by itself.
constexpr size_t SlotsPerOutside = 2;

/// The history of the frames of one allocation on one device.
struct History {
  struct Event {
    uint32_t Frame;
    bool Comes;
  };
  std::vector<Event> Events;
  uint32_t Loads = 0;
  uint32_t Widest = 0; ///< frames of a chunk
  uint32_t Steps = 0;  ///< that use the allocation
  uint32_t Apart = 0;  ///< of these, with frames of others between theirs
};

/// Frames to be left outside a ring of Slots slots, in which Start are; none
/// when these are in the way of others.
std::optional<std::vector<uint32_t>>
outside(const History &H, const std::vector<uint32_t> &Start, uint32_t Slots) {
  struct Slot {
    uint32_t Frame = UINT32_MAX;
    bool ForGood = false;
  };
  std::vector<Slot> Holds(Slots);
  std::vector<uint32_t> Out;
  for (uint32_t F : Start)
    Holds[F % Slots] = {F, true};
  for (const History::Event &E : H.Events) {
    Slot &At = Holds[E.Frame % Slots];
    if (!E.Comes) {
      if (At.Frame == E.Frame)
        At = {};
      continue;
    }
    if (At.ForGood)
      return std::nullopt;
    if (At.Frame != UINT32_MAX)
      Out.push_back(At.Frame);
    At.Frame = E.Frame;
  }
  std::sort(Out.begin(), Out.end());
  Out.erase(std::unique(Out.begin(), Out.end()), Out.end());
  return Out;
}

/// The most frames that came and have not left.
uint32_t peak(const History &H) {
  std::vector<uint32_t> Here;
  size_t Most = 0;
  for (const History::Event &E : H.Events) {
    const auto It = std::find(Here.begin(), Here.end(), E.Frame);
    if (E.Comes)
      Here.push_back(E.Frame);
    else if (It != Here.end())
      Here.erase(It);
    Most = std::max(Most, Here.size());
  }
  return static_cast<uint32_t>(Most);
}

struct Choice {
  uint32_t Slots = 0;
  std::vector<uint32_t> Outside;
};

Choice choose(const History &H, const RingView &Present, uint32_t Frames) {
  if (H.Apart * RareSteps > H.Steps)
    return {};
  if (H.Loads == 0)
    return {Present.Slots, {}};
  const auto Rare = [&](const auto &Out) {
    return Out && (Out->empty() || (Out->size() - 1) * RareFrames <= H.Loads);
  };
  if (Present.Slots >= std::max(H.Widest, 1U))
    if (auto Out = outside(H, Present.Frames, Present.Slots); Rare(Out))
      return {Present.Slots, std::move(*Out)};
  const uint32_t Wanted = std::min(Frames, std::max(peak(H), H.Widest));
  // Frames outside need no slots.
  const uint32_t Least =
      std::max({1U, H.Widest, Wanted - std::min(Wanted, 2U)});
  Choice Best;
  size_t Lowest = SIZE_MAX;
  for (uint32_t Slots = Least; Slots <= Wanted + MostSpare; ++Slots) {
    auto Out = outside(H, {}, Slots);
    if (!Rare(Out))
      continue;
    const size_t Price = Slots + SlotsPerOutside * Out->size();
    if (Price < Lowest || (Price == Lowest && Out->empty())) {
      Best = {Slots, std::move(*Out)};
      Lowest = Price;
    }
  }
  return Best;
}

} // namespace

RingSizes chooseRings(const OutOfCorePlan &Plan,
                      const std::vector<PagedView> &Paged,
                      const RingViews &Present, unsigned Devices) {
  std::vector<std::vector<History>> Histories(Paged.size(),
                                              std::vector<History>(Devices));
  for (const OutOfCoreStep &Step : Plan.Steps) {
    for (const FrameRef &R : Step.Evict)
      for (History &H : Histories[R.Allocation])
        H.Events.push_back({R.Frame, false});
    for (const FrameLoad &L : Step.Load) {
      History &H = Histories[L.Ref.Allocation][Step.Device];
      H.Events.push_back({L.Ref.Frame, true});
      ++H.Loads;
    }
    struct Span {
      uint32_t Lo = UINT32_MAX, Hi = 0, Count = 0;
    };
    std::map<unsigned, Span> Spans;
    for (const FrameUse &U : Step.Uses) {
      Span &S = Spans[U.Allocation];
      S.Lo = std::min(S.Lo, U.Lo);
      S.Hi = std::max(S.Hi, U.Hi);
      S.Count += U.Hi - U.Lo;
    }
    for (const auto &[A, S] : Spans) {
      History &H = Histories[A][Step.Device];
      ++H.Steps;
      if (S.Hi - S.Lo != S.Count)
        ++H.Apart;
      else
        H.Widest = std::max(H.Widest, S.Count);
    }
  }
  RingSizes Out;
  Out.Bytes.resize(Devices);
  auto IsReplicated = [&](size_t A) {
    return std::any_of(Plan.Replicas.begin(), Plan.Replicas.end(),
                       [=](const auto &R) { return R.Allocation == A; });
  };
  for (size_t A = 0; A < Paged.size(); ++A) {
    Out.Slots.emplace_back();
    Out.Outside.emplace_back();
    for (unsigned D = 0; D < Devices; ++D) {
      Choice C;
      if (!IsReplicated(A))
        C = choose(Histories[A][D], Present[A][D],
                   static_cast<uint32_t>(Paged[A].Frames.size()));
      Out.Bytes[D] += (C.Slots + C.Outside.size()) * Paged[A].FrameBytes;
      Out.Slots[A].push_back(C.Slots);
      Out.Outside[A].push_back(std::move(C.Outside));
    }
  }
  return Out;
}

} // namespace gridspan
