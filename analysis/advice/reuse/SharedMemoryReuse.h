//===- SharedMemoryReuse.h - Bytes that the threads of a --------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds what a shared-memory tile would save where a block reads the same bytes
// several times. Also finds loads of a loop that wait, or are repeated, only
// because a store might change what they read. Reuse that L1 serves as well as
// shared memory would is left out.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ANALYSIS_ADVICE_REUSE_SHAREDMEMORYREUSE_H
#define GRIDSPAN_ANALYSIS_ADVICE_REUSE_SHAREDMEMORYREUSE_H

#include "analysis/advice/layout/Layout.h"
#include "llvm/Support/JSON.h"

namespace gridspan {

enum class SharedMemoryReuseReason {
#define GRIDSPAN_REUSE_REASON(Kind, Name, Text) Kind,
#include "analysis/advice/reuse/SharedMemoryReuseReasons.def"
};
llvm::StringRef sharedMemoryReuseReasonName(SharedMemoryReuseReason Reason);
llvm::StringRef sharedMemoryReuseReasonText(SharedMemoryReuseReason Reason);

/// A box of elements along x, y and z: one for each thread of a block, and
/// further ones around them, both sides together.
struct TileShape {
  unsigned ElementBytes = 0;
  std::array<int64_t, 3> Tile = {1, 1, 1}, Halo = {0, 0, 0};

  unsigned axes() const {
    return Tile[2] + Halo[2] > 1 ? 3 : Tile[1] + Halo[1] > 1 ? 2 : 1;
  }
  double bytes() const {
    double Elements = 1;
    for (unsigned Axis = 0; Axis != 3; ++Axis)
      Elements *= double(Tile[Axis] + Halo[Axis]);
    return Elements * ElementBytes;
  }
};

/// The reads of an array by a block. Of nested loops and loaded addresses there
/// is a reason, and no numbers.
struct ArrayReuse {
  std::string Base;
  std::vector<uint32_t> Sites; ///< loads
  double LoadedBytes = 0;      ///< by the lanes of a block
  double DistinctBytes = 0;    ///< of them
  /// Distinct bytes of one iteration of the loop around, and what each further
  /// iteration adds; without a loop FirstBytes is DistinctBytes.
  double FirstBytes = 0, StepBytes = 0, Trips = 1;
  double HitShare = 0; ///< of the loads' sectors, in L1
  ResourceTimes Tiled; ///< of a launch that copies the array to shared memory
  /// Bytes of the tile: DistinctBytes if they fit, else those of as many
  /// iterations as do.
  double TileBytes = 0, TileIterations = 0;
  std::optional<TileShape> Shape; ///< of all iterations
  SharedMemoryReuseReason Reason =
      SharedMemoryReuseReason::ReadOnce; ///< why no tile is advised
  bool IsRecommended = false;
  std::string Where;

  double factor() const {
    return DistinctBytes > 0 ? LoadedBytes / DistinctBytes : 1;
  }
};

/// Two loads of a loop, of which each thread of the launch has another pair of
/// a row and a column.
struct TiledProduct {
  uint32_t First = 0, Second = 0; ///< sites
  std::array<std::string, 2> Bases;
  std::array<double, 2> Reads = {1, 1}; ///< of each byte by the launch
  unsigned Side = 0;                    ///< of tiles and of their blocks
  double Trips = 1, TileBytes = 0;
  ResourceTimes Tiled; ///< of a launch in such blocks that copies the tiles to
                       ///< shared memory
  SharedMemoryReuseReason Reason = SharedMemoryReuseReason::None;
  bool IsRecommended = false;
  std::string Where;
};

/// A load in a loop that has to wait for a store in it, as they may touch the
/// same memory.
struct OrderedLoad {
  uint32_t Site = 0, Store = 0; ///< the load, and the store
  bool IsRepeated = false;      ///< its address is the same in all iterations
  ResourceTimes Free;           ///< of a launch without such order
  bool IsRecommended = false;
};

struct SharedMemoryReuse {
  ResourceTimes Now;
  std::vector<ArrayReuse> Arrays;
  std::vector<TiledProduct> Products;
  std::vector<OrderedLoad> Ordered; ///< the first of each loop
};

/// Kernel, trace and launch as analyzeLayout() gives them.
SharedMemoryReuse analyzeReuse(const KernelSites &Kernel,
                               const WarpTrace &Trace,
                               const LaunchValues &Launch,
                               const MachineModel &Machine);

std::string reuseMessage(const ArrayReuse &A);
std::string reuseAdvice(const SharedMemoryReuse &Kernel, const ArrayReuse &A);
std::string productMessage(const TiledProduct &P);
std::string productAdvice(const SharedMemoryReuse &Kernel,
                          const TiledProduct &P);
std::string orderedMessage(const KernelSites &Kernel, const OrderedLoad &L);
std::string orderedAdvice(const KernelSites &Kernel,
                          const SharedMemoryReuse &Reuse, const OrderedLoad &L);

/// Everything but the ordered loads.
llvm::json::Object reuseToJSON(const SharedMemoryReuse &Kernel);

/// Prints a kernel's reuse, a paragraph for each product, array and loop.
void printReuse(llvm::raw_ostream &OS, const KernelSites &Kernel,
                const SharedMemoryReuse &Reuse);

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_ADVICE_REUSE_SHAREDMEMORYREUSE_H
