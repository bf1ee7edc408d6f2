//===- Main.cpp - gridspan-advice -----------------------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the command line and writes the findings in the forms that it asks for.
// Errors are one line and exit status 2.
//
//===----------------------------------------------------------------------===//

#include "runtime/support/WholeFile.h"
#include "tools/gridspan-advice/Findings.h"
#include "tools/gridspan-advice/RunCommand.h"
#include "tools/gridspan-advice/Writers.h"
#include <cstdio>
#include <cstring>
#include <fmt/format.h>
#include <iostream>
#include <optional>
#include <sstream>
#include <stdexcept>

using namespace gridspan;

static constexpr const char *Usage =
    R"(Usage: gridspan-advice [options] FILE-OR-FOLDER...
       gridspan-advice run [options] PROGRAM [ARGUMENT...]

Makes one list of the advice of a build (-mllvm -gridspan-advice=FILE, or
=FOLDER/), what costs most first.

  --report FILE      look at the launches of a run (GRIDSPAN_REPORT=FILE), and
                     weigh by them
  --profile FILE     look at the launches of a run (GRIDSPAN_PROFILE=FILE) with
                     what they took and what was recorded. Without advice files
                     those that the program was compiled with are read
  --as-compiled      keep what the compiler looked at; say where the run had
                     other launches
  --all              also what makes the program less than 1.05 times as fast
  --arch sm_90       only code for this architecture
  --html FILE        write a page with the annotated sources
  --sarif FILE       write SARIF 2.1.0
  --source-dir DIR   where relative source paths start (default: .)
  --help             print this text

run has the program write a profile (kept with --profile FILE) and does the rest
at once; with --advice FILE-OR-FOLDER it reads other advice.
)";

namespace {
struct Options {
  std::vector<std::string> Files;
  std::vector<std::string> Command; ///< of run
  std::string Report, Profile, Advice, Arch, Html, Sarif, SourceDir = ".";
  bool AsCompiled = false, All = false;
};
} // namespace

static Options parse(int Count, char **Arguments) {
  Options Out;
  const std::pair<const char *, std::string *> Named[] = {
      {"--report", &Out.Report},       {"--profile", &Out.Profile},
      {"--advice", &Out.Advice},       {"--arch", &Out.Arch},
      {"--html", &Out.Html},           {"--sarif", &Out.Sarif},
      {"--source-dir", &Out.SourceDir}};
  const bool IsRun = Count > 1 && !std::strcmp(Arguments[1], "run");
  for (int I = IsRun ? 2 : 1; I < Count; ++I) {
    if (IsRun && Arguments[I][0] != '-') {
      Out.Command.assign(Arguments + I, Arguments + Count);
      break;
    }
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
  if (IsRun && Out.Command.empty())
    throw std::runtime_error("no program given; see --help");
  if (!Out.Advice.empty())
    Out.Files.push_back(Out.Advice);
  if (!Out.Report.empty() && (IsRun || !Out.Profile.empty()))
    throw std::runtime_error("--report says no more than a profile does: give "
                             "one of them");
  if (Out.Files.empty() && !IsRun && Out.Profile.empty())
    throw std::runtime_error("no advice file given; see --help");
  return Out;
}

/// Writes the file whole or not at all.
template <class WriterT>
static void writeFile(const std::string &Path, WriterT Write) {
  std::ostringstream OS;
  Write(OS);
  if (!writeWhole(Path, OS.str()))
    throw std::runtime_error(fmt::format("{}: cannot be written", Path));
}

int main(int Count, char **Arguments) {
  if (Count == 2 && !std::strcmp(Arguments[1], "--help")) {
    std::cout << Usage;
    return 0;
  }
  try {
    Options O = parse(Count, Arguments);
    std::optional<TemporaryFolder> Folder;
    if (!O.Command.empty()) {
      if (O.Profile.empty())
        O.Profile = Folder.emplace().file("profile.json");
      if (std::string Warning = runForProfile(O.Command, O.Profile);
          !Warning.empty())
        std::cerr << "gridspan-advice: warning: " << Warning << '\n';
    }
    Findings F = readFindings(
        {O.Files, O.Report, O.Profile, O.Arch, O.AsCompiled, O.All});
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
