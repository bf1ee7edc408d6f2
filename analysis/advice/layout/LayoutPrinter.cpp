//===- LayoutPrinter.cpp - Prints which layout serves best ----------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//     kernel NAME, block 256x1x1, grid 4x1x1
//       array arg0 (struct.P), 32 bytes, fields 0:4 4:4 8:4
//         aos 12.3 us (load and store units), aligned 4.0 us (DRAM), ...
//         ADVICE, or "stays: REASON"
//
//===----------------------------------------------------------------------===//

#include "analysis/advice/layout/Layout.h"
#include "analysis/nvptx/Kernels.h"
#include "analysis/summary/Access.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace gridspan {

void printLayout(raw_ostream &OS, const KernelLayout &K) {
  const auto &B = K.Launch.Block, &G = K.Launch.Grid;
  OS << formatv("kernel {0}, block {1}x{2}x{3}, grid {4}x{5}x{6}\n",
                K.Kernel.Name, B[0], B[1], B[2], G[0], G[1], G[2]);
  for (const StructRefusal &R : K.Refusals)
    OS << "  " << R.Base << ": " << R.Why << '\n';
  for (const ArrayLayout &A : K.Arrays) {
    OS << "  array" << (A.Array.isApart() ? "s " : " ")
       << (A.Array.isApart() ? join(A.Array.Apart, ", ") : A.Array.Base);
    if (!A.Array.Name.empty())
      OS << " (" << A.Array.Name << ')';
    OS << ", " << A.Array.RecordBytes << " bytes, fields";
    for (const StructField &F : A.Array.Fields)
      OS << ' ' << F.Offset << ':' << F.Bytes;
    OS << "\n    ";
    ListSeparator Comma;
    for (const FormTime &F : A.Forms)
      OS << Comma << layoutKey(F.Form)
         << formatv(" {0:f2} us ({1})", F.Time.seconds() * 1e6,
                    resourceName(F.Time.limit()));
    OS << "\n    ";
    if (A.Best)
      OS << layoutAdvice(A);
    else
      OS << "stays: " << layoutReasonName(A.Reason) << ", "
         << layoutReasonText(A.Reason);
    OS << '\n';
  }
}

PreservedAnalyses LayoutPrinterPass::run(Module &M,
                                         ModuleAnalysisManager &MAM) {
  auto &FAM = MAM.getResult<FunctionAnalysisManagerModuleProxy>(M).getManager();
  for (Function *Kernel : kernelsOf(M))
    printLayout(
        OS,
        analyzeLayout(
            collectMemorySites(*Kernel, KernelAnalyses::get(*Kernel, FAM)),
            Known, machineModelFor(architectureOf(*Kernel), Options.Machine),
            Options));
  return PreservedAnalyses::all();
}

} // namespace gridspan
