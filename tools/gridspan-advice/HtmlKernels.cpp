//===- HtmlKernels.cpp - Kernels on the page ------------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A section for each kernel: launch, times by limit, roofline, layouts, and
// what is not known.
//
//===----------------------------------------------------------------------===//

#include "tools/gridspan-advice/Html.h"
#include "tools/gridspan-advice/Writers.h"
#include <algorithm>
#include <cmath>
#include <fmt/ostream.h>

namespace gridspan {

/// Names and numbers, each with a bar as long as its share of the largest.
static void writeBars(std::ostream &OS,
                      const std::vector<std::pair<std::string, double>> &Bars,
                      const std::string &Marked) {
  double Most = 0;
  for (const auto &[Name, Value] : Bars)
    Most = std::max(Most, Value);
  OS << "<table class=\"bars\">";
  for (const auto &[Name, Value] : Bars)
    fmt::print(OS,
               "<tr{}><td>{}</td><td class=\"number\">{}</td><td "
               "class=\"bar\"><div style=\"width:{:.1f}%\"></div></td></tr>\n",
               Name == Marked ? " class=\"limit\"" : "", escaped(Name),
               timeText(Value * 1e-6), Most > 0 ? 100 * Value / Most : 0);
  OS << "</table>\n";
}

/// Log-log: four decades of operations a byte around the bend, five of
/// operations a second below the peak.
static void writeRoofline(std::ostream &OS, const Prediction &P) {
  if (!(P.Gflops > 0 && P.Intensity > 0 && P.PeakGflops > 0 && P.PeakGbs > 0))
    return;
  constexpr double Width = 260, Height = 150;
  double Bend = P.PeakGflops / P.PeakGbs;
  auto X = [&](double Intensity) {
    double At = (std::log10(Intensity / Bend) + 3) / 5;
    return Width * std::clamp(At, 0.02, 0.98);
  };
  auto Y = [&](double Gflops) {
    double At = (std::log10(Gflops / P.PeakGflops) + 5) / 5.4;
    return Height * (1 - std::clamp(At, 0.03, 0.97));
  };
  double Left = Bend * 1e-3, Right = Bend * 1e2;
  fmt::print(OS,
             "<svg viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" "
             "role=\"img\"><title>roofline: {2}</title><polyline "
             "class=\"roof\" points=\"{3:.1f},{4:.1f} {5:.1f},{6:.1f} "
             "{7:.1f},{6:.1f}\"/><circle cx=\"{8:.1f}\" cy=\"{9:.1f}\" "
             "r=\"5\"/><text x=\"4\" y=\"12\">GFLOP/s</text><text x=\"{0}\" "
             "y=\"{10}\" text-anchor=\"end\">operations a byte</text></svg>\n",
             Width, Height, escaped(rooflineText(P)), X(Left),
             Y(Left * P.PeakGbs), X(Bend), Y(P.PeakGflops), X(Right),
             X(P.Intensity), Y(P.Gflops), Height - 4);
}

static void writeCost(std::ostream &OS, const Kernel &K) {
  if (!K.Cost) {
    if (!K.WhyNoCost.empty())
      fmt::print(OS, "<p>No predicted time: {}.</p>\n", escaped(K.WhyNoCost));
    return;
  }
  const Prediction &P = *K.Cost;
  fmt::print(OS,
             "<p class=\"time\">Predicted <b>{}</b> a launch, limited "
             "by <b>{}</b>{}</p>\n",
             timeText(P.Microseconds * 1e-6), escaped(P.Limit),
             K.Machine.empty() ? "" : " on " + escaped(K.Machine));
  OS << "<div class=\"columns\"><div>";
  writeBars(OS, P.Bounds, P.Limit);
  OS << "</div><div>";
  writeRoofline(OS, P);
  OS << "</div></div>\n<ul>";
  if (std::string Text = rooflineText(P); !Text.empty())
    fmt::print(OS, "<li>Roofline: {}</li>\n", escaped(Text));
  fmt::print(OS,
             "<li>{} warps on a multiprocessor, limited by {}; {} registers a "
             "thread; {:.3g} waves of blocks</li>\n",
             P.ResidentWarps, escaped(P.OccupancyLimit), P.Registers, P.Waves);
  for (const std::string &Text : P.Assumptions)
    fmt::print(OS, "<li>Assumed: {}</li>\n", escaped(Text));
  OS << "</ul>\n";
}

static void writeLayouts(std::ostream &OS, const LayoutTable &A) {
  fmt::print(OS, "<h4>Layouts of {}{}, structs of {} bytes</h4>\n",
             escaped(basesText(A)),
             A.Type.empty() ? "" : " (" + escaped(A.Type) + ")", A.RecordBytes);
  OS << "<table class=\"plain\"><tr><th>layout</th><th>predicted</th><th>bound "
        "by</th><th></th></tr>\n";
  for (const LayoutTime &L : A.Layouts) {
    bool IsPresent = &L == &A.Layouts.front();
    fmt::print(OS,
               "<tr{}><td>{}</td><td class=\"number\">{}"
               "</td><td>{}</td><td>{}</td></tr>\n",
               L.Layout == A.Recommended ? " class=\"limit\"" : "",
               escaped(L.Layout), timeText(L.Seconds), escaped(L.BoundBy),
               L.Layout == A.Recommended ? "recommended"
               : IsPresent               ? "as it is"
                                         : "");
  }
  OS << "</table>\n";
  if (A.Recommended.empty())
    fmt::print(OS, "<p>It stays as it is, {}: {}.</p>\n", escaped(A.Stays),
               escaped(A.WhyStays));
}

static void writeUnknown(std::ostream &OS, const Kernel &K) {
  if (K.Unknown.empty() && K.RefusedArrays.empty())
    return;
  OS << "<h4>Not known</h4><table class=\"plain\"><tr><th>place</th><th>what"
        "</th><th>why</th></tr>\n";
  for (const auto &[U, Count] : unknownPlaces(K))
    fmt::print(OS, "<tr><td>{}</td><td>{}{}</td><td>{}</td></tr>\n",
               U.File.empty() ? escaped(K.Source)
                              : fmt::format("{}:{}", escaped(U.File), U.Line),
               escaped(U.What), Count > 1 ? fmt::format(" ({})", Count) : "",
               escaped(U.Why));
  for (const NotKnown &R : K.RefusedArrays)
    fmt::print(OS, "<tr><td></td><td>layouts of {}</td><td>{}</td></tr>\n",
               escaped(R.What), escaped(R.Why));
  OS << "</table>\n";
}

void writeKernelCards(std::ostream &OS, const Findings &F) {
  if (F.Kernels.empty())
    return;
  OS << "<h2>Kernels</h2>\n";
  for (const Kernel &K : F.Kernels) {
    fmt::print(OS,
               "<div class=\"card\" id=\"k{}\"><h3><code>{}</code></h3>\n"
               "<p>{}{}. Looked at: {}.</p>\n",
               &K - F.Kernels.data(), escaped(F.kernelName(K)),
               escaped(K.Source),
               F.HasReport ? fmt::format(", {} launches in the reported run",
                                         K.Launches)
                           : "",
               escaped(launchText(K)));
    if (!K.RanInstead.empty())
      fmt::print(OS,
                 "<p class=\"warning\">The run had {}. For advice on that, "
                 "compile with<br><code>{}</code></p>\n",
                 escaped(K.RanInstead), escaped(K.Options));
    writeCost(OS, K);
    for (const LayoutTable &A : K.Arrays)
      writeLayouts(OS, A);
    if (!K.Silent.empty()) {
      OS << "<h4>Nothing advised</h4><ul>";
      for (const NotKnown &S : K.Silent)
        fmt::print(OS, "<li>No {}: {}</li>\n", escaped(S.What), escaped(S.Why));
      OS << "</ul>\n";
    }
    writeUnknown(OS, K);
    OS << "</div>\n";
  }
}

} // namespace gridspan
