//===- SharedMemoryReusePrinter.cpp - Prints reuse and parallelism --------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//     kernel NAME
//       serial reduction reaches about 80 of 4200 GB/s, bound by the latency...
//         ADVICE, or "stays: REASON"
//         GB/s by blocks: 66: 1320 132: 2400 ...
//         for less than 1.2 MB 16 cores of the host are faster ...
//       the threads of a block read 1084 bytes of arg0 15.1 times each, ...
//         ADVICE, or "stays: REASON"
//       the load from arg1 is repeated in each iteration, ...
//         ADVICE
//
//===----------------------------------------------------------------------===//

#include "analysis/advice/reduction/ReductionAdvice.h"
#include "analysis/advice/reuse/SharedMemoryReuse.h"
#include "analysis/nvptx/Kernels.h"
#include "analysis/summary/Access.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace gridspan {

static void printReason(raw_ostream &OS, ReuseReason Reason) {
  OS << "stays: " << reuseReasonName(Reason) << ", " << reuseReasonText(Reason)
     << '\n';
}

static void print(raw_ostream &OS, const KernelLayout &K,
                  const KernelReuse &Reuse, const ReductionAdvice &P) {
  OS << "kernel " << K.Kernel.Name << '\n';
  if (P.Kind != ReductionKind::None)
    OS << "  " << parallelismMessage(P) << '\n';
  if (P.IsRecommended)
    OS << "    " << parallelismAdvice(P) << '\n';
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
  for (const TiledProduct &Product : Reuse.Products) {
    OS << "  " << productMessage(Product) << "\n    ";
    if (Product.IsRecommended)
      OS << productAdvice(Reuse, Product) << '\n';
    else
      printReason(OS, Product.Reason);
  }
  for (const ArrayReuse &A : Reuse.Arrays) {
    if (A.LoadedBytes == 0) {
      OS << "  " << A.Base << " ";
      printReason(OS, A.Reason);
    } else if (A.factor() >= 2) {
      OS << "  " << reuseMessage(A) << "\n    ";
      if (A.IsRecommended)
        OS << reuseAdvice(Reuse, A) << '\n';
      else if (A.Reason == ReuseReason::None)
        OS << "stays: the tiles of the product have it\n";
      else
        printReason(OS, A.Reason);
    }
  }
  for (const OrderedLoad &L : Reuse.Ordered)
    if (L.IsRecommended)
      OS << "  " << orderedMessage(K.Kernel, L) << "\n    "
         << orderedAdvice(K.Kernel, Reuse, L) << '\n';
}

PreservedAnalyses ReusePrinterPass::run(Module &M, ModuleAnalysisManager &MAM) {
  auto &FAM = MAM.getResult<FunctionAnalysisManagerModuleProxy>(M).getManager();
  for (Function *Kernel : kernelsOf(M)) {
    const MachineModel &Machine =
        machineModelFor(architectureOf(*Kernel), Given);
    KernelLayout K = analyzeLayout(
        collectMemorySites(*Kernel, KernelAnalyses::get(*Kernel, FAM)), Known,
        Machine);
    print(OS, K, analyzeReuse(K.Kernel, K.Trace, K.Launch, Machine),
          analyzeReductions(K.Kernel, K.Trace, K.Launch, Machine));
  }
  return PreservedAnalyses::all();
}

} // namespace gridspan
