//===- Main.cpp - Compare access ranges with a trace ----------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Usage: gridspan-check-ranges [--arguments | --sectors] PROGRAM TRACE. Takes
// the kernel summaries out of the program (an executable or object file) and
// compares the ranges that they give with what a run of it touched
// (GRIDSPAN_TRACE_ACCESS). Prints totals, or with --arguments JSON with the
// predicted and touched bytes of every pointer argument, by tile
// (ArgumentTightness.h), or with --sectors how predicted sectors of warp
// requests compare (SectorCheck.h). Exits with 1 when the trace contradicts the
// analysis.
//
//===----------------------------------------------------------------------===//

#include "analysis/summary/Payload.h"
#include "tools/access-trace/AccessTraceReader.h"
#include "tools/gridspan-check-ranges/ArgumentTightness.h"
#include "tools/gridspan-check-ranges/RangeCheck.h"
#include "tools/gridspan-check-ranges/SectorCheck.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace gridspan;

static int fail(const Twine &Text) {
  errs() << "gridspan-check-ranges: " << Text << '\n';
  return 2;
}

/// The summaries of all modules in the program; device code goes to Sectors
/// where it is wanted.
static Expected<std::vector<ModuleSummary>>
readSummaries(StringRef Path, SectorCheck *Sectors) {
  auto Buffer = MemoryBuffer::getFile(Path, /*IsText=*/false);
  if (!Buffer)
    return createStringError(Buffer.getError(), "cannot read %s",
                             Path.str().c_str());
  auto Payloads = findPayloads((*Buffer)->getBuffer());
  if (!Payloads)
    return Payloads.takeError();
  std::vector<ModuleSummary> Out;
  for (const Payload &P : *Payloads) {
    if (P.Kind == PayloadKind::Bitcode && Sectors)
      if (Error E = Sectors->add(P.Contents))
        return E;
    if (P.Kind != PayloadKind::Summary)
      continue;
    Expected<json::Value> V = json::parse(P.Contents);
    if (!V)
      return V.takeError();
    Expected<ModuleSummary> Summary = moduleSummaryFromJSON(*V);
    if (!Summary)
      return Summary.takeError();
    Out.push_back(std::move(*Summary));
  }
  return Out;
}

static void printTotals(RangeStatistics &S) {
  llvm::sort(S.Tightness);
  auto Quantile = [&](double Q) {
    return S.Tightness.empty()
               ? 0.0
               : S.Tightness[static_cast<size_t>(Q * (S.Tightness.size() - 1))];
  };
  auto Within = [&](double Limit) {
    return llvm::upper_bound(S.Tightness, Limit) - S.Tightness.begin();
  };
  outs() << formatv("launches {0}, checks {1}, unknown {2}, exact {3}, within "
                    "1.1x {4}, violations {5}\n",
                    S.Launches, S.Checks, S.Unknown, S.Exact, Within(1.1),
                    S.Violations.size());
  outs() << formatv("predicted / touched bytes: median {0:f3}, 90% {1:f3}, "
                    "worst {2:f3}\n",
                    Quantile(0.5), Quantile(0.9), Quantile(1));
}

static void printArguments(json::OStream &Out, const KernelSummary &Kernel,
                           const KernelTightness &Tightness) {
  Out.object([&] {
    Out.attribute("kernel", Kernel.Name);
    Out.attribute("any_memory", Tightness.AnyMemory);
    Out.attributeArray("arguments", [&] {
      for (auto [Pointer, T] : zip(Kernel.Pointers, Tightness.Arguments))
        if (Pointer.Modes)
          Out.object([&, &Pointer = Pointer, &T = T] {
            Out.attribute("parameter", Pointer.Param);
            Out.attribute("offset", Pointer.ByteOffset);
            Out.attribute("modes", Pointer.Modes);
            Out.attribute("tiles", T.Tiles);
            Out.attribute("predicted", T.PredictedBytes);
            Out.attribute("touched", T.TouchedBytes);
            Out.attribute("is_exact", T.IsExact);
            Out.attribute("says_exact", T.SaysExact);
            Out.attribute("unknown", T.Unknown);
          });
    });
  });
}

static int printSectors(const SectorStatistics &S) {
  for (const Violation &V : S.Violations)
    outs() << formatv("violation: {0}, launch {1}, site {2}: {3}\n", V.Kernel,
                      V.Launch, V.Site, V.Text);
  outs() << formatv("sites {0}, unknown {1}, exact {2}, sectors {3}, "
                    "violations {4}\n",
                    S.Sites, S.Unknown, S.Exact,
                    static_cast<uint64_t>(S.Sectors), S.Violations.size());
  return S.Violations.empty() ? 0 : 1;
}

int main(int Argc, char **Argv) {
  bool ByArgument = Argc == 4 && StringRef(Argv[1]) == "--arguments";
  bool BySector = Argc == 4 && StringRef(Argv[1]) == "--sectors";
  if (Argc != 3 && !ByArgument && !BySector) {
    errs() << "usage: gridspan-check-ranges [--arguments | --sectors] PROGRAM "
              "TRACE\n";
    return 2;
  }
  const char *Program = Argv[Argc - 2], *Trace = Argv[Argc - 1];
  SectorCheck Sectors;
  Expected<std::vector<ModuleSummary>> Modules =
      readSummaries(Program, BySector ? &Sectors : nullptr);
  if (!Modules)
    return fail(toString(Modules.takeError()));
  StringMap<const KernelSummary *> Kernels;
  for (const ModuleSummary &Module : *Modules)
    for (const KernelSummary &Kernel : Module.Kernels)
      Kernels[Kernel.Name] = &Kernel;

  // Launches of different streams may be mixed in the file.
  std::map<uint32_t, std::pair<TracedLaunch, std::vector<TracedRequest>>> Runs;
  AccessTraceReader Reader(Trace);
  while (true) {
    auto Record = Reader.next();
    if (auto *Launch = std::get_if<TracedLaunch>(&Record))
      Runs[Launch->Id].first = std::move(*Launch);
    else if (auto *Request = std::get_if<TracedRequest>(&Record))
      Runs[Request->Launch].second.push_back(std::move(*Request));
    else
      break;
  }
  if (!Reader.error().empty())
    return fail(Reader.error());

  RangeStatistics Statistics;
  SectorStatistics SectorTotals;
  MapVector<const KernelSummary *, KernelTightness> Tightness;
  for (const auto &[Id, Run] : Runs) {
    const KernelSummary *Kernel = Kernels.lookup(Run.first.Kernel);
    if (!Kernel)
      return fail("the program has no summary of kernel " + Run.first.Kernel);
    if (Kernel->Flags & GridspanNotAnalysed)
      continue;
    if (BySector) {
      Sectors.check(*Kernel, Run.first, Run.second, SectorTotals);
      continue;
    }
    checkLaunch(*Kernel, Run.first, Run.second, Statistics);
    if (ByArgument)
      addTightness(*Kernel, Run.first, Run.second, Tightness[Kernel]);
  }
  if (BySector)
    return printSectors(SectorTotals);
  raw_ostream &Messages = ByArgument ? errs() : outs();
  for (const Violation &V : Statistics.Violations)
    Messages << formatv("violation: {0}, launch {1}, site {2}: {3}\n", V.Kernel,
                        V.Launch, V.Site, V.Text);
  if (!ByArgument) {
    printTotals(Statistics);
    return Statistics.Violations.empty() ? 0 : 1;
  }
  json::OStream Out(outs(), /*IndentSize=*/1);
  Out.array([&] {
    for (const auto &[Kernel, T] : Tightness)
      printArguments(Out, *Kernel, T);
  });
  outs() << '\n';
  return Statistics.Violations.empty() ? 0 : 1;
}
