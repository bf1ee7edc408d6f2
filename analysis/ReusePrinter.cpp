//===- ReusePrinter.cpp - Prints reuse and parallelism -------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//     kernel NAME
//       serial reduction reaches about 80 of 4200 GB/s, bound by the latency...
//         ADVICE
//       the threads of a block read 1084 bytes of arg0 15.1 times each, ...
//         ADVICE, or "stays: served by L1"
//       the load from arg1 is repeated in each iteration, ...
//         ADVICE
//
//===----------------------------------------------------------------------===//

#include "gridspan/Analysis/Access.h"
#include "gridspan/Analysis/Kernels.h"
#include "gridspan/Analysis/Parallelism.h"
#include "gridspan/Analysis/Reuse.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace gridspan {

static void print(raw_ostream &OS, const KernelLayout &K,
                  const KernelReuse &Reuse, const KernelParallelism &P) {
  OS << "kernel " << K.Kernel.Name << '\n';
  if (P.Kind != ReductionKind::None) {
    OS << "  " << parallelismMessage(P) << '\n';
    if (P.IsRecommended)
      OS << "    " << parallelismAdvice(P) << '\n';
  }
  for (const ArrayReuse &A : Reuse.Arrays) {
    if (A.factor() < 2)
      continue;
    OS << "  " << reuseMessage(A) << "\n    "
       << (A.IsRecommended ? reuseAdvice(Reuse, A) : "stays: served by L1")
       << '\n';
  }
  for (const OrderedLoad &L : Reuse.Ordered)
    if (L.IsRecommended)
      OS << "  " << orderedMessage(K.Kernel, L) << "\n    "
         << orderedAdvice(K.Kernel, Reuse, L) << '\n';
}

PreservedAnalyses ReusePrinterPass::run(Module &M, ModuleAnalysisManager &MAM) {
  auto &FAM = MAM.getResult<FunctionAnalysisManagerModuleProxy>(M).getManager();
  for (Function *Kernel : kernelsOf(M)) {
    const MachineModel &Machine = machineModelFor(architectureOf(*Kernel));
    KernelLayout K = analyzeLayout(
        collectMemorySites(*Kernel, KernelAnalyses::get(*Kernel, FAM)), Known,
        Machine);
    print(OS, K, analyzeReuse(K.Kernel, K.Trace, Machine),
          analyzeParallelism(K.Kernel, K.Trace, K.Launch, Machine));
  }
  return PreservedAnalyses::all();
}

} // namespace gridspan
