//===- PacketQueue.cpp - Packets of a launch, by whoever is free ----------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each device has a region of its own, the tile that it would run if nothing
// were handed out, and takes from there as long as something is left. Then it
// takes from the region with most left. So only what is left over at the end
// runs far from its memory.
//
// Devices 2K take from the low end of their region up, and devices 2K + 1 from
// the high end down. Others take from the opposite end. So of two devices one
// takes all from the one end of the grid and the other from the other end, and
// what changes hands lies at the seam, beside what the taker has.
//
// Packets have the size of guided self-scheduling (Polychronopoulos and Kuck,
// 1987): a share of the blocks that are left. Each device holds two at a time,
// the one that runs and the one ahead. They are the PacketsAhead-th part of
// what is left for each device, so that a device of a quarter of the others'
// rate has not taken more than its share before its rate shows. Towards the end
// they are small, and devices end within about one small packet of each other,
// whatever their rates are and whatever a block costs.
//
// Every block is in exactly one packet: regions are disjoint, and a packet is
// taken off one of them.
//
//===----------------------------------------------------------------------===//

#include "runtime/plan/PacketQueue.h"
#include <algorithm>
#include <cassert>
#include <cmath>

namespace gridspan {

static constexpr uint64_t PacketsAhead = 8;

PacketQueue::PacketQueue(const std::vector<uint32_t> &Bounds,
                         double StaticShare, uint32_t LeastBlocks)
    : StaticShare(StaticShare), LeastBlocks(LeastBlocks) {
  assert(Bounds.size() > 1 && StaticShare >= 0 && StaticShare <= 1 &&
         LeastBlocks > 0);
  for (size_t I = 0, E = Bounds.size() - 1; I != E; ++I)
    Regions.push_back({Bounds[I], Bounds[I + 1]});
}

uint64_t PacketQueue::left() const {
  uint64_t Sum = 0;
  for (const Region &R : Regions)
    Sum += R.size();
  return Sum;
}

uint32_t PacketQueue::guidedSize() const {
  const uint64_t Guided = left() / (PacketsAhead * Regions.size());
  return std::max(LeastBlocks, static_cast<uint32_t>(Guided));
}

/// Takes Count blocks off one end, or all if there are fewer.
Packet PacketQueue::take(Region &From, uint32_t Count, bool AtLow) {
  Count = std::min(Count, From.size());
  if (AtLow) {
    From.Lo += Count;
    return {From.Lo - Count, Count};
  }
  From.Hi -= Count;
  return {From.Hi, Count};
}

std::optional<Packet> PacketQueue::claim(unsigned Device) {
  assert(Device < Regions.size() && "one of the devices");
  Region &Own = Regions[Device];
  const bool OwnsLow = Device % 2 == 0;
  if (!Own.HasBegun) {
    Own.HasBegun = true;
    const auto Static =
        static_cast<uint32_t>(std::llround(StaticShare * Own.size()));
    if (Static)
      return take(Own, Static, OwnsLow);
  }
  if (Own.size())
    return take(Own, guidedSize(), OwnsLow);
  // Between regions with as much left, the neighbour's.
  Region *Most = nullptr;
  for (Region &R : Regions)
    if (R.size() && (!Most || R.size() > Most->size() ||
                     (R.size() == Most->size() && &R == &Own + 1)))
      Most = &R;
  if (!Most)
    return std::nullopt;
  const bool IsLow = (Most - Regions.data()) % 2 == 0;
  return take(*Most, guidedSize(), !IsLow);
}

} // namespace gridspan
