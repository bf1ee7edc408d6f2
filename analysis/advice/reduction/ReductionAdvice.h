//===- ReductionAdvice.h - Use that a launch makes of memory ----*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Little's law: bandwidth times latency is what has to be under way. A launch
// with too few warps, each with a long serial loop over memory, does not reach
// it: sums of a thread each, mostly, or few blocks. Also sums and counters by
// atomics, and whether the cores of the host would be done before the GPU has
// begun.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ANALYSIS_ADVICE_REDUCTION_REDUCTIONADVICE_H
#define GRIDSPAN_ANALYSIS_ADVICE_REDUCTION_REDUCTIONADVICE_H

#include "analysis/advice/layout/Layout.h"
#include "llvm/Support/JSON.h"

namespace gridspan {

enum class ReductionKind {
  None,
  Serial,   ///< a thread gathers what it loads in a loop
  Block,    ///< the threads of a block join theirs: shuffles, shared memory
  Atomic,   ///< threads add to few addresses
  Counters, ///< threads add to few addresses that are loaded
};

/// "serial reduction", ... and "serial", ...
llvm::StringRef reductionName(ReductionKind Kind);
llvm::StringRef reductionKey(ReductionKind Kind);

enum class ReductionAdviceReason {
#define GRIDSPAN_REDUCTION_ADVICE_REASON(Kind, Name, Text) Kind,
#include "analysis/advice/reduction/ReductionAdviceReasons.def"
};
llvm::StringRef reductionAdviceReasonName(ReductionAdviceReason Reason);
llvm::StringRef reductionAdviceReasonText(ReductionAdviceReason Reason);

/// The bandwidth that a number of blocks reaches, predicted.
struct BlocksReach {
  double Blocks = 0, Seconds = 0, GBs = 0;
};

/// The same by the cores of the host, from its memory.
struct HostComparison {
  unsigned Cores = 0;
  double GBs = 0;     ///< that they read
  double Seconds = 0; ///< for the bytes of this launch
  /// The bytes from which on the GPU is faster: if each has the data in its own
  /// memory, and if they are copied to the GPU. 0: never.
  double PaysFromBytes = 0, CopiedPaysFromBytes = 0;
  /// Reads of copied data from which on the copy pays.
  double PassesForCopy = 0;
};

struct ReductionAdvice {
  ReductionKind Kind = ReductionKind::None;
  ReductionAdviceReason Reason =
      ReductionAdviceReason::None; ///< why nothing is advised
  double Bytes = 0;                ///< different ones that the launch loads
  double Warps = 0;                ///< resident at once
  double UnderWay = 0;             ///< bytes of all warps' loads at one time
  double NeededUnderWay = 0;       ///< for the bandwidth of DRAM
  ResourceTimes Now;
  double ReachedGBs = 0, BestGBs = 0; ///< of the loads, predicted
  double BestSeconds = 0;             ///< of what is advised
  double Trips = 1;                   ///< of the loop that loads
  /// Its loop steps with the grid: any number of blocks does the same.
  bool IsOfGrid = false;
  bool IsBareTree = false;           ///< blocks join one element of each thread
  double Blocks = 0;                 ///< of the launch
  double WantedBlocks = 0;           ///< of the launch's size if IsOfGrid
  unsigned WantedThreads = 256;      ///< of such a block
  std::vector<BlocksReach> ByBlocks; ///< of the advised form, ascending
  /// Sums of a warp that loads as wide as it can, where threads that are
  /// neighbours have sums of neighbouring elements; else 0.
  unsigned SumsAcross = 0;
  double CounterBytes = 0; ///< of the counters, with Counters
  HostComparison Host;
  bool IsRecommended = false;
  std::string Where;

  double gain() const { return Now.seconds() / BestSeconds; }
};

ReductionAdvice analyzeReductions(const KernelSites &Kernel,
                                  const WarpTrace &Trace,
                                  const LaunchValues &Launch,
                                  const MachineModel &Machine);

/// The stable name of what is advised.
llvm::StringRef reductionRule(const ReductionAdvice &P);
std::string reductionMessage(const ReductionAdvice &P);
std::string reductionAdvice(const ReductionAdvice &P);
/// Says in words from what size on the GPU pays.
std::string hostComparison(const ReductionAdvice &P);
/// Everything, for a kernel with a reduction or a reason.
llvm::json::Object reductionToJSON(const ReductionAdvice &P);

/// Prints the reduction of a kernel, or the reason why nothing is advised.
void printReductionAdvice(llvm::raw_ostream &OS, const ReductionAdvice &P);

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_ADVICE_REDUCTION_REDUCTIONADVICE_H
