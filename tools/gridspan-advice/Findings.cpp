//===- Findings.cpp - Advice of a whole build, ranked ---------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Remarks about one array of a kernel are folded into the one that gains most,
// and findings sorted by the time that they would save.
//
//===----------------------------------------------------------------------===//

#include "tools/gridspan-advice/Findings.h"
#include "tools/gridspan-advice/OtherLaunches.h"
#include "tools/gridspan-advice/RunReport.h"
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>
#include <tuple>

namespace gridspan {

std::string Findings::kernelName(const Kernel &K) const {
  return HasSeveralTargets ? fmt::format("{} ({})", K.Name, K.Target) : K.Name;
}

/// Kernels that ran, longest first, and the findings that are theirs.
static void sortKernels(AdviceData &Data) {
  std::vector<size_t> Order;
  for (size_t I = 0; I < Data.Kernels.size(); ++I)
    if (Data.Kernels[I].Launches)
      Order.push_back(I);
  auto Key = [&](size_t I) {
    const Kernel &K = Data.Kernels[I];
    return std::make_tuple(-K.seconds(), K.Name, K.Source, K.Target, I);
  };
  std::sort(Order.begin(), Order.end(),
            [&](size_t A, size_t B) { return Key(A) < Key(B); });
  std::map<size_t, size_t> New;
  std::vector<Kernel> Kernels;
  for (size_t I : Order) {
    New[I] = Kernels.size();
    Kernels.push_back(std::move(Data.Kernels[I]));
  }
  Data.Kernels = std::move(Kernels);
  std::erase_if(Data.Findings,
                [&](const Finding &F) { return !New.count(F.Kernel); });
  for (Finding &F : Data.Findings)
    F.Kernel = New[F.Kernel];
}

/// Folds findings: what is predicted for a kernel's array says how much there
/// is to gain of it; accesses to it, and other ways, are below that.
static std::vector<Finding> folded(const Findings &All,
                                   std::vector<Finding> List) {
  std::map<std::pair<size_t, std::string>, size_t> Best;
  for (size_t I = 0; I < List.size(); ++I) {
    const Finding &F = List[I];
    if (F.Base.empty() || F.Gain == 0)
      continue;
    auto [It, Inserted] = Best.try_emplace({F.Kernel, F.Base}, I);
    if (!Inserted && All.saved(F) > All.saved(List[It->second]))
      It->second = I;
  }
  std::vector<Finding> Out;
  std::map<size_t, std::vector<Finding>> Below;
  for (size_t I = 0; I < List.size(); ++I)
    if (auto It = Best.find({List[I].Kernel, List[I].Base});
        It != Best.end() && It->second != I)
      Below[It->second].push_back(List[I]);
  for (size_t I = 0; I < List.size(); ++I) {
    if (auto It = Best.find({List[I].Kernel, List[I].Base});
        It != Best.end() && It->second != I)
      continue;
    List[I].Also = std::move(Below[I]);
    Out.push_back(std::move(List[I]));
  }
  return Out;
}

static void rank(const Findings &All, std::vector<Finding> &List) {
  // By place where the cost is equal, so that the order is always the same.
  auto Rank = [&](const Finding &F) {
    const Kernel &K = All.kernelOf(F);
    return std::tuple<double, double, const std::string &, unsigned, unsigned,
                      const std::string &, const std::string &,
                      const std::string &, const std::string &>(
        -All.saved(F), -All.excess(F), F.File, F.Line, F.Column, K.Name,
        F.Message, K.Source, K.Target);
  };
  std::sort(List.begin(), List.end(), [&](const Finding &A, const Finding &B) {
    return Rank(A) < Rank(B);
  });
}

/// Leaves out what gains less than LeastGain, where that is predicted, and
/// returns how many those are.
static unsigned dropSmall(const Findings &All, std::vector<Finding> &List) {
  double Program = 0;
  for (const Kernel &K : All.Kernels)
    Program += K.seconds();
  return static_cast<unsigned>(std::erase_if(List, [&](const Finding &F) {
    const Kernel &K = All.kernelOf(F);
    double Whole = All.HasReport ? Program : K.seconds();
    return K.Cost && Whole - All.saved(F) > Whole / LeastGain;
  }));
}

/// Reads the advice. With a report or profile it is for the launches of the
/// run, as far as the device code is there to look at.
static AdviceData read(const FindingsRequest &Request,
                       std::vector<std::string> &Warnings,
                       std::optional<RunSummary> &Run) {
  std::optional<RunProfile> Profile;
  if (!Request.Profile.empty())
    Profile.emplace(Request.Profile);
  std::vector<AdviceFile> Files = readFiles(
      Profile && Request.Paths.empty() ? Profile->advice() : Request.Paths);
  AdviceData Data = adviceOf(Files, Request.Target);
  auto Apply = [&] {
    if (Profile)
      Run = Profile->apply(Data.Kernels);
    else if (!Request.Report.empty())
      applyReport(Request.Report, Data.Kernels);
  };
  Apply();
  if (Request.AsCompiled ||
      std::all_of(Data.Kernels.begin(), Data.Kernels.end(),
                  [](const Kernel &K) {
                    return K.ExactOptions.empty() && K.Recorded.empty();
                  }))
    return Data;
  Warnings = adviseOnOtherLaunches(Data.Kernels, Files);
  Data = adviceOf(Files, Request.Target);
  Apply();
  return Data;
}

Findings readFindings(const FindingsRequest &Request) {
  Findings Out;
  AdviceData Data = read(Request, Out.Warnings, Out.Run);
  Out.Assumptions = std::move(Data.Assumptions);
  std::set<std::string> Targets;
  for (const Kernel &K : Data.Kernels) {
    Out.NumSites += K.NumSites;
    Out.NumUnknown += static_cast<unsigned>(K.Unknown.size());
    Targets.insert(K.Target);
  }
  Out.HasSeveralTargets = Targets.size() > 1;
  Out.HasReport = !Request.Report.empty() || !Request.Profile.empty();
  sortKernels(Data);
  Out.Kernels = std::move(Data.Kernels);
  Out.Layouts = sharedLayouts(Out.Kernels);
  addSharedLayouts(Out.Layouts, Out.Kernels, Data.Findings);
  Out.List = folded(Out, std::move(Data.Findings));
  if (!Request.All)
    Out.NumSmall = dropSmall(Out, Out.List);
  rank(Out, Out.List);
  for (Finding &F : Out.List)
    rank(Out, F.Also);
  return Out;
}

} // namespace gridspan
