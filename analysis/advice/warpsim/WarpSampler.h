//===- WarpSampler.h - Blocks, warps and iterations of a launch -*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one place that says which warps a launch has, which of their lanes get
// to an instruction, and how often their loops go round. SiteTraffic,
// KernelWalk and WarpTrace differ only in the positions that they visit and in
// what they gather there.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ANALYSIS_ADVICE_WARPSIM_WARPSAMPLER_H
#define GRIDSPAN_ANALYSIS_ADVICE_WARPSIM_WARPSAMPLER_H

#include "analysis/advice/sites/MemorySites.h"
#include "analysis/expr/WarpEval.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace gridspan {

/// A position along an axis or in a loop that stands for Weight of them.
struct SamplePosition {
  uint64_t At;
  double Weight;
};

/// Returns at most Limit of Count positions, with weights that add up to Count.
/// The first and the last, where guards and alignment differ, stand for
/// themselves, and spread inner ones for all others.
std::vector<SamplePosition> samplePositions(uint64_t Count, uint64_t Limit);

/// Returns the positions Of Count ones, which WorkOf says the work of, with the
/// two around each place at which the work becomes several times as much or as
/// little, and with the weights that follow. Returns Of itself if there are
/// more such places than two: then the work has no few steps.
std::vector<SamplePosition>
withStepsFound(std::vector<SamplePosition> Of, uint64_t Count,
               llvm::function_ref<double(uint64_t)> WorkOf);

/// The iterations that the lanes of a warp make of a loop.
struct LaneTrips {
  std::array<uint64_t, WarpSize> OfLane = {}; ///< 0: it does not enter
  uint64_t Most = 0;
  bool IsKnown = true;    ///< in all lanes; else bounds, or UnknownTrips
  bool IsBounded = false; ///< known in some lane, at least as a bound
  bool IsUniform = true;

  /// Leaves out iterations from number Limit on.
  void limit(uint64_t Limit);
  /// Returns the lanes of Mask that make iteration K.
  uint32_t runningIn(uint64_t K, uint32_t Mask) const;
};

/// A walk over a launch stands in one block, warp and iteration of each loop,
/// which the setters change. Threads of a block are numbered with x fastest and
/// partitioned into warps of 32, so that a warp may span rows.
class WarpSampler {
public:
  /// Graph, launch and memo must outlive it; the graph must not grow.
  WarpSampler(const ExprGraph &Graph, const LaunchValues &Launch,
              LaunchMemo *Memo = nullptr)
      : Graph(Graph), Launch(Launch), Eval(Graph, Launch, Memo) {}

  uint64_t numBlocks() const;
  unsigned warpsPerBlock() const;
  /// Returns the index of the block with the given number, x fastest.
  std::array<uint32_t, 3> blockAt(uint64_t Number) const;

  void setBlock(const std::array<uint32_t, 3> &Index) { Eval.setBlock(Index); }
  void setWarp(unsigned Number) { Eval.setWarp(Number); }
  void setIteration(int64_t Loop, uint64_t K) { Eval.setIteration(Loop, K); }
  void setTry(unsigned Number) { Eval.setTry(Number); }

  /// Returns the lanes that the block has threads for.
  uint32_t lanes() const { return Eval.lanes(); }
  ConcreteValue value(ExprId Id, unsigned Lane) { return Eval.value(Id, Lane); }

  struct Reaching {
    uint32_t Lanes = 0; ///< in which no guard certainly fails
    uint32_t Open = 0;  ///< of them, those in which one is unknown
  };
  /// Returns the lanes of Mask that get past the guards.
  Reaching reaching(llvm::ArrayRef<ExprId> Guards, uint32_t Mask);

  /// Returns the trips of the lanes of Mask, with outer loops where they stand.
  /// The loop may stand in another iteration afterwards.
  LaneTrips tripsOf(const SiteLoop &Loop, uint32_t Mask);

  /// Returns the site's guards that depend neither on its loop number Depth
  /// nor on loops inside of that one: they say which lanes enter it.
  llvm::SmallVector<ExprId, 4> guardsBefore(const MemorySite &Site,
                                            size_t Depth) const;

private:
  std::optional<LaneTrips> followedTrips(const SiteLoop &Loop, uint32_t Mask);

  const ExprGraph &Graph;
  const LaunchValues &Launch;
  WarpEval Eval;
};

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_ADVICE_WARPSIM_WARPSAMPLER_H
