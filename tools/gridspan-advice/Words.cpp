//===- Words.cpp - Phrases that text and page share -----------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Formats times, shapes and places in the same way for all writers.
//
//===----------------------------------------------------------------------===//

#include "tools/gridspan-advice/RunReport.h"
#include "tools/gridspan-advice/Writers.h"
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <tuple>

namespace gridspan {

std::string accessesText(const Findings &F) {
  return fmt::format("{} access{}", F.NumSites, F.NumSites == 1 ? "" : "es");
}

std::string countText(double Count) {
  if (Count < 9999.5)
    return fmt::format("{:.4g}", Count);
  static constexpr const char *Prefixes[] = {"K", "M", "G", "T"};
  size_t Prefix = 0;
  Count /= 1000;
  // What rounds to 1000 is one of the next prefix.
  for (; Prefix + 1 != std::size(Prefixes) && Count >= 999.95; ++Prefix)
    Count /= 1000;
  return fmt::format("{:.4g} {}", Count, Prefixes[Prefix]);
}

std::string placeText(const Finding &One, const Findings &All) {
  if (One.File.empty())
    return All.kernelOf(One).Source + " (no line information)";
  std::string Out = One.File;
  for (unsigned Number : {One.Line, One.Column})
    if (Number)
      Out += fmt::format(":{}", Number);
  return Out;
}

std::string expectedGain(const Finding &One, const Findings &All) {
  const uint64_t Launches = All.kernelOf(One).Launches;
  std::string Where = !All.HasReport ? std::string("a launch")
                                     : fmt::format("in {} launch{}", Launches,
                                                   Launches == 1 ? "" : "es");
  const std::string Time = timeText(All.saved(One));
  if (One.Gain > 0)
    return fmt::format("saves about {} {}", Time, Where);
  std::string Out = fmt::format("{:.0f} too many {}", All.excess(One), Where);
  if (One.SavedSeconds > 0)
    Out += ", up to " + Time;
  return Out;
}

std::string smallText(const Findings &F) {
  if (F.NumSmall == 0)
    return "";
  return fmt::format(
      "; {} that would make {} less than {} times as fast left out (--all)",
      F.NumSmall, F.HasReport ? "the program" : "the launch", LeastGain);
}

std::string launchText(const Kernel &K) {
  std::string Out = shapeText(K.Launch.Grid, K.Launch.Block);
  if (K.Launch.DynamicShared)
    Out += ", " + dynamicSharedText(K.Launch.DynamicShared);
  std::string Assumed;
  auto Add = [&](const std::string &What) {
    Assumed += (Assumed.empty() ? "" : ", ") + What;
  };
  if (K.Launch.IsGridAssumed)
    Add("grid");
  if (K.Launch.IsBlockAssumed)
    Add("block");
  if (K.Launch.IsDynamicSharedAssumed)
    Add(dynamicSharedText(0));
  for (const LaunchParameter &P : K.Launch.Parameters) {
    Out += fmt::format(", {} = {}", P.Name, P.Value);
    if (P.IsAssumed)
      Add(P.Name);
  }
  if (!Assumed.empty())
    Out += " (assumed: " + Assumed + ")";
  return Out;
}

std::string basesText(const LayoutTable &A) {
  if (A.Apart.empty())
    return "array " + A.Name;
  return fmt::format("arrays {}", fmt::join(A.Apart, ", "));
}

std::string rooflineText(const Prediction &P) {
  std::string Out;
  if (P.Gflops > 0) {
    Out = fmt::format("{:.4g}", P.Gflops);
    if (P.PeakGflops > 0)
      Out += fmt::format(" of {:.4g}", P.PeakGflops);
    Out += " GFLOP/s";
  }
  if (P.MemoryGbs > 0) {
    Out += fmt::format("{}{:.4g}", Out.empty() ? "" : ", ", P.MemoryGbs);
    if (P.PeakGbs > 0)
      Out += fmt::format(" of {:.4g}", P.PeakGbs);
    Out += " GB/s of memory";
  }
  if (P.Gflops > 0 && P.Intensity > 0) {
    Out += fmt::format(", {:.3g} operations a byte", P.Intensity);
    if (P.PeakGflops > 0 && P.PeakGbs > 0)
      Out +=
          fmt::format(" (the roof bends at {:.3g})", P.PeakGflops / P.PeakGbs);
  }
  return Out;
}

std::string measuredText(const Kernel &K) {
  if (!K.Run)
    return "";
  const MeasuredTime &R = *K.Run;
  std::string Out;
  if (R.Times) {
    Out = fmt::format("measured {} a launch ({} of {}, {} to {})",
                      timeText(R.Seconds), R.Times, K.Launches,
                      timeText(R.Least), timeText(R.Most));
    if (R.IsOfRecorded)
      Out += ", while its requests were recorded";
  } else {
    Out = "no measured time";
  }
  if (R.AllSeconds > 0)
    Out += fmt::format(", {} in all launches", timeText(R.AllSeconds));
  if (K.Cost && R.Seconds > 0 && R.Gap != "cpu-device") {
    const double Expected = K.secondsByEvents();
    Out += fmt::format("; {:.2f} times as long as predicted",
                       R.Seconds / Expected);
    // Where it is a part that matters.
    if (Expected > 1.05e-6 * K.Cost->Microseconds)
      Out += fmt::format(" with the start on an idle stream, {}",
                         timeText(Expected));
  }
  if (!R.Gap.empty())
    Out += fmt::format("; {}: {}", R.Gap, R.GapText);
  if (R.Recordings)
    Out += fmt::format("; {} launch{} recorded", R.Recordings,
                       R.Recordings == 1 ? "" : "es");
  else if (!R.WhyNotRecorded.empty() && R.WhyNotRecorded != "nothing-to-record")
    Out += "; not recorded: " + R.WhyNotRecorded;
  return Out;
}

std::string otherText(const OtherClass &C) {
  std::string Out = C.Grid[0] ? shapeText(C.Grid, C.Block) : "of other sizes";
  Out += fmt::format(", {} launch{}", C.Launches, C.Launches == 1 ? "" : "es");
  if (C.Seconds > 0)
    Out += fmt::format(", {} in all", timeText(C.Seconds));
  return Out;
}

std::string runText(const RunSummary &Run) {
  std::string Out =
      fmt::format("the run had {} launch{}, {} in all, on {}", Run.Launches,
                  Run.Launches == 1 ? "" : "es", timeText(Run.Seconds),
                  fmt::join(Run.Devices, ", "));
  if (!Run.IsOnGpus)
    Out += "; kernels are ranked by predicted times, as the CPU device's say "
           "nothing of a GPU";
  if (!Run.NotAdvised.empty())
    Out += fmt::format(
        "; {} kernel{} without advice: {}", Run.NotAdvised.size(),
        Run.NotAdvised.size() == 1 ? "" : "s", fmt::join(Run.NotAdvised, ", "));
  return Out;
}

std::vector<std::pair<NotKnown, unsigned>> unknownPlaces(const Kernel &K) {
  std::vector<std::pair<NotKnown, unsigned>> Out;
  for (const NotKnown &U : K.Unknown) {
    auto It = std::find_if(Out.begin(), Out.end(), [&](const auto &Old) {
      const NotKnown &O = Old.first;
      return std::tie(O.File, O.Line, O.What, O.Why) ==
             std::tie(U.File, U.Line, U.What, U.Why);
    });
    if (It == Out.end())
      Out.emplace_back(U, 1);
    else
      ++It->second;
  }
  return Out;
}

} // namespace gridspan
