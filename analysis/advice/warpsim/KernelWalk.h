//===- KernelWalk.h - Warps on their way through a kernel -------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Follows warps through the blocks of a kernel, with the numbers of a launch:
// how often each block is executed, and which memory requests a warp makes one
// after the other. A block counts for a warp as soon as one lane gets there.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ANALYSIS_ADVICE_WARPSIM_KERNELWALK_H
#define GRIDSPAN_ANALYSIS_ADVICE_WARPSIM_KERNELWALK_H

#include "analysis/advice/warpsim/WarpSampler.h"
#include "analysis/machine/MachineModel.h"

namespace gridspan {

/// Executions of a block in the whole launch.
struct BlockCount {
  double Warps = 0; ///< by a warp with an active lane
  double Lanes = 0; ///< active lanes in them
};

struct LaunchCounts {
  std::vector<BlockCount> Blocks; ///< beside KernelSites::Blocks
  /// Executions of each block by each of the warps that were looked at.
  std::vector<std::vector<double>> OfWarps;
  /// The share of the launch's blocks that each block looked at stands for.
  /// Each has as many warps in OfWarps as the others, one after the other.
  std::vector<double> BlockShares;
  bool AreTripCountsKnown = true, AreGuardsKnown = true;
};

/// One request of a warp.
struct TracedAccess {
  unsigned Site = 0; ///< index
  unsigned Lanes = 0;
  unsigned Units = 0;     ///< sectors; passes over the banks in shared memory
  unsigned Lines = 0;     ///< of 128 bytes
  unsigned Passes = 0;    ///< over the banks of L1
  double Cycles = 0;      ///< of the load unit; of global memory
  unsigned Addresses = 0; ///< different ones
  bool IsKnown = true;    ///< else each lane has a sector of its own
  size_t First = 0;       ///< its sectors in WarpRequests::Sectors, if global
};

struct WarpRequests {
  std::vector<TracedAccess> Accesses;
  /// Sector numbers; different bases are far apart.
  std::vector<uint64_t> Sectors;
  std::vector<uint32_t> Touched; ///< a bit for each byte of a sector
};

/// Kernel, launch and machine must outlive it.
class KernelWalk {
public:
  KernelWalk(const KernelSites &Kernel, const LaunchValues &Launch,
             const MachineModel &Machine);

  LaunchCounts count();
  /// The requests of a warp of the block with the given number (x fastest); of
  /// each loop the first iterations, or the middle one if that is all. MaxTrips
  /// is how many at most, of outermost loops first; the last one holds for all
  /// further in.
  WarpRequests trace(uint64_t Block, unsigned Warp,
                     llvm::ArrayRef<uint64_t> MaxTrips);

  /// Returns true if a trace so far left out iterations of a loop.
  bool isShortened() const { return IsShortened; }

  uint64_t numBlocks() const { return Sampler.numBlocks(); }
  unsigned warpsPerBlock() const { return Sampler.warpsPerBlock(); }

private:
  std::vector<std::vector<BlockCount>>
  countWarps(uint64_t Block, llvm::ArrayRef<SamplePosition> Warps);
  void walk(size_t Begin, size_t End, size_t Depth, uint32_t Mask,
            double Weight);
  void visit(size_t Block, uint32_t Mask, double Weight);
  void visitLoop(size_t Begin, size_t End, size_t Depth, uint32_t Mask,
                 double Weight);
  void addAccess(unsigned Site, uint32_t Mask);
  uint32_t reaching(size_t Block, uint32_t Mask);

  const KernelSites &Kernel;
  const MachineModel &Machine;
  WarpSampler Sampler;
  std::vector<std::vector<unsigned>> SitesOf; ///< by block
  std::map<std::string, unsigned> Bases;
  LaunchCounts Counts;
  std::vector<BlockCount> OfWarp;    ///< of the warp that is being counted
  WarpRequests *Trace = nullptr;     ///< not counting
  llvm::ArrayRef<uint64_t> MaxTrips; ///< of a trace
  bool IsShortened = false;
  uint64_t NextUnknown = 0;
};

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_ADVICE_WARPSIM_KERNELWALK_H
