//===- HtmlWriter.cpp - The ranked list as a page ------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Writers.h"
#include <filesystem>
#include <fmt/ostream.h>
#include <fstream>
#include <map>

namespace gridspan {

static std::string escaped(const std::string &Text) {
  std::string Out;
  for (char C : Text)
    switch (C) {
    case '&':
      Out += "&amp;";
      break;
    case '<':
      Out += "&lt;";
      break;
    case '>':
      Out += "&gt;";
      break;
    case '"':
      Out += "&quot;";
      break;
    default:
      Out += C;
    }
  return Out;
}

static constexpr const char *Head = R"(<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Gridspan advice</title>
<style>
body { font-family: sans-serif; margin: 2em auto; max-width: 80em; }
table { border-collapse: collapse; width: 100%; }
td, th { border-bottom: 1px solid #ccc; padding: .4em; text-align: left;
  vertical-align: top; }
pre { background: #f7f7f7; padding: 1em; overflow-x: auto; }
.line { color: #999; }
.finding { background: #ffe8c0; display: block; white-space: normal;
  padding: .2em 1em; }
</style></head><body>
<h1>Gridspan advice</h1>
)";

static void writeTable(std::ostream &OS, const Findings &F) {
  OS << "<table><tr><th>#</th><th>place</th><th>kernel</th><th>problem</th>"
        "<th>what to do</th><th>expected gain</th></tr>\n";
  size_t Number = 0;
  for (const Finding &One : F.List) {
    ++Number;
    std::string Place = escaped(One.File.empty() ? One.Source : One.File);
    if (One.Line)
      Place =
          fmt::format("<a href=\"#f{}\">{}:{}</a>", Number, Place, One.Line);
    fmt::print(OS,
               "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td>"
               "<td>{}{}</td></tr>\n",
               Number, Place,
               escaped(F.HasSeveralTargets
                           ? fmt::format("{} ({})", One.Kernel, One.Target)
                           : One.Kernel),
               escaped(One.Message), escaped(One.Advice),
               One.IsExact ? "" : "~", expectedGain(One, F));
  }
  fmt::print(OS,
             "</table>\n<p>{} accesses, {} not known, {} to improve. {}</p>\n",
             F.NumSites, F.NumUnknown, F.List.size(),
             F.HasReport ? "Numbers are for all launches of the reported run."
                         : "Numbers are for one launch.");
}

static void writeSource(std::ostream &OS, const std::string &File,
                        const std::string &SourceDir,
                        const std::multimap<unsigned, size_t> &Lines,
                        const Findings &F) {
  fmt::print(OS, "<h2>{}</h2>\n<pre>", escaped(File));
  std::ifstream In(std::filesystem::path(SourceDir) / File);
  unsigned Number = 0;
  auto annotate = [&](unsigned Line) {
    auto [First, Last] = Lines.equal_range(Line);
    for (auto It = First; It != Last; ++It)
      fmt::print(OS, "<span class=\"finding\" id=\"f{}\">{}: {}. {}</span>",
                 It->second + 1, escaped(F.List[It->second].Kernel),
                 escaped(F.List[It->second].Message),
                 escaped(F.List[It->second].Advice));
  };
  for (std::string Text; std::getline(In, Text);) {
    fmt::print(OS, "<span class=\"line\">{:5} </span>{}\n", ++Number,
               escaped(Text));
    annotate(Number);
  }
  // Without the source, or with another version of it, nothing is lost.
  for (auto It = Lines.upper_bound(Number); It != Lines.end();
       It = Lines.upper_bound(It->first)) {
    fmt::print(OS, "<span class=\"line\">{:5} </span>\n", It->first);
    annotate(It->first);
  }
  OS << "</pre>\n";
}

void writeHtml(std::ostream &OS, const Findings &F,
               const std::string &SourceDir) {
  OS << Head;
  writeTable(OS, F);
  std::map<std::string, std::multimap<unsigned, size_t>> ByFile;
  for (size_t I = 0; I != F.List.size(); ++I)
    if (F.List[I].Line)
      ByFile[F.List[I].File].emplace(F.List[I].Line, I);
  for (const auto &[File, Lines] : ByFile)
    writeSource(OS, File, SourceDir, Lines, F);
  OS << "</body></html>\n";
}

} // namespace gridspan
