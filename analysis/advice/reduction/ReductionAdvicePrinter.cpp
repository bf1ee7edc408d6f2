//===- ReductionAdvicePrinter.cpp - Prints advice about reductions --------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The lines of one kernel:
//
//       serial reduction reaches about 80 of 4200 GB/s, bound by the latency...
//         ADVICE, or "stays: REASON"
//         GB/s by blocks: 66: 1320 132: 2400 ...
//         for less than 1.2 MB 16 cores of the host are faster ...
//
//===----------------------------------------------------------------------===//

#include "analysis/advice/reduction/ReductionAdvice.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace gridspan {

void printReductionAdvice(raw_ostream &OS, const ReductionAdvice &P) {
  if (P.Kind != ReductionKind::None)
    OS << "  " << reductionMessage(P) << '\n';
  if (P.IsRecommended)
    OS << "    " << reductionAdvice(P) << '\n';
  else if (P.Reason != ReductionAdviceReason::None)
    OS << (P.Kind == ReductionKind::None ? "  no advice: " : "    stays: ")
       << reductionAdviceReasonName(P.Reason) << ", "
       << reductionAdviceReasonText(P.Reason) << '\n';
  if (!P.ByBlocks.empty()) {
    OS << "    GB/s by blocks:";
    for (const BlocksReach &R : P.ByBlocks)
      OS << formatv(" {0:f0}: {1:f0}", R.Blocks, R.GBs);
    OS << "\n    " << hostComparison(P) << '\n';
  }
}

} // namespace gridspan
