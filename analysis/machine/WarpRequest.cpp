//===- WarpRequest.cpp - Memory requests of one warp ----------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Global memory: a request costs its different sectors, whatever their order.
// NVIDIA documents the ideal only as the sectors needed "assuming each not
// predicated-off thread performed the operation" (Nsight Compute user guide,
// Source Counters); measured, it is ceil(active lanes * size / 32), and never
// more than the sectors touched.
//
// Shared memory: word w is in bank w mod 32, and a pass serves one word of each
// bank, to any number of lanes. Wider accesses are served in parts of the warp
// that move 128 bytes at most: half warps for 8 bytes, quarter warps for 16.
// Loads serve two neighbouring parts at once when all lanes of the warp share
// their address with the lane next to them, or all with the second next (of
// those that are active). Atomics serve one lane of a bank in each pass, same
// word or not.
//
// Found by fitting the counters of 1659 requests on an H200: all patterns of
// bench/probes/warp_requests.cu, see test/unit/analysis/machine/Inputs. For
// 16-byte loads with inactive lanes the rule follows the hardware counter
// (l1tex__data_pipe_lsu_wavefronts_mem_shared), which in 5 of 100 such cases
// shows one pass more than the source counter.
//
//===----------------------------------------------------------------------===//

#include "analysis/machine/WarpRequest.h"
#include <algorithm>

namespace gridspan {

/// Counts the different values of Address / Unit over all bytes of the active
/// lanes. Skips a value that the neighbour has too; mostly the values ascend.
template <unsigned Unit>
static unsigned countUnits(const WarpRequest &Request) {
  std::array<uint64_t, 2 * WarpSize> Units;
  unsigned Count = 0;
  bool Ascends = true;
  auto Add = [&](uint64_t Value) {
    if (Count != 0 && Units[Count - 1] == Value)
      return;
    Ascends &= Count == 0 || Units[Count - 1] < Value;
    Units[Count++] = Value;
  };
  for (unsigned Lane = 0; Lane != WarpSize; ++Lane) {
    if (!Request.isActive(Lane))
      continue;
    uint64_t First = Request.Address[Lane] / Unit;
    uint64_t Last = (Request.Address[Lane] + Request.Size - 1) / Unit;
    Add(First);
    Add(Last);
  }
  if (Ascends)
    return Count;
  std::sort(Units.begin(), Units.begin() + Count);
  return std::unique(Units.begin(), Units.begin() + Count) - Units.begin();
}

unsigned sectorsOf(const WarpRequest &Request) {
  return countUnits<SectorBytes>(Request);
}

unsigned linesOf(const WarpRequest &Request) {
  return countUnits<LineBytes>(Request);
}

static unsigned divideCeil(unsigned A, unsigned B) { return (A + B - 1) / B; }

unsigned idealSectorsOf(const WarpRequest &Request) {
  return std::min(
      sectorsOf(Request),
      divideCeil(Request.activeLanes() * Request.Size, SectorBytes));
}

/// Passes for the lanes from First on, all at once.
static unsigned passesOf(const WarpRequest &Request, unsigned First,
                         unsigned Lanes, bool OneLanePerBank) {
  std::array<std::array<uint64_t, WarpSize>, SharedBanks> Words;
  std::array<unsigned, SharedBanks> Count = {};
  for (unsigned Lane = First; Lane != First + Lanes; ++Lane) {
    if (!Request.isActive(Lane))
      continue;
    uint64_t From = Request.Address[Lane] / SharedBankBytes;
    uint64_t To = (Request.Address[Lane] + Request.Size - 1) / SharedBankBytes;
    for (uint64_t Word = From; Word <= To; ++Word) {
      auto &Bank = Words[Word % SharedBanks];
      unsigned &Used = Count[Word % SharedBanks];
      bool Found = std::find(Bank.begin(), Bank.begin() + Used, Word) !=
                   Bank.begin() + Used;
      if (OneLanePerBank || !Found)
        Bank[Used++] = Word;
    }
  }
  return *std::max_element(Count.begin(), Count.end());
}

/// True if every active lane has the same address as the lane at Distance,
/// where that is active.
static bool areShared(const WarpRequest &Request, unsigned Distance) {
  for (unsigned Lane = 0; Lane != WarpSize; ++Lane)
    if (Request.isActive(Lane) && Request.isActive(Lane ^ Distance) &&
        Request.Address[Lane] != Request.Address[Lane ^ Distance])
      return false;
  return true;
}

unsigned sharedWavefrontsOf(const WarpRequest &Request, SharedAccess Kind) {
  constexpr unsigned PassBytes = SharedBanks * SharedBankBytes;
  unsigned Lanes = std::min(WarpSize, PassBytes / Request.Size);
  if (Kind == SharedAccess::Load && Lanes < WarpSize &&
      (areShared(Request, 1) || areShared(Request, 2)))
    Lanes *= 2;
  unsigned Passes = 0;
  for (unsigned First = 0; First != WarpSize; First += Lanes)
    Passes += passesOf(Request, First, Lanes, Kind == SharedAccess::Atomic);
  return Passes;
}

unsigned idealSharedWavefrontsOf(const WarpRequest &Request,
                                 SharedAccess Kind) {
  return std::min(sharedWavefrontsOf(Request, Kind),
                  divideCeil(Request.activeLanes() * Request.Size,
                             SharedBanks * SharedBankBytes));
}

} // namespace gridspan
