//===- ReusePrinter.cpp - Prints reuse and reductions ---------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prints each kernel in this form:
//
//     kernel NAME
//       lines of printReductionAdvice()
//       lines of printReuse()
//
//===----------------------------------------------------------------------===//

#include "analysis/advice/ReusePrinter.h"
#include "analysis/advice/layout/Layout.h"
#include "analysis/advice/reduction/ReductionAdvice.h"
#include "analysis/advice/reuse/SharedMemoryReuse.h"
#include "analysis/nvptx/Kernels.h"
#include "analysis/summary/Access.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace gridspan {

PreservedAnalyses ReusePrinterPass::run(Module &M, ModuleAnalysisManager &MAM) {
  auto &FAM = MAM.getResult<FunctionAnalysisManagerModuleProxy>(M).getManager();
  for (Function *Kernel : kernelsOf(M)) {
    const MachineModel &Machine =
        machineModelFor(architectureOf(*Kernel), Given);
    KernelLayout K = analyzeLayout(
        collectMemorySites(*Kernel, KernelAnalyses::get(*Kernel, FAM)), Known,
        Machine);
    OS << "kernel " << K.Kernel.Name << '\n';
    printReductionAdvice(
        OS, analyzeReductions(K.Kernel, K.Trace, K.Launch, Machine));
    printReuse(OS, K.Kernel,
               analyzeReuse(K.Kernel, K.Trace, K.Launch, Machine));
  }
  return PreservedAnalyses::all();
}

} // namespace gridspan
