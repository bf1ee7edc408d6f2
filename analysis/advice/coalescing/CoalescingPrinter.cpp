//===- CoalescingPrinter.cpp - Prints how warps use memory requests -------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prints each kernel in this form, with each site on one line:
//
//     kernel NAME, block 32x8x1, grid 32x128x1
//       load 4 of arg0: coalesced, sectors 4 (ideal 4) a request, ...
//         requests 1024, lane stride 4 [site 0, file:line:col]
//       store 4 of arg1: unknown, REASON [site 1]
//
// Numbers that were sampled or rest on an assumption have a '~' before them.
//
//===----------------------------------------------------------------------===//

#include "analysis/advice/coalescing/Coalescing.h"
#include "analysis/advice/coalescing/VectorizedCopy.h"
#include "analysis/machine/WarpRequest.h"
#include "analysis/nvptx/Kernels.h"
#include "analysis/summary/Access.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace gridspan {

static void printShape(raw_ostream &OS, const std::array<uint32_t, 3> &Shape) {
  OS << Shape[0] << 'x' << Shape[1] << 'x' << Shape[2];
}

static void printTraffic(raw_ostream &OS, const MemorySite &Site,
                         const SiteCoalescing &S, const ExprGraph &Graph,
                         bool IsNarrow) {
  const SiteTraffic &T = S.Traffic;
  if (!T.Sums) {
    OS << ", " << T.Why;
    return;
  }
  const TrafficSums &Sums = *T.Sums;
  if (Sums.Requests == 0) {
    if (S.Elsewhere) {
      OS << ", " << accessClassName(S.ElsewhereClass) << " where arg"
         << S.Elsewhere->Param;
      if (S.Elsewhere->ByteOffset)
        OS << '+' << S.Elsewhere->ByteOffset;
      OS << " is " << S.Elsewhere->Value;
    }
    return;
  }
  bool IsGlobal = Site.Space == MemorySpace::Global;
  StringRef About = T.IsExact ? "" : "~";
  auto Number = [](double V) { return format("%.5g", V); };
  OS << (IsGlobal ? ", sectors " : ", wavefronts ") << About
     << Number(Sums.Units / Sums.Requests) << " (ideal "
     << Number(Sums.Ideal / Sums.Requests) << ") a request";
  if (Sums.MinUnits != Sums.MaxUnits)
    OS << ", " << Sums.MinUnits << " to " << Sums.MaxUnits;
  if (IsGlobal && Sums.WorstUnits > Sums.Units)
    OS << ", up to " << Number(Sums.WorstUnits / Sums.Requests)
       << " if misaligned";
  OS << ", requests " << About << Number(Sums.Requests);
  if (S.Stride[0] != NoExpr) {
    OS << ", lane stride ";
    Graph.print(OS, S.Stride[0]);
  } else if (T.LaneStride) {
    OS << ", lane stride " << About << *T.LaneStride;
  }
  // Of whole warps at fixed distances the numbers above say it all.
  std::optional<int64_t> Fixed;
  if (S.Stride[0] != NoExpr)
    Fixed = Graph.constantValue(S.Stride[0]);
  if (IsGlobal && S.Stride[0] != NoExpr &&
      (!Fixed || (IsNarrow && *Fixed != 0))) {
    if (S.SectorsOfWarp != NoExpr) {
      OS << ", sectors of a warp ";
      Graph.print(OS, S.SectorsOfWarp);
    } else if (S.NoSectors != WarpSectorsReason::None) {
      OS << ", no closed form: " << warpSectorsReasonName(S.NoSectors);
    }
  }
  if (!T.AreGuardsKnown)
    OS << ", condition unknown";
  if (!T.AreTripCountsKnown)
    OS << ", trip count unknown";
  if (T.DoLoopsDiverge)
    OS << ", lanes leave a loop one by one";
  if (!S.Open.empty())
    OS << ", lanes share what is unknown: " << S.Open;
}

void printCoalescing(raw_ostream &OS, const KernelCoalescing &K,
                     MemorySpace Space) {
  OS << "kernel " << K.Kernel.Name << ", block ";
  printShape(OS, K.Launch.Block);
  OS << ", grid ";
  printShape(OS, K.Launch.Grid);
  if (K.Launch.DynamicShared)
    OS << ", " << K.Launch.DynamicShared << " bytes of dynamic shared memory";
  OS << '\n';
  for (size_t I = 0; I != K.Sites.size(); ++I) {
    const MemorySite &Site = K.Kernel.Sites[I];
    if (Site.Space != Space)
      continue;
    OS << "  " << siteKindName(Site.Kind) << ' ' << Site.Size;
    if (Site.Piece != Site.Size)
      OS << " by " << Site.Piece;
    OS << " of " << (Site.Base.empty() ? "unknown memory" : Site.Base) << ": "
       << accessClassName(K.Sites[I].Class);
    printTraffic(OS, Site, K.Sites[I], K.Kernel.Exprs,
                 K.Launch.Block[0] < WarpSize);
    ListSeparator Comma;
    OS << " [";
    if (Site.Site != NoSite)
      OS << Comma << "site " << Site.Site;
    if (!Site.Where.empty())
      OS << Comma << Site.Where;
    OS << "]\n";
    if (std::string Advice = coalescingAdvice(K, I); !Advice.empty())
      OS << "    " << Advice << '\n';
  }
}

PreservedAnalyses CoalescingPrinterPass::run(Module &M,
                                             ModuleAnalysisManager &MAM) {
  auto &FAM = MAM.getResult<FunctionAnalysisManagerModuleProxy>(M).getManager();
  VectorizedCopy Copy(M, FAM);
  for (Function *Kernel : kernelsOf(Copy.module()))
    printCoalescing(
        OS,
        analyzeCoalescing(
            collectMemorySites(*Kernel, KernelAnalyses::get(*Kernel, FAM)),
            Known, Options),
        Space);
  return PreservedAnalyses::all();
}

} // namespace gridspan
