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

namespace {
/// The axes of a roofline, log-log: decades of operations a byte around the
/// bend of the roof, and of operations a second below the peak.
class RooflineAxes {
public:
  static constexpr double Width = 420, Height = 240, Left = 46, Bottom = 34,
                          Right = 10, Top = 10;
  explicit RooflineAxes(const Prediction &P)
      : MostX(std::ceil(std::log10(P.PeakGflops / P.PeakGbs)) + 2),
        MostY(std::ceil(std::log10(P.PeakGflops))) {}
  double x(double Intensity) const {
    const double At = (std::log10(Intensity) - (MostX - Decades)) / Decades;
    return Left + (Width - Left - Right) * std::clamp(At, 0.0, 1.0);
  }
  double y(double Gflops) const {
    const double At = (std::log10(Gflops) - (MostY - Decades)) / Decades;
    return Height - Bottom - (Height - Bottom - Top) * std::clamp(At, 0.0, 1.0);
  }
  void write(std::ostream &OS) const;

  static constexpr int Decades = 5;
  const double MostX, MostY; ///< powers of ten
};
} // namespace

void RooflineAxes::write(std::ostream &OS) const {
  for (int I = 0; I <= Decades; ++I) {
    const double Intensity = std::pow(10, MostX - Decades + I);
    const double Gflops = std::pow(10, MostY - Decades + I);
    fmt::print(OS,
               "<line class=\"grid\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1}\" "
               "y2=\"{2}\"/><text class=\"tick\" x=\"{0:.1f}\" y=\"{3}\" "
               "text-anchor=\"middle\">{4:g}</text>\n",
               x(Intensity), Top, Height - Bottom, Height - Bottom + 13,
               Intensity);
    fmt::print(OS,
               "<line class=\"grid\" x1=\"{1}\" x2=\"{2}\" y1=\"{0:.1f}\" "
               "y2=\"{0:.1f}\"/><text class=\"tick\" x=\"{3}\" y=\"{4:.1f}\" "
               "text-anchor=\"end\">{5:g}</text>\n",
               y(Gflops), Left, Width - Right, Left - 4, y(Gflops) + 4, Gflops);
  }
  fmt::print(OS,
             "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">operations a "
             "byte</text><text x=\"{}\" y=\"{}\">GFLOP/s</text>\n",
             Width - Right, Height - 4, Left + 4, Top + 10);
}

/// The roof, and the kernel below it: as predicted, and as measured.
static void writeRoofline(std::ostream &OS, const Kernel &K) {
  const Prediction &P = *K.Cost;
  if (!(P.Gflops > 0 && P.Intensity > 0 && P.PeakGflops > 0 && P.PeakGbs > 0))
    return;
  const RooflineAxes A(P);
  const double From = std::pow(10, A.MostX - RooflineAxes::Decades),
               To = std::pow(10, A.MostX), Bend = P.PeakGflops / P.PeakGbs;
  fmt::print(OS,
             "<svg class=\"roofline\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" "
             "height=\"{1}\" role=\"img\"><title>roofline: {2}</title>\n",
             RooflineAxes::Width, RooflineAxes::Height,
             escaped(rooflineText(P)));
  A.write(OS);
  fmt::print(OS,
             "<polyline class=\"roof\" points=\"{:.1f},{:.1f} {:.1f},{:.1f} "
             "{:.1f},{:.1f}\"/>\n",
             A.x(From), A.y(From * P.PeakGbs), A.x(Bend), A.y(P.PeakGflops),
             A.x(To), A.y(P.PeakGflops));
  auto Point = [&](const char *Class, double Gflops) {
    fmt::print(OS,
               "<circle class=\"{0}\" cx=\"{1:.1f}\" cy=\"{2:.1f}\" r=\"5\">"
               "<title>{0}: {3:.4g} GFLOP/s</title></circle>\n",
               Class, A.x(P.Intensity), A.y(Gflops), Gflops);
  };
  Point("predicted", P.Gflops);
  if (K.Run && K.Run->AllSeconds > 0 && K.Run->Seconds > 0)
    Point("measured", P.Gflops * P.Microseconds * 1e-6 / K.Run->Seconds);
  OS << "</svg>\n";
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
  writeRoofline(OS, K);
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
    if (std::string Text = measuredText(K); !Text.empty())
      fmt::print(OS, "<p class=\"run\">{}.</p>\n", escaped(Text));
    writeCost(OS, K);
    if (!K.Others.empty()) {
      OS << "<h4>Other launches of the run</h4><ul>";
      for (const OtherClass &C : K.Others)
        fmt::print(OS, "<li>{}</li>\n", escaped(otherText(C)));
      OS << "</ul>\n";
    }
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
