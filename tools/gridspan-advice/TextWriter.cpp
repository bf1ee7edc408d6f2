//===- TextWriter.cpp - The ranked list for a terminal --------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The findings, then the kernels, as lines of text.
//
//===----------------------------------------------------------------------===//

#include "tools/gridspan-advice/Writers.h"
#include <fmt/ostream.h>

namespace gridspan {

static void writeCost(std::ostream &OS, const Prediction &P) {
  fmt::print(OS, "  predicted {}, limited by {} (",
             timeText(P.Microseconds * 1e-6), P.Limit);
  const char *Separator = "";
  for (const auto &[Name, Bound] : P.Bounds) {
    fmt::print(OS, "{}{} {}", Separator, Name, timeText(Bound * 1e-6, 3));
    Separator = ", ";
  }
  OS << ")\n";
  fmt::print(OS,
             "  {} warps a multiprocessor, by {}; {} registers; {:.3g} waves\n",
             P.ResidentWarps, P.OccupancyLimit, P.Registers, P.Waves);
  if (std::string Text = rooflineText(P); !Text.empty())
    fmt::print(OS, "  roofline: {}\n", Text);
  for (const std::string &Text : P.Assumptions)
    fmt::print(OS, "  assumed: {}\n", Text);
}

static void writeLayouts(std::ostream &OS, const LayoutTable &A) {
  fmt::print(OS, "  {}{}, structs of {} bytes:", basesText(A),
             A.Type.empty() ? "" : " (" + A.Type + ")", A.RecordBytes);
  const char *Separator = " ";
  for (const LayoutTime &L : A.Layouts) {
    fmt::print(OS, "{}{} {} ({})", Separator, L.Layout, timeText(L.Seconds),
               L.BoundBy);
    Separator = ", ";
  }
  if (A.Recommended.empty())
    fmt::print(OS, "; stays: {}, {}\n", A.Stays, A.WhyStays);
  else
    fmt::print(OS, "; recommended: {}\n", A.Recommended);
}

static void writeKernel(std::ostream &OS, const Kernel &K, const Findings &F) {
  fmt::print(OS, "kernel {} of {}: {}\n", F.kernelName(K), K.Source,
             launchText(K));
  if (!K.RanInstead.empty())
    fmt::print(OS, "  the run had {}; compile for that: {}\n", K.RanInstead,
               K.Options);
  if (!K.Share.empty())
    fmt::print(OS, "  {} of the run were like this\n", K.Share);
  if (std::string Text = measuredText(K); !Text.empty())
    fmt::print(OS, "  {}\n", Text);
  if (K.Cost)
    writeCost(OS, *K.Cost);
  else if (!K.WhyNoCost.empty())
    fmt::print(OS, "  no predicted time: {}\n", K.WhyNoCost);
  for (const OtherClass &C : K.Others)
    fmt::print(OS, "  other launches: {}\n", otherText(C));
  for (const LayoutTable &A : K.Arrays)
    writeLayouts(OS, A);
  for (const NotKnown &R : K.RefusedArrays)
    fmt::print(OS, "  array {}, no layouts: {}\n", R.What, R.Why);
  for (const NotKnown &S : K.Silent)
    fmt::print(OS, "  no {}: {}\n", S.What, S.Why);
  for (const auto &[U, Count] : unknownPlaces(K))
    fmt::print(OS, "  not known{}: {}{}: {}\n",
               U.File.empty() ? "" : fmt::format(", {}:{}", U.File, U.Line),
               U.What, Count > 1 ? fmt::format(" ({} of them)", Count) : "",
               U.Why);
}

void writeText(std::ostream &OS, const Findings &F) {
  unsigned Number = 0;
  for (const Finding &One : F.List) {
    const Kernel &K = F.kernelOf(One);
    fmt::print(OS, "{}. {}: {} [{}]\n", ++Number, placeText(One, F),
               F.kernelName(K), One.Rule);
    fmt::print(OS, "   {}; {}{}\n", One.Message, expectedGain(One, F),
               One.IsExact || One.Gain > 0 ? "" : " (estimated)");
    fmt::print(OS, "   {}\n", One.Advice);
    for (const Finding &Also : One.Also)
      fmt::print(OS, "   - {} [{}] {}; {}\n", placeText(Also, F), Also.Rule,
                 Also.Message, expectedGain(Also, F));
    if (!K.RanInstead.empty())
      fmt::print(OS, "   computed for {}, not for what ran: see below\n",
                 launchText(K));
  }
  fmt::print(OS, "{}, {} not known, {} to improve{}\n", accessesText(F),
             F.NumUnknown, F.List.size(), smallText(F));
  if (F.Run)
    fmt::print(OS, "{}\n", runText(*F.Run));
  for (const SharedLayout &L : F.Layouts)
    fmt::print(OS, "type {}\n", sharedLayoutText(L));
  for (const Kernel &K : F.Kernels)
    writeKernel(OS, K, F);
  if (!F.Assumptions.empty())
    OS << "defaults where nobody says:\n";
  for (const Assumption &A : F.Assumptions)
    fmt::print(OS, "  {} {}: {}\n", A.Name, A.Value, A.Text);
}

} // namespace gridspan
