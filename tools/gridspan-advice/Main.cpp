//===- Main.cpp - gridspan-advice -----------------------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the command line and writes the findings in the forms that it asks for.
// Errors are one line and exit status 1.
//
//===----------------------------------------------------------------------===//

#include "tools/gridspan-advice/Findings.h"
#include "tools/gridspan-advice/Writers.h"
#include <cstdio>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <iostream>
#include <stdexcept>

using namespace gridspan;

static constexpr const char *Usage =
    R"(Usage: gridspan-advice [options] FILE-OR-FOLDER...

Makes one list of the advice of a build (-mllvm -gridspan-advice=FILE, or
=FOLDER/), what costs most first.

  --report FILE      look at the launches of a run (GRIDSPAN_REPORT=FILE), and
                     weigh by them
  --as-compiled      keep what the compiler looked at; say where the run had
                     other launches
  --all              also what makes the program less than 1.05 times as fast
  --arch sm_90       only code for this architecture
  --html FILE        write a page with the annotated sources
  --sarif FILE       write SARIF 2.1.0
  --source-dir DIR   where relative source paths start (default: .)
  --help             print this text
)";

namespace {
struct Options {
  std::vector<std::string> Files;
  std::string Report, Arch, Html, Sarif, SourceDir = ".";
  bool AsCompiled = false, All = false;
};
} // namespace

static Options parse(int Count, char **Arguments) {
  Options Out;
  const std::pair<const char *, std::string *> Named[] = {
      {"--report", &Out.Report},
      {"--arch", &Out.Arch},
      {"--html", &Out.Html},
      {"--sarif", &Out.Sarif},
      {"--source-dir", &Out.SourceDir}};
  for (int I = 1; I < Count; ++I) {
    if (Arguments[I][0] != '-') {
      Out.Files.emplace_back(Arguments[I]);
      continue;
    }
    if (!std::strcmp(Arguments[I], "--as-compiled")) {
      Out.AsCompiled = true;
      continue;
    }
    if (!std::strcmp(Arguments[I], "--all")) {
      Out.All = true;
      continue;
    }
    std::string *Value = nullptr;
    for (auto [Name, To] : Named)
      if (!std::strcmp(Arguments[I], Name))
        Value = To;
    if (!Value)
      throw std::runtime_error(fmt::format("unknown option {}", Arguments[I]));
    if (++I == Count)
      throw std::runtime_error(
          fmt::format("{} needs a value", Arguments[I - 1]));
    *Value = Arguments[I];
  }
  if (Out.Files.empty())
    throw std::runtime_error("no advice file given; see --help");
  return Out;
}

template <class WriterT>
static void writeFile(const std::string &Path, WriterT Write) {
  std::ofstream OS(Path);
  Write(OS);
  OS.close();
  if (!OS)
    throw std::runtime_error(fmt::format("{}: cannot be written", Path));
}

int main(int Count, char **Arguments) {
  if (Count == 2 && !std::strcmp(Arguments[1], "--help")) {
    std::cout << Usage;
    return 0;
  }
  try {
    Options O = parse(Count, Arguments);
    Findings F = readFindings({O.Files, O.Report, O.Arch, O.AsCompiled, O.All});
    for (const std::string &Warning : F.Warnings)
      std::cerr << "gridspan-advice: warning: " << Warning << '\n';
    if (!O.Html.empty())
      writeFile(O.Html,
                [&](std::ostream &OS) { writeHtml(OS, F, O.SourceDir); });
    if (!O.Sarif.empty())
      writeFile(O.Sarif, [&](std::ostream &OS) { writeSarif(OS, F); });
    writeText(std::cout, F);
    return 0;
  } catch (const std::exception &Error) {
    std::cerr << "gridspan-advice: " << Error.what() << '\n';
    return 2;
  }
}
