//===- Findings.cpp - Advice of a whole build, ranked --------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Findings.h"
#include <algorithm>
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
static void addKernel(const json &Kernel, Findings &Out) {
  std::map<
      std::tuple<std::string, unsigned, unsigned, std::string, std::string>,
      Finding>
      ByPlace;
  for (const json &Site : Kernel.at("sites")) {
    ++Out.NumSites;
    Out.NumUnknown += Site.contains("unknown");
    if (!Site.contains("rule"))
      continue;
    Finding F;
    F.Kernel = Kernel.at("name");
    F.Rule = Site.at("rule");
    F.Message = Site.at("message");
    F.Advice = Site.at("advice");
    F.File = Site.value("file", "");
    F.Line = Site.value("line", 0u);
    F.Column = Site.value("column", 0u);
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
    Finding F;
    F.Kernel = Kernel.at("name");
    F.Rule = Advice.at("rule");
    F.Message = Advice.at("message");
    F.Advice = Advice.at("advice");
    F.File = Advice.value("file", "");
    F.Line = Advice.value("line", 0u);
    F.Column = Advice.value("column", 0u);
    F.SavedSeconds = Advice.at("saved_seconds");
    F.Gain = Advice.at("gain");
    F.IsExact = false;
    Out.List.push_back(std::move(F));
  }
}

static void addFile(const std::string &Path, std::set<std::string> &Seen,
                    Findings &Out) {
  json File = readJson(Path);
  if (!File.is_object() || File.value("tool", "") != "gridspan" ||
      !File.contains("kernels"))
    throw std::runtime_error(fmt::format("{}: not an advice file", Path));
  if (File.value("version", 0) != 1)
    throw std::runtime_error(
        fmt::format("{}: version {} is not known, expected 1", Path,
                    File.value("version", json()).dump()));
  try {
    for (const json &Kernel : File["kernels"])
      if (Seen.insert(Kernel.at("mangled")).second)
        addKernel(Kernel, Out);
  } catch (const json::exception &Error) {
    throw std::runtime_error(fmt::format("{}: {}", Path, Error.what()));
  }
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
  std::set<std::string> Seen;
  for (const std::string &File : Files)
    addFile(File, Seen, Out);
  if (!Report.empty())
    applyReport(Report, Out);
  // By place where the cost is equal, so that the order is always the same.
  auto order = [](const Finding &F) {
    return std::tuple<double, double, const std::string &, unsigned, unsigned,
                      const std::string &, const std::string &>(
        -F.saved(), -F.excess(), F.File, F.Line, F.Column, F.Kernel, F.Message);
  };
  std::sort(
      Out.List.begin(), Out.List.end(),
      [&](const Finding &A, const Finding &B) { return order(A) < order(B); });
  return Out;
}

} // namespace gridspan
