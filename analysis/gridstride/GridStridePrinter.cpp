//===- GridStridePrinter.cpp - Prints grid-stride loops -------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   kernel NAME
//     repartitioned: axis x, by threads, scale 1, from 0 + 1 * %value
//     REFUSAL-NAME: why a loop keeps its distribution at file:line:col
//     own element: argN[+OFFSET] ...
//     in a grid of any size along: x ...
//
//===----------------------------------------------------------------------===//

#include "analysis/gridstride/GridStride.h"
#include "analysis/nvptx/Kernels.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace gridspan {

PreservedAnalyses GridStridePrinterPass::run(Module &M,
                                             ModuleAnalysisManager &MAM) {
  auto &FAM = MAM.getResult<FunctionAnalysisManagerModuleProxy>(M).getManager();
  for (Function *Kernel : kernelsOf(M)) {
    const GridStrideResult &Found = FAM.getResult<GridStrideAnalysis>(*Kernel);
    OS << "kernel " << Kernel->getName() << '\n';
    for (const GridStrideLoop &G : Found.Loops) {
      OS << "  repartitioned: axis " << "xyz"[G.Axis] << ", by "
         << (G.PerBlock ? "blocks" : "threads") << ", scale " << G.Scale
         << ", from " << G.Constant;
      for (const auto &[Factor, Term] : G.Terms)
        OS << " + " << Factor << " * " << *Term;
      OS << '\n';
    }
    for (const StrideRefusal &R : Found.Refusals)
      OS << "  " << strideRefusalName(R.Kind) << ": " << R.message() << '\n';
    if (!Found.OwnElement.empty())
      OS << "  own element:";
    for (const auto &[Param, Offset] : Found.OwnElement) {
      OS << " arg" << Param;
      if (Offset)
        OS << '+' << Offset;
    }
    if (!Found.OwnElement.empty())
      OS << '\n';
    if (is_contained(Found.Elastic, true))
      OS << "  in a grid of any size along:";
    for (unsigned Axis = 0; Axis != 3; ++Axis)
      if (Found.Elastic[Axis])
        OS << ' ' << "xyz"[Axis];
    if (is_contained(Found.Elastic, true))
      OS << '\n';
  }
  return PreservedAnalyses::all();
}

} // namespace gridspan
