//===- Layout.cpp - Which data layout serves a kernel best ----------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Literature on the forms, and on what they cost on GPUs: Strzodka,
// "Abstraction for AoS and SoA Layout in C++" (GPU Computing Gems, 2011); Mei
// and Tian, "Impact of data layouts on the efficiency of GPU-accelerated IDW
// interpolation" (2016). On tiles: Sung et al., "DL: A data layout
// transformation system" (InPar 2012).
//
//===----------------------------------------------------------------------===//

#include "analysis/advice/layout/Layout.h"
#include "analysis/advice/layout/LayoutEvaluation.h"
#include <algorithm>

using namespace llvm;

namespace gridspan {

/// The gain from which on a form is worth a change of the source.
static constexpr double MinGain = 1.05;

/// Forms within this share of the best are as good: the first one counts.
static constexpr double Tie = 1.01;

static constexpr unsigned Tiles[] = {32, 128, 8};

static std::vector<LayoutForm> formsFor(const StructArray &Array) {
  std::vector<LayoutForm> Out = {presentForm(Array)};
  if (Array.isApart())
    Out.push_back({LayoutKind::Structs, 1});
  if (Array.Alignment < alignmentFor(Array.RecordBytes))
    Out.push_back({LayoutKind::Aligned, 1});
  if (!Array.isApart())
    Out.push_back({LayoutKind::Soa, 1});
  for (unsigned Tile : Tiles)
    Out.push_back({LayoutKind::Tiled, Tile});
  if (!Array.isApart() && Array.untouchedBytes() > 0)
    Out.push_back({LayoutKind::Split, 1});
  return Out;
}

/// Returns true if accesses that may be to any array matter.
static bool hasUnknownAccesses(const KernelSites &Kernel) {
  return any_of(Kernel.Sites, [](const MemorySite &Site) {
    return Site.Space == MemorySpace::Global &&
           (Site.Base.empty() || Site.Size == 0);
  });
}

/// Returns the reason that no layout gains, from what the launch waits for.
static LayoutReason reasonFor(const ResourceTimes &Now) {
  switch (Now.limit()) {
  case Resource::Atomics:
    return LayoutReason::AtomicsBound;
  case Resource::Latency:
    return LayoutReason::OccupancyBound;
  default:
    return Now.isBoundByMemory() ? LayoutReason::NoGain
                                 : LayoutReason::ComputeBound;
  }
}

static void choose(ArrayLayout &A, const KernelSites &Kernel,
                   const LayoutOptions &Options) {
  const ResourceTimes &Now = A.Forms.front().Time;
  auto Cost = [&](const FormTime &F) { return F.Time.seconds(); };
  double Least = Cost(A.Forms.front());
  for (const FormTime &F : A.Forms)
    Least = std::min(Least, Cost(F));
  // Of equals the one that changes least.
  size_t Best = 0;
  while (Cost(A.Forms[Best]) > Least * Tie)
    ++Best;
  A.Best = 0;
  if (A.Array.Type.Owner != RecordType::Program) {
    A.Reason = A.Array.Type.Owner == RecordType::Vector
                   ? LayoutReason::VectorType
                   : LayoutReason::LibraryType;
    return;
  }
  if (isLibraryVariable(A.Array.Base)) {
    A.Reason = LayoutReason::LibraryType;
    return;
  }
  if (hasUnknownAccesses(Kernel)) {
    A.Reason = LayoutReason::UnknownAccesses;
    return;
  }
  if (Cost(A.Forms.front()) < MinGain * Cost(A.Forms[Best])) {
    A.Reason = reasonFor(Now);
    return;
  }
  A.Best = Best;
}

/// Adds arrays that are accessed at the same indices, if a warp's lanes touch
/// more than twice the sectors that they need. If lanes are side by side,
/// nothing is better than an array for each field.
static void addParallelArrays(const KernelSites &Kernel, const WarpTrace &Trace,
                              const MachineModel &Machine,
                              StructArrays &Found) {
  MemoryCounts Counts =
      replayTrace(Kernel, Trace, Machine, presentAddresses(Kernel));
  auto IsSpread = [&](uint32_t Site) {
    return Counts.Sectors[Site] > 2 * double(Kernel.Sites[Site].Size);
  };
  auto IsRecord = [&](StringRef Base) {
    return any_of(Found.Arrays,
                  [&](const StructArray &A) { return A.Base == Base; });
  };
  // Lanes that are apart because of how the index is computed are better put
  // side by side: nothing is gained by moving the data to where they are.
  auto IsComputed = [&](uint32_t Site) {
    return Kernel.Exprs.isFollowed(Kernel.Sites[Site].Offset);
  };
  StructArrays Apart = findParallelArrays(Kernel);
  erase_if(Apart.Arrays, [&](const StructArray &A) {
    if (none_of(A.Sites, IsSpread) || any_of(A.Apart, IsRecord))
      return true;
    if (!all_of(A.Sites, IsComputed))
      return false;
    Found.Refusals.push_back(
        {A.Base, "its index is computed: let neighbouring threads be at "
                 "neighbouring elements first"});
    return true;
  });
  erase_if(Apart.Refusals, [&](const StructRefusal &R) {
    for (uint32_t I = 0; I != Kernel.Sites.size(); ++I)
      if (Kernel.Sites[I].Base == R.Base && IsSpread(I))
        return IsRecord(R.Base);
    return true;
  });
  append_range(Found.Arrays, std::move(Apart.Arrays));
  append_range(Found.Refusals, std::move(Apart.Refusals));
}

KernelLayout analyzeLayout(KernelSites Kernel, const LaunchAssumptions &Known,
                           const MachineModel &Machine,
                           const LayoutOptions &Options) {
  KernelLayout Out;
  Out.Launch = assumedLaunch(Kernel, Known);
  StructArrays Found = findStructArrays(Kernel);
  Out.Trace = traceWarps(Kernel, Out.Launch, Machine);
  addParallelArrays(Kernel, Out.Trace, Machine, Found);
  Out.Refusals = std::move(Found.Refusals);
  LayoutEvaluation Evaluation(Kernel, Out.Trace, Machine, Found.Arrays);
  for (size_t I = 0; I != Found.Arrays.size(); ++I) {
    ArrayLayout A;
    A.Array = Found.Arrays[I];
    for (uint32_t Site : A.Array.Sites)
      if (A.Where.empty())
        A.Where = Kernel.Sites[Site].Where;
    for (const LayoutForm &Form : formsFor(A.Array))
      A.Forms.push_back({Form, Evaluation.timeWith(I, Form)});
    choose(A, Kernel, Options);
    if (A.Best) {
      A.ConversionSeconds =
          Evaluation.conversionSeconds(I, A.Forms[A.Best].Form);
      double Gained =
          A.Forms.front().Time.seconds() - A.Forms[A.Best].Time.seconds();
      if (Options.ConvertedFor > 0 &&
          Gained * Options.ConvertedFor <= A.ConversionSeconds) {
        A.Best = 0;
        A.Reason = LayoutReason::ConversionCost;
      }
    }
    // The next array is looked at with this one improved.
    Evaluation.timeWith(I, A.Forms[A.Best].Form);
    Out.Arrays.push_back(std::move(A));
  }
  Out.Kernel = std::move(Kernel);
  return Out;
}

} // namespace gridspan
