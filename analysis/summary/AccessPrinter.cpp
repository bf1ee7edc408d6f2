//===- AccessPrinter.cpp - Prints the accesses of a kernel ----------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   kernel NAME
//     pointer argN[+OFFSET]: read write, replicable
//       read 4 bytes at EXPRESSION (exact) [site N, file:line:col]
//     any memory:
//       write: unknown, REASON [site N]
//       read: unknown, REASON; inspected: 4 bytes at EXPRESSION [site N]
//       read: unknown, REASON; not inspected: NAME [site N]
//     work: 12 + 9 * (trips)
//     atomics: 0.5 + 1 * (trips)
//
//===----------------------------------------------------------------------===//

#include "analysis/nvptx/Kernels.h"
#include "analysis/summary/Access.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace gridspan {

static void printModes(raw_ostream &OS, uint32_t Modes) {
  ListSeparator Space(" ");
  if (!Modes)
    OS << "not accessed";
  if (Modes & GridspanRead)
    OS << Space << "read";
  if (Modes & GridspanWrite)
    OS << Space << "write";
  if (Modes & GridspanAtomic)
    OS << Space << "atomic";
}

static void printAccess(raw_ostream &OS, const KernelSummary &Kernel,
                        const AccessSummary &Access) {
  const ExprGraph &Graph = Kernel.Exprs;
  auto PrintExtent = [&](ExprId Offset) {
    OS << ' ';
    if (Access.Length == NoExpr)
      OS << Access.ElementSize;
    else
      Graph.print(OS, Access.Length);
    OS << " bytes at ";
    Graph.print(OS, Offset);
  };
  OS << "    ";
  printModes(OS, Access.Mode);
  if (Graph[Access.Offset].Kind == ExprKind::Unknown) {
    OS << ": unknown, " << Access.Why;
  } else {
    PrintExtent(Access.Offset);
    if (Access.ExactIfEvaluated)
      OS << " (exact)";
  }
  if (Access.Inspected != NoExpr) {
    OS << "; inspected:";
    PrintExtent(Access.Inspected);
  } else if (!Access.WhyNotInspected.empty()) {
    OS << "; not inspected: " << Access.WhyNotInspected;
  }
  OS << " [site " << Access.Site;
  if (!Access.Where.empty())
    OS << ", " << Access.Where;
  OS << "]\n";
}

/// Prints the sum of the terms that Factor is not 0 of.
static void printTerms(raw_ostream &OS, const KernelSummary &Kernel,
                       double WorkTerm::*Factor) {
  ListSeparator Plus(" + ");
  for (const WorkTerm &Term : Kernel.Work) {
    if (Term.*Factor == 0)
      continue;
    OS << Plus << format("%g", Term.*Factor);
    for (ExprId Trips : Term.TripCounts) {
      OS << " * ";
      Kernel.Exprs.print(OS, Trips);
    }
  }
}

static void printWork(raw_ostream &OS, const KernelSummary &Kernel) {
  OS << "  work: ";
  printTerms(OS, Kernel, &WorkTerm::IssueCost);
  if (Kernel.Flags & GridspanWorkIsGuess)
    OS << " (a guess)";
  if (Kernel.Flags & GridspanWorkIsUnknown)
    OS << " (unknown)";
  OS << '\n';
  if (none_of(Kernel.Work, [](const WorkTerm &T) { return T.Atomics != 0; }))
    return;
  OS << "  atomics: ";
  printTerms(OS, Kernel, &WorkTerm::Atomics);
  OS << '\n';
}

void printAccesses(raw_ostream &OS, const KernelSummary &Kernel) {
  OS << "kernel " << Kernel.Name;
  if (Kernel.MaxThreads)
    OS << ", at most " << Kernel.MaxThreads << " threads a block";
  OS << '\n';
  for (size_t P = 0, E = Kernel.Pointers.size(); P != E; ++P) {
    const PointerSummary &Pointer = Kernel.Pointers[P];
    OS << "  pointer arg" << Pointer.Param;
    if (Pointer.ByteOffset)
      OS << '+' << Pointer.ByteOffset;
    OS << ": ";
    printModes(OS, Pointer.Modes);
    OS << (Pointer.Replicable     ? ", replicable\n"
           : Pointer.Redirectable ? ", redirectable\n"
                                  : "\n");
    for (const AccessSummary &Access : Kernel.Accesses)
      if (Access.Pointer == int32_t(P))
        printAccess(OS, Kernel, Access);
  }
  if (any_of(Kernel.Accesses,
             [](const AccessSummary &Access) { return Access.Pointer < 0; }))
    OS << "  any memory:\n";
  for (const AccessSummary &Access : Kernel.Accesses)
    if (Access.Pointer < 0)
      printAccess(OS, Kernel, Access);
  printWork(OS, Kernel);
}

PreservedAnalyses AccessPrinterPass::run(Module &M,
                                         ModuleAnalysisManager &MAM) {
  auto &FAM = MAM.getResult<FunctionAnalysisManagerModuleProxy>(M).getManager();
  for (Function *Kernel : kernelsOf(M))
    printAccesses(OS, FAM.getResult<KernelSummaryAnalysis>(*Kernel));
  return PreservedAnalyses::all();
}

} // namespace gridspan
