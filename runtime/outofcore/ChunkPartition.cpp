//===- ChunkPartition.cpp - Divide a grid into chunks that fit ------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A box is halved until its parts fit, so that chunks follow footprints
// that differ over the grid. Range functions take microseconds, a chunk at
// least hundreds of them.
//
// Ranges are sound (they are tested against traces of every address), so the
// frames collected here are all that the box touches. An unknown range is the
// whole allocation.
//
//===----------------------------------------------------------------------===//

#include "runtime/outofcore/ChunkPartition.h"
#include "runtime/plan/MustAccess.h"
#include "runtime/plan/RangeBytes.h"
#include <algorithm>
#include <tuple>

namespace gridspan {

/// More chunks than this would take longer to start than to run.
static constexpr size_t MostChunks = 1 << 15;
/// A buffer shrinks with the chunk when this part of the grid touches less than
/// ShrunkShare of what the whole touches.
static constexpr uint32_t SampleParts = 64;
static constexpr double ShrunkShare = 0.5;

void ChunkPartitioner::pack(unsigned Allocation) {
  Packed.insert(std::lower_bound(Packed.begin(), Packed.end(), Allocation),
                Allocation);
  forget();
}

void ChunkPartitioner::unpackAll() {
  Packed.clear();
  forget();
}

bool ChunkPartitioner::isPacked(int Allocation) const {
  return std::binary_search(Packed.begin(), Packed.end(),
                            static_cast<unsigned>(Allocation));
}

/// The windows of packed allocations, by the ranges at hand.
void ChunkPartitioner::addWindows(ChunkFootprint &Out) const {
  for (unsigned A : Packed) {
    RowWindowUnion Union;
    for (uint32_t I = 0; I < In.Kernel->NumAccesses; ++I) {
      const int P = In.Kernel->Accesses[I].Pointer;
      if (P >= 0 && In.Pointers[P].Allocation == static_cast<int>(A) &&
          !Union.add(Ranges[I], In.Pointers[P].Offset))
        Out.Unpackable = true;
    }
    if (std::optional<RowWindow> Window = Union.get()) {
      Out.Unpackable |= !isPackable(*Window);
      Out.Packed.push_back({A, *Window, Out.PackedBytes});
      Out.PackedBytes += (Window->packedBytes() + 255) / 256 * 256;
    }
  }
}

const ChunkFootprint &ChunkPartitioner::footprint(const GridspanBox &Box) & {
  const uint32_t *Lo = Box.BlockLo, *Count = Box.BlockCount;
  const auto [At, New] =
      Known.try_emplace({Lo[0], Lo[1], Lo[2], Count[0], Count[1], Count[2]});
  if (New)
    At->second = evaluate(Box);
  return At->second;
}

std::vector<ByteUse> ChunkPartitioner::byteUses(const GridspanBox &Box) {
  const GridspanKernel &Kernel = *In.Kernel;
  std::vector<ByteUse> Out;
  if (Kernel.NumAccesses)
    Kernel.Ranges(&Box, Ranges.data());
  for (uint32_t I = 0; I < Kernel.NumAccesses; ++I) {
    const GridspanAccess &Access = Kernel.Accesses[I];
    const int A =
        Access.Pointer < 0 ? -1 : In.Pointers[Access.Pointer].Allocation;
    if (A < 0)
      continue;
    forBytes(Ranges[I], In.Pointers[Access.Pointer].Offset,
             In.Allocations[A].Bytes, UINT64_MAX,
             [&](uint64_t Lo, uint64_t Hi) {
               Out.push_back({static_cast<unsigned>(A), Lo, Hi,
                              Access.Mode != GridspanRead});
             });
  }
  return Out;
}

ChunkFootprint ChunkPartitioner::evaluate(const GridspanBox &Box) {
  ChunkFootprint Out;
  Out.Touched.resize(Paged.size());
  Out.FrameBytes.resize(Paged.size());
  const GridspanKernel &Kernel = *In.Kernel;
  if (Kernel.NumAccesses == 0)
    return Out;
  Kernel.Ranges(&Box, Ranges.data());
  std::vector<FrameUse> Found;
  for (uint32_t I = 0; I < Kernel.NumAccesses; ++I) {
    const GridspanAccess &Access = Kernel.Accesses[I];
    const int A =
        Access.Pointer < 0 ? -1 : In.Pointers[Access.Pointer].Allocation;
    if (A < 0 || Paged[A].Frames.empty() || Paged[A].StaysOnHost || isPacked(A))
      continue;
    const uint64_t Frame = Paged[A].FrameBytes;
    double Sum = 0;
    forBytes(Ranges[I], In.Pointers[Access.Pointer].Offset,
             In.Allocations[A].Bytes, Frame, [&](uint64_t Lo, uint64_t Hi) {
               Sum += static_cast<double>(Hi - Lo);
               Found.push_back(
                   {static_cast<unsigned>(A), static_cast<uint32_t>(Lo / Frame),
                    static_cast<uint32_t>((Hi - 1) / Frame + 1), Access.Mode});
             });
    if (Ranges[I].State == GridspanRangeMay ||
        Ranges[I].State == GridspanRangeExact)
      Sum = std::min(Sum, static_cast<double>(Ranges[I].RowBytes) *
                              static_cast<double>(Ranges[I].RowsPerPlane) *
                              static_cast<double>(Ranges[I].Planes));
    Out.Touched[A] = std::max(Out.Touched[A], Sum);
  }
  // Disjoint pieces between all ends, with the modes of what covers them.
  std::sort(Found.begin(), Found.end(),
            [](const FrameUse &L, const FrameUse &R) {
              return std::tie(L.Allocation, L.Lo, L.Hi) <
                     std::tie(R.Allocation, R.Lo, R.Hi);
            });
  for (size_t From = 0; From < Found.size();) {
    size_t To = From;
    std::vector<uint32_t> Ends;
    for (; To < Found.size() && Found[To].Allocation == Found[From].Allocation;
         ++To) {
      Ends.push_back(Found[To].Lo);
      Ends.push_back(Found[To].Hi);
    }
    std::sort(Ends.begin(), Ends.end());
    Ends.erase(std::unique(Ends.begin(), Ends.end()), Ends.end());
    std::vector<uint32_t> Modes(Ends.size());
    for (size_t I = From; I < To; ++I) {
      const auto Lo = std::lower_bound(Ends.begin(), Ends.end(), Found[I].Lo);
      for (auto It = Lo; *It < Found[I].Hi; ++It)
        Modes[It - Ends.begin()] |= Found[I].Modes;
    }
    const unsigned A = Found[From].Allocation;
    for (size_t I = 0; I + 1 < Ends.size(); ++I) {
      if (!Modes[I])
        continue;
      for (uint32_t F = Ends[I]; F < Ends[I + 1]; ++F)
        Out.FrameBytes[A] += Paged[A].Frames[F].Bytes;
      if (!Out.Uses.empty() && Out.Uses.back().Allocation == A &&
          Out.Uses.back().Hi == Ends[I] && Out.Uses.back().Modes == Modes[I])
        Out.Uses.back().Hi = Ends[I + 1];
      else
        Out.Uses.push_back({A, Ends[I], Ends[I + 1], Modes[I]});
    }
    From = To;
  }
  addWindows(Out);
  return Out;
}

ChunkPartitioner::Limits ChunkPartitioner::limitsFor(const GridspanBox &Box,
                                                     unsigned Axis,
                                                     uint64_t Budget,
                                                     unsigned Ring) {
  Limits L;
  L.Budget = Budget;
  L.Ring = Ring;
  const ChunkFootprint &Whole = footprint(Box);
  GridspanBox Sample = Box;
  Sample.BlockLo[Axis] += Box.BlockCount[Axis] / 2;
  Sample.BlockCount[Axis] =
      std::max<uint32_t>(1, Box.BlockCount[Axis] / SampleParts);
  const ChunkFootprint &Part = footprint(Sample);
  for (size_t A = 0; A < Paged.size(); ++A) {
    const bool Shrinks = static_cast<double>(Part.FrameBytes[A]) <=
                         ShrunkShare * static_cast<double>(Whole.FrameBytes[A]);
    L.Shrinks.push_back(Shrinks);
    if (!Shrinks)
      L.Fixed += Whole.FrameBytes[A];
  }
  return L;
}

static uint64_t sum(const std::vector<uint64_t> &Bytes) {
  uint64_t Sum = 0;
  for (uint64_t B : Bytes)
    Sum += B;
  return Sum;
}

bool ChunkPartitioner::good(const ChunkFootprint &F, const Limits &L) const {
  uint64_t Shrinking = 0;
  for (size_t A = 0; A < Paged.size(); ++A) {
    if (!L.Shrinks[A])
      continue;
    Shrinking += F.FrameBytes[A];
    if (F.Touched[A] >
        static_cast<double>(std::max(Paged[A].FrameBytes, Paged[A].ChunkBytes)))
      return false;
  }
  if (L.Fixed >= L.Budget) // the ring is what is left of chunks themselves
    return sum(F.FrameBytes) * L.Ring <= L.Budget;
  return Shrinking * L.Ring <= L.Budget - L.Fixed;
}

bool ChunkPartitioner::partitionInto(const GridspanBox &Box, unsigned Axis,
                                     const Limits &L,
                                     std::vector<GridspanBox> &Out) {
  const ChunkFootprint &F = footprint(Box);
  const bool Fits = sum(F.FrameBytes) <= L.Budget;
  unsigned Along = Axis;
  if (Box.BlockCount[Axis] == 1 && !Fits)
    Along = static_cast<unsigned>(
        std::max_element(Box.BlockCount, Box.BlockCount + 3) - Box.BlockCount);
  if ((Fits && good(F, L)) || Box.BlockCount[Along] == 1) {
    Out.push_back(Box);
    return Fits && Out.size() <= MostChunks;
  }
  GridspanBox Half = Box;
  Half.BlockCount[Along] = Box.BlockCount[Along] / 2;
  if (!partitionInto(Half, Axis, L, Out))
    return false;
  Half.BlockLo[Along] += Half.BlockCount[Along];
  Half.BlockCount[Along] = Box.BlockCount[Along] - Half.BlockCount[Along];
  return partitionInto(Half, Axis, L, Out);
}

std::vector<GridspanBox> ChunkPartitioner::partition(const GridspanBox &Box,
                                                     unsigned Axis,
                                                     uint64_t Budget,
                                                     unsigned Ring) {
  std::vector<GridspanBox> Out;
  if (!partitionInto(Box, Axis, limitsFor(Box, Axis, Budget, Ring), Out))
    Out.clear();
  return Out;
}

uint64_t ChunkPartitioner::leastBytesIn() {
  uint64_t Bytes = 0;
  for (const FrameUse &U : footprint(In.Box).Uses)
    for (uint32_t F = U.Lo; F < U.Hi; ++F) {
      const PagedView::Frame &Frame = Paged[U.Allocation].Frames[F];
      if (Frame.Where == Host && Frame.Filled && !Frame.Overwritten)
        Bytes += Frame.Bytes;
    }
  return Bytes;
}

void ChunkPartitioner::markOverwritten(unsigned Allocation, PagedView &View) {
  const GridspanKernel &Kernel = *In.Kernel;
  if (Kernel.NumAccesses == 0)
    return;
  Kernel.Ranges(&In.Box, Ranges.data());
  using Interval = boost::icl::interval<uint64_t>;
  boost::icl::interval_set<uint64_t> Read;
  MustAccess Surely;
  for (uint32_t I = 0; I < Kernel.NumAccesses; ++I) {
    const GridspanAccess &Access = Kernel.Accesses[I];
    if (Access.Pointer < 0 ||
        In.Pointers[Access.Pointer].Allocation != static_cast<int>(Allocation))
      continue;
    const int64_t Offset = In.Pointers[Access.Pointer].Offset;
    if (Access.Mode != GridspanWrite)
      forBytes(Ranges[I], Offset, In.Allocations[Allocation].Bytes,
               View.FrameBytes, [&](uint64_t Lo, uint64_t Hi) {
                 Read.add(Interval::right_open(Lo, Hi));
               });
    else
      Surely.add(Ranges[I], Offset);
  }
  const boost::icl::interval_set<uint64_t> Written = Surely.runs();
  uint64_t Lo = 0;
  for (PagedView::Frame &F : View.Frames) {
    // Bytes behind the allocation's end are nobody's.
    const uint64_t Hi =
        std::min(Lo + F.Bytes, In.Allocations[Allocation].Bytes);
    const auto Bytes = Interval::right_open(Lo, Hi);
    F.Overwritten = boost::icl::contains(Written, Bytes) &&
                    !boost::icl::intersects(Read, Bytes);
    Lo += F.Bytes;
  }
}

/// Returns the axis along which the boxes, or their blocks if there is one,
/// follow each other.
static unsigned axisOf(const std::vector<GridspanBox> &Boxes) {
  for (unsigned Axis = 3; Axis-- > 0;)
    if (Boxes.size() > 1
            ? Boxes.front().BlockLo[Axis] != Boxes.back().BlockLo[Axis]
            : Boxes.front().BlockCount[Axis] > 1)
      return Axis;
  return 0;
}

std::vector<GridspanBox> divideBoxes(const std::vector<GridspanBox> &Boxes,
                                     unsigned Parts) {
  if (Parts == 1 || Boxes.empty())
    return Boxes;
  const unsigned Axis = axisOf(Boxes);
  std::vector<GridspanBox> Out;
  for (const GridspanBox &Box : Boxes) {
    const uint32_t Count = std::min(Parts, Box.BlockCount[Axis]);
    for (uint32_t P = 0; P < Count; ++P) {
      const auto Bound = [&](uint64_t I) {
        return static_cast<uint32_t>(Box.BlockCount[Axis] * I / Count);
      };
      Out.push_back(Box);
      Out.back().BlockLo[Axis] += Bound(P);
      Out.back().BlockCount[Axis] = Bound(P + 1) - Bound(P);
    }
  }
  return Out;
}

} // namespace gridspan
