//===- FrameRings.cpp - Rings of frames at fixed addresses ----------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The plan is replayed for each allocation and device: which frames come and
// leave, in which order. A number of slots is good when no frame comes to a
// slot that is taken. Frames that are on the device outside the ring are in
// nobody's way, but chunks that use them, or frames of another device, are not
// served by the ring.
//
//===----------------------------------------------------------------------===//

#include "FrameRings.h"
#include <algorithm>
#include <map>

namespace gridspan {
namespace {

/// More slots than frames at once that are tried.
constexpr uint32_t MostSpare = 8;
/// One chunk in so many may be served by mapping.
constexpr uint32_t RareSteps = 4;

/// What happens to the frames of one allocation on one device.
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

/// Slots that the frames never share; false when they do.
bool disjoint(const History &H, const std::vector<uint32_t> &Start,
              uint32_t Slots) {
  std::vector<uint32_t> Holds(Slots, UINT32_MAX);
  auto Come = [&](uint32_t Frame) {
    uint32_t &At = Holds[Frame % Slots];
    const bool Free = At == UINT32_MAX;
    At = Frame;
    return Free;
  };
  for (uint32_t F : Start)
    if (!Come(F))
      return false;
  for (const History::Event &E : H.Events)
    if (E.Comes) {
      if (!Come(E.Frame))
        return false;
    } else if (Holds[E.Frame % Slots] == E.Frame) {
      Holds[E.Frame % Slots] = UINT32_MAX;
    }
  return true;
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

uint32_t chooseSlots(const History &H, const RingView &Present,
                     uint32_t Frames) {
  if (H.Apart * RareSteps > H.Steps)
    return 0;
  if (Present.Slots >= std::max(H.Widest, 1U) &&
      disjoint(H, Present.Frames, Present.Slots))
    return Present.Slots;
  if (H.Loads == 0)
    return Present.Slots;
  const uint32_t Least = std::max(peak(H), H.Widest);
  for (uint32_t Slots = Least; Slots <= Least + MostSpare; ++Slots)
    if (disjoint(H, {}, Slots))
      return std::min(Slots, Frames);
  return 0;
}

} // namespace

RingSizes chooseRings(const StreamPlan &Plan,
                      const std::vector<PagedView> &Paged,
                      const RingViews &Present, unsigned Devices) {
  std::vector<std::vector<History>> Histories(Paged.size(),
                                              std::vector<History>(Devices));
  for (const StreamStep &Step : Plan.Steps) {
    for (const FrameRef &R : Step.Evict)
      for (History &H : Histories[R.Allocation])
        H.Events.push_back({R.Frame, false});
    for (const FrameLoad &L : Step.Load) {
      History &H = Histories[L.What.Allocation][Step.Device];
      H.Events.push_back({L.What.Frame, true});
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
  for (size_t A = 0; A < Paged.size(); ++A) {
    Out.Slots.emplace_back(Devices);
    for (unsigned D = 0; D < Devices; ++D) {
      const History &H = Histories[A][D];
      const uint32_t Slots = chooseSlots(
          H, Present[A][D], static_cast<uint32_t>(Paged[A].Frames.size()));
      Out.Slots[A][D] = Slots;
      Out.Bytes[D] += Slots * Paged[A].FrameBytes;
    }
  }
  return Out;
}

} // namespace gridspan
