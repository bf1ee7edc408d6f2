//===- HtmlSource.cpp - Sources with what their lines cost ----------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each line with accesses to global memory has the sectors that these move in
// all launches, and a share of its kernels' seconds. That is the share of the
// sectors: nothing measures single lines.
//
//===----------------------------------------------------------------------===//

#include "tools/gridspan-advice/Html.h"
#include "tools/gridspan-advice/Writers.h"
#include <algorithm>
#include <filesystem>
#include <fmt/ostream.h>
#include <fstream>
#include <map>

namespace gridspan {

/// Lines around those with findings or accesses; the rest of a long file is
/// left out.
static constexpr unsigned Around = 8;

namespace {
struct LineCost {
  double Sectors = 0, Ideal = 0, Seconds = 0;
};
struct SourceFile {
  std::string Name;                         ///< as the compiler was told
  std::multimap<unsigned, size_t> Findings; ///< by line
  std::map<unsigned, LineCost> Lines;
  double MostSeconds = 0;

  bool has(unsigned Line) const {
    return Findings.count(Line) || Lines.count(Line);
  }
  bool isNear(unsigned Line) const {
    const unsigned From = Line > Around ? Line - Around : 0;
    const auto F = Findings.lower_bound(From);
    const auto L = Lines.lower_bound(From);
    return (F != Findings.end() && F->first <= Line + Around) ||
           (L != Lines.end() && L->first <= Line + Around);
  }
};
} // namespace

static void writeCost(std::ostream &OS, const SourceFile &File, unsigned Line) {
  auto It = File.Lines.find(Line);
  if (It == File.Lines.end()) {
    fmt::print(OS, "<span class=\"cost\">{:26}</span>", "");
    return;
  }
  const LineCost &C = It->second;
  fmt::print(OS,
             "<span class=\"cost\" title=\"{} sectors of 32 bytes, {} "
             "would do; about {}\">{:>9} {:>9} </span><span class=\"heat\">"
             "<span style=\"width:{:.1f}%\"></span></span>",
             countText(C.Sectors), countText(C.Ideal), timeText(C.Seconds),
             countText(C.Sectors), timeText(C.Seconds, 3),
             File.MostSeconds > 0 ? 100 * C.Seconds / File.MostSeconds : 0);
}

static void writeSource(std::ostream &OS, const SourceFile &File,
                        const std::filesystem::path &Path, const Findings &F) {
  fmt::print(OS,
             "<h2>{}</h2>\n<p>Beside each line: sectors that its accesses to "
             "global memory move in all launches, and about what that takes of "
             "the program.</p>\n<pre class=\"source\">",
             escaped(File.Name));
  std::ifstream In(Path);
  unsigned Number = 0;
  bool IsGap = false;
  auto Annotate = [&](unsigned Line) {
    auto [First, Last] = File.Findings.equal_range(Line);
    for (auto It = First; It != Last; ++It) {
      const Finding &One = F.List[It->second];
      fmt::print(OS,
                 "<span class=\"finding\" id=\"f{0}\"><b>{0}.</b> {1}: {2}. "
                 "<b>{3}</b></span>",
                 It->second + 1, escaped(F.kernelName(F.kernelOf(One))),
                 escaped(One.Message), escaped(One.Advice));
    }
  };
  for (std::string Text; std::getline(In, Text);) {
    ++Number;
    if (!File.isNear(Number)) {
      if (!IsGap)
        OS << "<span class=\"gap\">...</span>";
      IsGap = true;
      continue;
    }
    IsGap = false;
    const bool IsHit = File.Findings.count(Number) != 0;
    writeCost(OS, File, Number);
    fmt::print(OS, "<span class=\"line\">{:5} </span>{}{}{}\n", Number,
               IsHit ? "<span class=\"hit\">" : "", escaped(Text),
               IsHit ? "</span>" : "");
    Annotate(Number);
  }
  // Without the source, or with another version of it, nothing is lost.
  for (auto It = File.Findings.upper_bound(Number); It != File.Findings.end();
       It = File.Findings.upper_bound(It->first)) {
    fmt::print(OS, "<span class=\"line\">{:5} </span>\n", It->first);
    Annotate(It->first);
  }
  OS << "</pre>\n";
}

/// Below SourceDir, or where the compiler was.
static std::filesystem::path sourcePath(const std::string &File,
                                        const std::string &Directory,
                                        const std::string &SourceDir) {
  std::filesystem::path Path = std::filesystem::path(SourceDir) / File;
  if (!std::filesystem::exists(Path) && !Directory.empty())
    return std::filesystem::path(Directory) / File;
  return Path;
}

void writeSources(std::ostream &OS, const Findings &F,
                  const std::string &SourceDir) {
  std::map<std::filesystem::path, SourceFile> ByFile;
  auto FileOf = [&](const std::string &Name, const Kernel &K) -> SourceFile & {
    SourceFile &Out = ByFile[sourcePath(Name, K.Directory, SourceDir)];
    Out.Name = Name;
    return Out;
  };
  for (size_t I = 0; I != F.List.size(); ++I)
    if (const Finding &One = F.List[I]; One.Line)
      FileOf(One.File, F.kernelOf(One)).Findings.emplace(One.Line, I);
  for (const Kernel &K : F.Kernels) {
    double All = 0;
    for (const KnownSite &S : K.Sites)
      All += S.IsGlobal ? S.Units : 0;
    for (const KnownSite &S : K.Sites) {
      if (!S.IsGlobal || !S.Line || !(All > 0))
        continue;
      LineCost &C = FileOf(S.File, K).Lines[S.Line];
      const auto Launches = static_cast<double>(K.Launches);
      C.Sectors += S.Units * Launches;
      C.Ideal += S.IdealUnits * Launches;
      C.Seconds += K.seconds() * S.Units / All;
    }
  }
  for (auto &[Path, File] : ByFile) {
    for (const auto &[Line, Cost] : File.Lines)
      File.MostSeconds = std::max(File.MostSeconds, Cost.Seconds);
    // A library's headers have nothing to say but their accesses.
    if (File.Findings.empty() && !std::filesystem::exists(Path))
      continue;
    writeSource(OS, File, Path, F);
  }
}

} // namespace gridspan
