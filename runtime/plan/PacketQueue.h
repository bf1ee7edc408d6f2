//===- PacketQueue.h - Packets of a launch, by whoever is free --*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Hands out the blocks of a launch, along one axis, to the devices that are
// free. Pure: it knows no device and no time.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_PLAN_PACKETQUEUE_H
#define GRIDSPAN_RUNTIME_PLAN_PACKETQUEUE_H

#include <cstdint>
#include <optional>
#include <vector>

namespace gridspan {

/// Blocks [Lo, Lo + Count) along the axis.
struct Packet {
  uint32_t Lo = 0;
  uint32_t Count = 0;
  bool operator==(const Packet &) const = default;
};

/// Not thread-safe.
class PacketQueue {
public:
  /// Bounds: the first blocks of the devices' regions and the end of the last,
  /// ascending. StaticShare, 0 to 1, is the share of its region that a device's
  /// first packet is; LeastBlocks, above 0, the size that other packets do not
  /// go below, as long as a region has as many.
  PacketQueue(const std::vector<uint32_t> &Bounds, double StaticShare,
              uint32_t LeastBlocks);

  /// Returns the next packet of a device; nothing when all are handed out.
  std::optional<Packet> claim(unsigned Device);

  /// Returns the number of blocks that are left.
  uint64_t left() const;

private:
  /// What is left of a device's blocks.
  struct Region {
    uint32_t Lo, Hi;
    bool HasBegun = false;
    uint32_t size() const { return Hi - Lo; }
  };
  static Packet take(Region &From, uint32_t Count, bool AtLow);
  uint32_t guidedSize() const;

  std::vector<Region> Regions; ///< by device
  double StaticShare;
  uint32_t LeastBlocks;
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_PLAN_PACKETQUEUE_H
