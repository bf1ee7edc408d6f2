//===- HtmlOverview.cpp - The program at a glance -------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels are in the order of the seconds that they take of the program: by the
// clock, if the run was profiled on GPUs, else as predicted.
//
//===----------------------------------------------------------------------===//

#include "tools/gridspan-advice/Html.h"
#include "tools/gridspan-advice/Writers.h"
#include <algorithm>
#include <fmt/ostream.h>

namespace gridspan {

static void writeCard(std::ostream &OS, const std::string &Number,
                      const std::string &What) {
  fmt::print(OS, "<div class=\"number-card\"><b>{}</b>{}</div>\n",
             escaped(Number), escaped(What));
}

static void writeCards(std::ostream &OS, const Findings &F) {
  double Seconds = 0, Saved = 0;
  uint64_t Launches = 0;
  for (const Kernel &K : F.Kernels) {
    Seconds += K.seconds();
    Launches += K.Launches;
  }
  // What concerns one kernel may be the same seconds twice.
  std::vector<double> Best(F.Kernels.size());
  for (const Finding &One : F.List)
    Best[One.Kernel] = std::max(Best[One.Kernel], F.saved(One));
  for (double Of : Best)
    Saved += Of;
  const bool IsMeasured = F.Run && F.Run->IsOnGpus;
  OS << "<div class=\"cards\">\n";
  writeCard(OS, timeText(Seconds),
            IsMeasured ? "in kernels, measured" : "in kernels, predicted");
  writeCard(OS, timeText(Saved), "to save, about");
  writeCard(OS, std::to_string(F.Kernels.size()),
            fmt::format("kernel{}, {} launch{}",
                        F.Kernels.size() == 1 ? "" : "s", Launches,
                        Launches == 1 ? "" : "es"));
  writeCard(OS, fmt::format("{} of {}", F.NumSites - F.NumUnknown, F.NumSites),
            "accesses known");
  writeCard(OS, std::to_string(F.List.size()), "to improve");
  OS << "</div>\n";
  if (F.Run)
    fmt::print(OS, "<p>{}.</p>\n", escaped(runText(*F.Run)));
}

void writeOverview(std::ostream &OS, const Findings &F) {
  OS << "<section id=\"overview\"><h2>Overview</h2>\n";
  writeCards(OS, F);
  double Most = 0, All = 0;
  for (const Kernel &K : F.Kernels) {
    Most = std::max({Most, K.seconds(), K.predictedSeconds()});
    All += K.seconds();
  }
  if (Most > 0) {
    OS << "<p class=\"legend\"><span class=\"measured\"></span>measured"
          "<span class=\"predicted\"></span>predicted</p>\n"
          "<table class=\"kernels\">\n";
    for (const Kernel &K : F.Kernels) {
      fmt::print(OS,
                 "<tr><td><a href=\"#k{}\"><code>{}</code></a></td>"
                 "<td class=\"number\">{}</td><td class=\"number\">{:.1f}%</td>"
                 "<td class=\"two\">",
                 &K - F.Kernels.data(), escaped(F.kernelName(K)),
                 timeText(K.seconds()), All > 0 ? 100 * K.seconds() / All : 0);
      if (K.Run && K.Run->AllSeconds > 0)
        fmt::print(OS, "<div class=\"measured\" style=\"width:{:.1f}%\"></div>",
                   100 * K.Run->AllSeconds / Most);
      fmt::print(
          OS,
          "<div class=\"predicted\" style=\"width:{:.1f}%\"></div></td>"
          "<td>{}</td></tr>\n",
          100 * K.predictedSeconds() / Most,
          K.Run && !K.Run->Gap.empty()
              ? fmt::format("<span class=\"rule\" title=\"{}\">{}</span>",
                            escaped(K.Run->GapText), escaped(K.Run->Gap))
              : "");
    }
    OS << "</table>\n";
  }
  OS << "</section>\n";
}

} // namespace gridspan
