//===- Findings.cpp - Advice of a whole build, ranked --------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Findings.h"
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <tuple>

using nlohmann::json;

namespace gridspan {

static json readJson(const std::string &Path) {
  std::ifstream In(Path);
  if (!In)
    throw std::runtime_error(fmt::format("{}: cannot be read", Path));
  try {
    return json::parse(In);
  } catch (const json::exception &) {
    throw std::runtime_error(fmt::format("{}: not a JSON file", Path));
  }
}

/// Adds what one file says of one kernel; accesses of one place become one.
static void addKernel(const json &Kernel, Finding Start, Findings &Out) {
  Start.Kernel = Kernel.at("name");
  auto findingOf = [&](const json &From) {
    Finding F = Start;
    F.Rule = From.at("rule");
    F.Message = From.at("message");
    F.Advice = From.at("advice");
    F.File = From.value("file", "");
    F.Line = From.value("line", 0u);
    F.Column = From.value("column", 0u);
    return F;
  };
  std::map<
      std::tuple<std::string, unsigned, unsigned, std::string, std::string>,
      Finding>
      ByPlace;
  for (const json &Site : Kernel.at("sites")) {
    ++Out.NumSites;
    Out.NumUnknown += Site.contains("unknown");
    if (!Site.contains("rule"))
      continue;
    Finding F = findingOf(Site);
    auto [It, Inserted] =
        ByPlace.try_emplace({F.File, F.Line, F.Column, F.Rule, F.Message}, F);
    It->second.IsExact &= Site.at("exact").get<bool>();
    It->second.Units += Site.at("units").get<double>();
    It->second.IdealUnits += Site.at("ideal_units").get<double>();
    It->second.SavedSeconds += Site.value("saved_seconds", 0.0);
  }
  for (auto &[Place, F] : ByPlace)
    Out.List.push_back(std::move(F));
  for (const json &Advice : Kernel.value("advice", json::array())) {
    Finding F = findingOf(Advice);
    F.SavedSeconds = Advice.at("saved_seconds");
    F.Gain = Advice.at("gain");
    F.IsExact = false;
    Out.List.push_back(std::move(F));
  }
}

/// Directory, source, architecture, symbol.
using KernelKey =
    std::tuple<std::string, std::string, std::string, std::string>;

static bool isAdvice(const json &File) {
  return File.is_object() && File.value("tool", json()) == "gridspan" &&
         File.contains("kernels");
}

static void addFile(const std::string &Path, const json &File,
                    std::set<KernelKey> &Seen, Findings &Out) {
  if (!isAdvice(File))
    throw std::runtime_error(fmt::format("{}: not an advice file", Path));
  if (File.value("version", json()) != 1)
    throw std::runtime_error(
        fmt::format("{}: version {} is not known, expected 1", Path,
                    File.value("version", json()).dump()));
  try {
    for (const json &Kernel : File["kernels"]) {
      Finding Start;
      Start.Source = Kernel.value("source", File.value("source", ""));
      Start.Target = Kernel.value("target", Kernel.value("arch", ""));
      KernelKey Key = {Kernel.value("directory", ""), Start.Source,
                       Start.Target, Kernel.at("mangled")};
      // A template's, which every source that uses it has.
      if (Kernel.value("shared", false))
        std::get<0>(Key) = std::get<1>(Key) = "";
      if (Seen.insert(Key).second)
        addKernel(Kernel, Start, Out);
    }
  } catch (const json::exception &Error) {
    throw std::runtime_error(fmt::format("{}: {}", Path, Error.what()));
  }
}

/// What a build wrote into a folder. Other files may be there too.
static void addFolder(const std::string &Path, std::set<KernelKey> &Seen,
                      Findings &Out) {
  std::set<std::string> Names;
  for (const auto &Entry : std::filesystem::directory_iterator(Path))
    if (Entry.path().extension() == ".json" && Entry.is_regular_file())
      Names.insert(Entry.path().string());
  bool IsAny = false;
  for (const std::string &Name : Names) {
    json File = readJson(Name);
    if (!isAdvice(File))
      continue;
    IsAny = true;
    addFile(Name, File, Seen, Out);
  }
  if (!IsAny)
    throw std::runtime_error(fmt::format("{}: no advice file in it", Path));
}

static void applyReport(const std::string &Path, Findings &Out) {
  std::map<std::string, uint64_t> Launches;
  json Report = readJson(Path);
  try {
    for (const json &Kernel : Report.at("kernels"))
      Launches[Kernel.at("name")] += Kernel.at("launches").get<uint64_t>();
  } catch (const json::exception &) {
    throw std::runtime_error(fmt::format("{}: not the report of a run", Path));
  }
  Out.HasReport = true;
  for (Finding &F : Out.List)
    F.Launches = Launches[F.Kernel];
  std::erase_if(Out.List, [](const Finding &F) { return F.Launches == 0; });
}

Findings readFindings(const std::vector<std::string> &Files,
                      const std::string &Report) {
  Findings Out;
  std::set<KernelKey> Seen;
  for (const std::string &File : Files)
    if (std::filesystem::is_directory(File))
      addFolder(File, Seen, Out);
    else
      addFile(File, readJson(File), Seen, Out);
  std::set<std::string> Targets;
  for (const Finding &F : Out.List)
    Targets.insert(F.Target);
  Out.HasSeveralTargets = Targets.size() > 1;
  if (!Report.empty())
    applyReport(Report, Out);
  // By place where the cost is equal, so that the order is always the same.
  auto order = [](const Finding &F) {
    return std::tuple<double, double, const std::string &, unsigned, unsigned,
                      const std::string &, const std::string &,
                      const std::string &, const std::string &>(
        -F.saved(), -F.excess(), F.File, F.Line, F.Column, F.Kernel, F.Message,
        F.Source, F.Target);
  };
  std::sort(
      Out.List.begin(), Out.List.end(),
      [&](const Finding &A, const Finding &B) { return order(A) < order(B); });
  return Out;
}

} // namespace gridspan
