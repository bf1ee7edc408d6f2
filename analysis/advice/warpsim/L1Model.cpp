//===- L1Model.cpp - The L1 cache and load unit of a GPU ------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sectors of 32 bytes in lines of 128; the cache is associative and replaces
// the line of a set that was used longest ago. A hash of the line chooses the
// set, as power-of-two pitches would else meet in one. Stores and atomics go
// through to L2 and are not looked up (Programming Guide, "Compute
// Capability 9.x"; Khairy et al., "Accel-Sim", ISCA 2020).
//
// Cycles of a request: the passes that its words take over the banks, which are
// those of shared memory, but no less than what its lines cost.
//
//===----------------------------------------------------------------------===//

#include "analysis/advice/warpsim/L1Model.h"
#include <algorithm>
#include <bit>
#include <cassert>

namespace gridspan {

L1Model::L1Model(uint64_t Bytes, const MachineModel &Machine)
    : Ways(Machine.L1Ways),
      Lines(std::max<uint64_t>(1, Bytes / LineBytes / Ways) * Ways) {
  assert(Ways && "a machine model without fields");
}

L1Model::Use L1Model::use(uint64_t Sector, uint32_t Round, unsigned Reader,
                          uint32_t Bytes) {
  uint64_t At = Sector / SectorsOfLine;
  unsigned Number = unsigned(Sector % SectorsOfLine);
  uint8_t Bit = uint8_t(1 << Number);
  // Fibonacci hashing (Knuth, The Art of Computer Programming 3, 6.4).
  uint64_t Hash = At * 0x9e3779b97f4a7c15u >> 20;
  Line *Set = &Lines[Hash % (Lines.size() / Ways) * Ways];
  Line *Found =
      std::find_if(Set, Set + Ways, [&](const Line &L) { return L.At == At; });
  if (Found == Set + Ways) {
    Found = std::min_element(Set, Set + Ways, [](const Line &A, const Line &B) {
      return A.Used < B.Used;
    });
    *Found = Line();
    Found->At = At;
  }
  Found->Used = ++Clock;
  Part &P = Found->Parts[Number];
  Result R = Miss;
  if (Found->Valid & Bit)
    R = P.Round == Round ? Pending : Hit;
  else
    P = {Round, 0, Reader};
  Found->Valid |= Bit;
  const unsigned New = unsigned(std::popcount(Bytes & ~P.Bytes));
  P.Bytes |= Bytes;
  return {R, P.Reader, New};
}

double loadUnitCycles(unsigned Passes, unsigned Lines,
                      const MachineModel &Machine) {
  return std::max(double(Passes),
                  Machine.L1RequestCycles + Machine.L1LineCycles * Lines);
}

} // namespace gridspan
