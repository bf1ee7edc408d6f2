//===- PackedGrid.cpp - Grids of chunks that read packed rows -------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Thick parts make few passes over what is packed, and wide chunks long pieces
// of rows, which copy faster; the memory is what both share. For each number of
// parts, some four an octave, the widest chunks that fit are taken. Kernels
// whose footprints differ over the grid may get a partition that does not fit
// after all, which the caller sees when it plans with it, so there are several.
//
//===----------------------------------------------------------------------===//

#include "runtime/outofcore/PackedGrid.h"
#include <algorithm>
#include <optional>

namespace gridspan {

/// A slot or two of copies ahead of the blocks, and their launches, are not
/// worth it for chunks without number.
static constexpr uint64_t MostChunks = 1 << 12;
static constexpr double StepSeconds = 5e-5;
/// Footprints that differ by less are the same.
static constexpr double SameShare = 0.95;

/// The piece of Box with this number of about equal Pieces along Axis.
static GridspanBox pieceOf(GridspanBox Box, unsigned Axis, uint32_t Pieces,
                           uint32_t Number) {
  const uint64_t Blocks = Box.BlockCount[Axis];
  const auto Lo = static_cast<uint32_t>(Blocks * Number / Pieces);
  const auto Hi = static_cast<uint32_t>(Blocks * (Number + 1) / Pieces);
  Box.BlockLo[Axis] += Lo;
  Box.BlockCount[Axis] = Hi - Lo;
  return Box;
}

/// One in the middle, as large as the largest.
static GridspanBox middleOf(GridspanBox Box, unsigned Axis, uint32_t Pieces) {
  const uint32_t Count = (Box.BlockCount[Axis] + Pieces - 1) / Pieces;
  Box.BlockLo[Axis] += (Box.BlockCount[Axis] - Count) / 2;
  Box.BlockCount[Axis] = Count;
  return Box;
}

namespace {

class Estimator {
public:
  Estimator(ChunkPartitioner &Partitioner, const std::vector<PagedView> &Paged,
            const GridspanBox &Box, const GridPartition &Axes,
            const GridLimits &Limits);

  /// Has partitions with this many parts considered.
  void setParts(uint32_t Layers, uint32_t Parts);
  bool fits(uint32_t Chunks);
  GridPartition partitionInto(uint32_t Chunks);

private:
  GridspanBox chunk(uint32_t Chunks) const {
    return middleOf(Part, Partition.Inner, Chunks);
  }
  unsigned third() const { return 3 - Partition.Outer - Partition.Inner; }
  /// True if the part keeps what it touches of the allocation for all its
  /// chunks.
  bool stays(size_t Allocation, const ChunkFootprint &Chunk) const;

  ChunkPartitioner &Partitioner;
  const GridspanBox &Box;
  const GridLimits &Limits;
  GridPartition Partition;
  /// Figures of the whole box, by allocation.
  std::vector<uint64_t> Whole, Copied;
  std::vector<bool> Written;
  GridspanBox Part = {};
  ChunkFootprint OfPart;
};

} // namespace

Estimator::Estimator(ChunkPartitioner &Partitioner,
                     const std::vector<PagedView> &Paged,
                     const GridspanBox &Box, const GridPartition &Axes,
                     const GridLimits &Limits)
    : Partitioner(Partitioner), Box(Box), Limits(Limits), Partition(Axes),
      Copied(Paged.size()), Written(Paged.size()) {
  const ChunkFootprint All = Partitioner.footprint(Box);
  Whole = All.FrameBytes;
  for (const FrameUse &U : All.Uses) {
    if (U.Modes & (GridspanWrite | GridspanAtomic))
      Written[U.Allocation] = true;
    for (uint32_t F = U.Lo; F < U.Hi; ++F) {
      const PagedView::Frame &Frame = Paged[U.Allocation].Frames[F];
      if (Frame.Filled && !Frame.Overwritten)
        Copied[U.Allocation] += Frame.Bytes;
    }
  }
}

void Estimator::setParts(uint32_t Layers, uint32_t Parts) {
  Partition.Layers = Layers;
  Partition.Parts = Parts;
  Part = middleOf(middleOf(Box, third(), Layers), Partition.Outer, Parts);
  OfPart = Partitioner.footprint(Part);
}

bool Estimator::stays(size_t Allocation, const ChunkFootprint &Chunk) const {
  return 2 * Chunk.FrameBytes[Allocation] > OfPart.FrameBytes[Allocation];
}

bool Estimator::fits(uint32_t Chunks) {
  const ChunkFootprint F = Partitioner.footprint(chunk(Chunks));
  if (F.Unpackable)
    return false;
  const uint64_t Pages =
      (F.PackedBytes + Limits.PageSize - 1) / Limits.PageSize;
  uint64_t Bytes = OutOfCorePlan::NumPackedBuffers * Pages * Limits.PageSize;
  for (size_t A = 0; A < Whole.size(); ++A)
    Bytes += stays(A, F) ? OfPart.FrameBytes[A] : 2 * F.FrameBytes[A];
  return Bytes <= Limits.Budget;
}

GridPartition Estimator::partitionInto(uint32_t Chunks) {
  const ChunkFootprint F = Partitioner.footprint(chunk(Chunks));
  const double Parts = static_cast<double>(Partition.Parts) * Partition.Layers;
  double In = 0, Out = 0;
  for (size_t A = 0; A < Whole.size(); ++A) {
    const auto All = static_cast<double>(Whole[A]);
    const auto OnePart = static_cast<double>(OfPart.FrameBytes[A]);
    const bool Once = stays(A, F) && OnePart >= SameShare * All;
    const double Bytes = Once ? All : OnePart * Parts;
    In += std::min(Bytes, static_cast<double>(Copied[A]));
    if (Bytes > All && (Copied[A] || Written[A]))
      In += Bytes - All;
    if (Written[A])
      Out += Bytes;
  }
  // How often the rows change: along a part, from part to part, or never.
  const GridspanBox Inner = pieceOf(Part, Partition.Inner, Chunks, 0);
  const GridspanBox Layer = pieceOf(Box, third(), Partition.Layers, 0);
  const GridspanBox First =
      middleOf(pieceOf(Layer, Partition.Outer, Partition.Parts, 0),
               Partition.Inner, Chunks);
  double Loads = 1;
  if (Chunks > 1 && Partitioner.footprint(Inner).Packed != F.Packed)
    Loads = Parts * Chunks;
  else if (Parts > 1 && Partitioner.footprint(First).Packed != F.Packed)
    Loads = Parts;
  for (const PackedRows &R : F.Packed)
    In += Loads *
          static_cast<double>((R.Window.Width + RowOverhead) * R.Window.Rows);
  Partition.Chunks = Chunks;
  Partition.Seconds = std::max(In / std::max(1.0, Limits.HostToDevice),
                               Out / std::max(1.0, Limits.DeviceToHost)) +
                      StepSeconds * Parts * Chunks;
  return Partition;
}

/// The next number of pieces of Blocks to be tried; 0: there is none.
static uint32_t nextPieces(uint32_t Pieces, uint32_t Blocks) {
  if (Pieces == Blocks)
    return 0;
  return std::min(Blocks, Pieces + std::max<uint32_t>(1, Pieces / 5));
}

std::vector<GridPartition> packedPartitions(ChunkPartitioner &Partitioner,
                                            const std::vector<PagedView> &Paged,
                                            const GridspanBox &Box,
                                            unsigned Outer, unsigned Inner,
                                            const GridLimits &Limits) {
  Estimator E(Partitioner, Paged, Box, {Outer, Inner, 1, 1, 1, 0}, Limits);
  const uint32_t Widest = Box.BlockCount[Inner];
  std::vector<uint32_t> Layers = {1};
  if (const uint32_t Most = Box.BlockCount[3 - Outer - Inner]; Most > 1)
    Layers.push_back(Most);
  std::vector<GridPartition> Out;
  for (uint32_t L : Layers)
    for (uint32_t P = 1; P; P = nextPieces(P, Box.BlockCount[Outer])) {
      const uint64_t Parts = uint64_t(L) * P;
      if (Parts > MostChunks)
        break;
      const auto Most =
          static_cast<uint32_t>(std::min<uint64_t>(Widest, MostChunks / Parts));
      E.setParts(L, P);
      if (!E.fits(Most))
        continue;
      uint32_t Lo = 0, Hi = Most; // Lo do not fit, Hi do
      while (Hi - Lo > 1) {
        const uint32_t Middle = Lo + (Hi - Lo) / 2;
        (E.fits(Middle) ? Hi : Lo) = Middle;
      }
      Out.push_back(E.partitionInto(Hi));
    }
  return Out;
}

std::vector<GridspanBox> partitionGrid(const GridPartition &Partition,
                                       const GridspanBox &Box) {
  std::vector<GridspanBox> Out;
  const unsigned Third = 3 - Partition.Outer - Partition.Inner;
  const auto Pieces = [&](uint32_t Wanted, unsigned Axis) {
    return std::min(Wanted, Box.BlockCount[Axis]);
  };
  const uint32_t Layers = Pieces(Partition.Layers, Third);
  const uint32_t Parts = Pieces(Partition.Parts, Partition.Outer);
  const uint32_t Chunks = Pieces(Partition.Chunks, Partition.Inner);
  bool Backward = false;
  for (uint32_t L = 0; L < Layers; ++L)
    for (uint32_t P = 0; P < Parts; ++P, Backward = !Backward) {
      const GridspanBox Part =
          pieceOf(pieceOf(Box, Third, Layers, L), Partition.Outer, Parts, P);
      for (uint32_t C = 0; C < Chunks; ++C)
        Out.push_back(pieceOf(Part, Partition.Inner, Chunks,
                              Backward ? Chunks - 1 - C : C));
    }
  return Out;
}

} // namespace gridspan
