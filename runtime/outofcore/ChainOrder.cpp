//===- ChainOrder.cpp - Order of the chunks of a chain --------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Dependences. Bytes are coloured, launch by launch, with the chunks that wrote
// them last and those that have read them since. A chunk depends on the writers
// of what it reads, and on the writers and readers of what it writes. What a
// chunk may write hides earlier writers although it may leave some of their
// bytes as they are: it comes behind them itself, so that whoever comes behind
// it does too. Kernels that may be split promise that chunks of one launch are
// independent.
//
// Order. Each device in turn takes the next chunk of the last launch that has
// one whose dependences have been taken. For pointwise launches that is the
// whole chain for each piece of memory; for stencils every launch is a few
// chunks behind the one before, which is loop skewing (M. Wolfe, "Loop
// skewing: the wavefront method revisited", IJPP 15, 1986) of chunks. Where
// launches walk through memory in different ways, later ones wait until the
// earlier have ended: no order is wrong, only slower.
//
// A chain with operations that take a device as long as the bus takes to bring
// their data goes in the launches' order instead: it gains nothing by what is
// still on the device, but by copies, chunks and operations beside each other.
//
// Devices beside each other walk in opposite directions, so that both begin, or
// both end, at the seam between them. There, each needs what the other has just
// done; if both walked the same way, the second could not go on until the first
// had come to its end.
//
//===----------------------------------------------------------------------===//

#include "runtime/outofcore/ChainOrder.h"
#include <algorithm>
#include <boost/container/small_vector.hpp>
#include <boost/icl/interval_map.hpp>
#include <cassert>

namespace gridspan {
namespace {

using Interval = boost::icl::interval<uint64_t>;

/// Numbers of chunks, ascending. Mostly one or two: no allocations for those.
class ChunkNumbers {
public:
  using Numbers = boost::container::small_vector<uint32_t, 4>;

  ChunkNumbers() = default;
  explicit ChunkNumbers(uint32_t Number) : Sorted(1, Number) {}
  ChunkNumbers &operator+=(const ChunkNumbers &R) {
    for (uint32_t N : R.Sorted)
      add(N);
    return *this;
  }
  bool operator==(const ChunkNumbers &R) const = default;
  void add(uint32_t Number) {
    const auto At = std::lower_bound(Sorted.begin(), Sorted.end(), Number);
    if (At == Sorted.end() || *At != Number)
      Sorted.insert(At, Number);
  }
  const Numbers &all() const { return Sorted; }

private:
  Numbers Sorted;
};

using ChunkMap = boost::icl::interval_map<uint64_t, ChunkNumbers>;

/// The last chunks that touched the bytes of an allocation.
struct Colours {
  ChunkMap Writers;
  ChunkMap Readers; ///< since the last write
};

void addAll(const ChunkMap &Map, const Interval::type &Bytes,
            ChunkNumbers &Out) {
  const auto [From, To] = Map.equal_range(Bytes);
  for (auto It = From; It != To; ++It)
    Out += It->second;
}

} // namespace

ChainOrder::ChainOrder(const std::vector<ChainLaunch> &Launches)
    : Launches(Launches) {
  std::vector<Colours> Known;
  const auto Of = [&](const ByteUse &U) -> Colours & {
    if (Known.size() <= U.Allocation)
      Known.resize(U.Allocation + 1);
    return Known[U.Allocation];
  };
  for (const ChainLaunch &L : Launches) {
    const size_t First = Before.size();
    Begins.emplace_back();
    for (const std::vector<ChainChunk> &Chunks : L) {
      Begins.back().push_back(Before.size());
      for (const ChainChunk &C : Chunks) {
        ChunkNumbers Needed;
        for (const ByteUse &U : C.Bytes) {
          const auto Bytes = Interval::right_open(U.Lo, U.Hi);
          addAll(Of(U).Writers, Bytes, Needed);
          if (U.Writes)
            addAll(Of(U).Readers, Bytes, Needed);
        }
        Before.emplace_back(Needed.all().begin(), Needed.all().end());
        LaneOf.emplace_back(C.Step.Device, C.Step.Lane);
      }
    }
    for (const bool Adds : {false, true}) {
      size_t Number = First;
      for (const std::vector<ChainChunk> &Chunks : L)
        for (const ChainChunk &C : Chunks) {
          const ChunkNumbers This(static_cast<uint32_t>(Number++));
          for (const ByteUse &U : C.Bytes) {
            const auto Bytes = Interval::right_open(U.Lo, U.Hi);
            if (!Adds && U.Writes) {
              Of(U).Writers.erase(Bytes);
              Of(U).Readers.erase(Bytes);
            } else if (Adds) {
              (U.Writes ? Of(U).Writers : Of(U).Readers) +=
                  std::pair(Bytes, This);
            }
          }
        }
    }
  }
}

std::vector<OutOfCoreStep> ChainOrder::walk(const ChainWalk &Way) const {
  constexpr uint32_t NotYet = UINT32_MAX;
  std::vector<OutOfCoreStep> Out;
  std::vector<uint32_t> StepOf(Before.size(), NotYet);
  Out.reserve(Before.size());
  unsigned Group = 0;
  for (unsigned From = 0; From < Launches.size(); From += Way.Depth, ++Group) {
    const unsigned To = std::min<unsigned>(
        From + Way.Depth, static_cast<unsigned>(Launches.size()));
    // Chunks taken, by launch of the group and device.
    std::vector<std::vector<size_t>> Taken(To - From);
    size_t Devices = 0, Left = 0;
    for (unsigned L = From; L < To; ++L) {
      Taken[L - From].resize(Launches[L].size());
      Devices = std::max(Devices, Launches[L].size());
      for (const std::vector<ChainChunk> &Chunks : Launches[L])
        Left += Chunks.size();
    }
    /// Takes the device's next chunk, of the last launch that has one.
    const auto Take = [&](size_t D) {
      const bool Backward =
          !Way.InOrder && Way.Backward != ((D + Group) % 2 == 1);
      for (unsigned N = To - From; N-- > 0;) {
        const unsigned L = Way.InOrder ? To - 1 - N : From + N;
        if (D >= Launches[L].size() ||
            Taken[L - From][D] == Launches[L][D].size())
          continue;
        const size_t Count = Launches[L][D].size();
        const size_t Next =
            Backward ? Count - 1 - Taken[L - From][D] : Taken[L - From][D];
        const uint32_t Number = numberOf(L, static_cast<unsigned>(D), Next);
        if (std::any_of(Before[Number].begin(), Before[Number].end(),
                        [&](uint32_t B) { return StepOf[B] == NotYet; }))
          continue;
        OutOfCoreStep Step = Launches[L][D][Next].Step;
        for (uint32_t B : Before[Number])
          if (LaneOf[B] != std::pair(Step.Device, Step.Lane))
            Step.After.push_back(StepOf[B]);
        std::sort(Step.After.begin(), Step.After.end());
        StepOf[Number] = static_cast<uint32_t>(Out.size());
        Out.push_back(std::move(Step));
        ++Taken[L - From][D];
        return true;
      }
      return false;
    };
    while (Left) {
      size_t Before = Left;
      for (size_t D = 0; D < Devices; ++D)
        Left -= Take(D);
      // The first launch that is not at its end needs nothing of this group.
      assert(Left < Before && "chunks wait for each other");
      (void)Before;
    }
  }
  return Out;
}

} // namespace gridspan
