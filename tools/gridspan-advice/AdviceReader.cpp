//===- AdviceReader.cpp - Advice files as data ----------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Files may lack members that were added later than others; what is not there
// is not shown.
//
//===----------------------------------------------------------------------===//

#include "tools/gridspan-advice/AdviceReader.h"
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <tuple>

using nlohmann::json;

namespace gridspan {

json readJson(const std::string &Path) {
  std::ifstream In(Path);
  if (!In)
    throw std::runtime_error(fmt::format("{}: cannot be read", Path));
  try {
    return json::parse(In);
  } catch (const json::exception &) {
    throw std::runtime_error(fmt::format("{}: not a JSON file", Path));
  }
}

/// Names of the source by those that bases have.
using Names = std::map<std::string, std::string>;

static std::string named(const std::string &Base, const Names &Of) {
  auto It = Of.find(Base);
  return It == Of.end() ? Base : It->second;
}

static Finding findingOf(const json &From) {
  Finding F;
  F.Rule = From.at("rule");
  F.Message = From.at("message");
  F.Advice = From.at("advice");
  F.Base = From.value("base", "");
  F.File = From.value("file", "");
  F.Line = From.value("line", 0u);
  F.Column = From.value("column", 0u);
  return F;
}

/// Accesses of one place become one.
static void addSites(const json &From, const Names &Of, Kernel &To,
                     size_t Index, std::vector<Finding> &Out) {
  std::map<
      std::tuple<std::string, unsigned, unsigned, std::string, std::string>,
      Finding>
      ByPlace;
  for (const json &Site : From.at("sites")) {
    ++To.NumSites;
    if (Site.contains("units"))
      To.Sites.push_back(
          {fmt::format("{} of {} bytes", Site.at("kind").get<std::string>(),
                       Site.at("bytes").get<uint64_t>()),
           Site.value("file", ""), Site.value("line", 0u),
           Site.value("space", "") == "global", Site.at("requests"),
           Site.at("units"), Site.at("ideal_units")});
    if (Site.contains("unknown")) {
      std::string Base = Site.value("base", "");
      To.Unknown.push_back(
          {fmt::format("{} of {} bytes {} {}",
                       Site.at("kind").get<std::string>(),
                       Site.at("bytes").get<uint64_t>(),
                       Site.at("kind") == "load" ? "from" : "to",
                       Base.empty() ? "somewhere" : named(Base, Of)),
           Site.at("unknown"), Site.value("file", ""), Site.value("line", 0u)});
    }
    if (!Site.contains("rule"))
      continue;
    Finding F = findingOf(Site);
    F.Kernel = Index;
    auto [It, Inserted] =
        ByPlace.try_emplace({F.File, F.Line, F.Column, F.Rule, F.Message}, F);
    It->second.IsExact &= Site.at("exact").get<bool>();
    It->second.Units += Site.at("units").get<double>();
    It->second.IdealUnits += Site.at("ideal_units").get<double>();
    It->second.SavedSeconds += Site.value("saved_seconds", 0.0);
  }
  for (auto &[Place, F] : ByPlace)
    Out.push_back(std::move(F));
}

static Shape shapeOf(const json &From, const char *Name) {
  Shape Out = {1, 1, 1};
  if (From.contains(Name))
    for (size_t Axis = 0; Axis < 3; ++Axis)
      Out[Axis] = From.at(Name).at(Axis);
  return Out;
}

static LookedAt launchOf(const json &From, const Names &Of) {
  LookedAt Out;
  Out.Block = shapeOf(From, "block");
  Out.Grid = shapeOf(From, "grid");
  Out.DynamicShared = From.value("dynamic_shared_bytes", uint64_t(0));
  for (const json &What : From.value("assumed", json::array())) {
    Out.IsBlockAssumed |= What == "block";
    Out.IsGridAssumed |= What == "grid";
    Out.IsDynamicSharedAssumed |= What == "dynamic_shared";
  }
  for (const json &One : From.value("parameters", json::array())) {
    LaunchParameter P;
    P.Index = One.at("index");
    P.Byte = One.at("byte");
    P.Bits = One.at("bits");
    P.Value = One.at("value");
    P.IsAssumed = One.value("assumed", false);
    std::string Where = std::to_string(P.Index);
    if (P.Byte)
      Where += fmt::format("+{}", P.Byte);
    auto It = Of.find("arg" + Where);
    P.Name = It == Of.end() ? "parameter " + Where : It->second;
    Out.Parameters.push_back(std::move(P));
  }
  return Out;
}

static Prediction predictionOf(const json &Cost, const json &Machine) {
  Prediction Out;
  Out.Microseconds = Cost.at("microseconds");
  Out.IdleStartMicroseconds = Cost.value("idle_start_microseconds", 0.0);
  Out.Limit = Cost.at("limit");
  for (const auto &[Name, Value] : Cost.at("bounds").items())
    if (double Bound = Value; Bound > 0)
      Out.Bounds.emplace_back(Name, Bound);
  std::sort(
      Out.Bounds.begin(), Out.Bounds.end(), [](const auto &A, const auto &B) {
        return A.second != B.second ? A.second > B.second : A.first < B.first;
      });
  for (const json &Text : Cost.value("assumptions", json::array()))
    Out.Assumptions.push_back(Text);
  Out.Registers = Cost.value("registers", 0u);
  Out.ResidentWarps = Cost.value("resident_warps", 0u);
  Out.OccupancyLimit = Cost.value("occupancy_limit", "");
  Out.Waves = Cost.value("waves", 0.0);
  double Flops32 = Cost.value("flops32", 0.0),
         Flops64 = Cost.value("flops64", 0.0);
  double Bytes = Cost.value("memory_read_bytes", 0.0) +
                 Cost.value("memory_write_bytes", 0.0);
  if (Out.Microseconds > 0) {
    Out.Gflops = (Flops32 + Flops64) / Out.Microseconds * 1e-3;
    Out.MemoryGbs = Bytes / Out.Microseconds * 1e-3;
  }
  if (Bytes > 0)
    Out.Intensity = (Flops32 + Flops64) / Bytes;
  // Of both kinds, as long as they take one after the other.
  double Peak32 = Machine.value("gflops32", 0.0),
         Peak64 = Machine.value("gflops64", 0.0);
  if (Peak32 > 0 && Peak64 > 0 && Flops32 + Flops64 > 0)
    Out.PeakGflops =
        (Flops32 + Flops64) / (Flops32 / Peak32 + Flops64 / Peak64);
  Out.PeakGbs = Machine.value("memory_gbs", 0.0);
  return Out;
}

static LayoutTable layoutOf(const json &Array, const Names &Of) {
  LayoutTable Out;
  Out.Base = Array.at("base");
  Out.Name = named(Out.Base, Of);
  Out.Type = Array.value("type", "");
  for (const json &Base : Array.value("apart", json::array()))
    Out.Apart.push_back(named(Base, Of));
  Out.RecordBytes = Array.at("record_bytes");
  for (const json &L : Array.at("layouts"))
    Out.Layouts.push_back({L.at("layout"), L.at("bound_by"), L.at("seconds")});
  Out.Recommended = Array.value("recommended", "");
  Out.Stays = Array.value("stays", "");
  Out.WhyStays = Array.value("why_stays", Out.Stays);
  return Out;
}

/// Adds what was looked at without a word, but for arrays that are read once.
static std::vector<NotKnown> silentIn(const json &From, const Names &Of) {
  std::vector<NotKnown> Out;
  auto Add = [&](const std::string &What, const json &Of) {
    std::string Why = Of.value("stays", "");
    if (!Why.empty() && Why != "read-once")
      Out.push_back({What, Why, "", 0});
  };
  const json Reuse = From.value("reuse", json::object());
  for (const json &Array : Reuse.value("arrays", json::array()))
    Add("stage of " + named(Array.value("base", ""), Of), Array);
  for (const json &Product : Reuse.value("products", json::array())) {
    std::string Bases;
    for (const json &Base : Product.value("bases", json::array()))
      Bases +=
          (Bases.empty() ? "" : " and ") + named(Base.get<std::string>(), Of);
    Add("tiles of the product of " + Bases, Product);
  }
  const json Reduction = From.value("reduction", json::object());
  if (std::string Kind = Reduction.value("kind", "none"); Kind != "none")
    Add("other form of the reduction (" + Kind + ")", Reduction);
  return Out;
}

static void addKernel(const json &From, Kernel K, AdviceData &Out) {
  const size_t Index = Out.Kernels.size();
  const auto Of = From.value("names", Names());
  K.Launch = launchOf(From, Of);
  const json Machine = From.value("machine", json::object());
  K.Machine = Machine.value("name", "");
  if (From.contains("cost")) {
    const json &Cost = From.at("cost");
    if (Cost.contains("unknown"))
      K.WhyNoCost = Cost.at("unknown");
    else
      K.Cost = predictionOf(Cost, Machine);
  }
  for (const json &Array : From.value("arrays", json::array()))
    K.Arrays.push_back(layoutOf(Array, Of));
  for (const json &R : From.value("refused_arrays", json::array()))
    K.RefusedArrays.push_back({named(R.at("base"), Of), R.at("why"), "", 0});
  K.Silent = silentIn(From, Of);
  addSites(From, Of, K, Index, Out.Findings);
  for (const json &Advice : From.value("advice", json::array())) {
    Finding F = findingOf(Advice);
    F.Kernel = Index;
    F.SavedSeconds = Advice.at("saved_seconds");
    F.Gain = Advice.at("gain");
    F.IsExact = false;
    Out.Findings.push_back(std::move(F));
  }
  Out.Kernels.push_back(std::move(K));
}

/// Directory, source, architecture, symbol.
using KernelKey =
    std::tuple<std::string, std::string, std::string, std::string>;

static bool isAdvice(const json &File) {
  return File.is_object() && File.value("tool", json()) == "gridspan" &&
         File.contains("kernels");
}

static void addFile(const std::string &Path, const json &File,
                    const std::string &Target, std::set<KernelKey> &Seen,
                    AdviceData &Out) {
  if (!isAdvice(File))
    throw std::runtime_error(fmt::format("{}: not an advice file", Path));
  if (File.value("version", json()) != 1)
    throw std::runtime_error(
        fmt::format("{}: version {} is not known, expected 1", Path,
                    File.value("version", json()).dump()));
  try {
    if (File.contains("assumptions"))
      Out.Assumptions.clear();
    for (const json &From : File.value("assumptions", json::array()))
      Out.Assumptions.push_back(
          {From.at("name"), From.at("text"), From.at("value")});
    for (const json &From : File.at("kernels")) {
      Kernel K;
      K.Name = From.at("name");
      K.Mangled = From.at("mangled");
      K.Source = From.value("source", File.value("source", ""));
      K.Directory = From.value("directory", "");
      K.Build = From.value("build", "");
      K.Target = From.value("target", From.value("arch", ""));
      if (!Target.empty() && K.Target != Target)
        continue;
      KernelKey Key = {K.Directory, K.Source, K.Target, K.Mangled};
      // A template's, which every source that uses it has.
      if (From.value("shared", false))
        std::get<0>(Key) = std::get<1>(Key) = "";
      if (Seen.insert(Key).second)
        addKernel(From, std::move(K), Out);
    }
  } catch (const json::exception &Error) {
    throw std::runtime_error(fmt::format("{}: {}", Path, Error.what()));
  }
}

/// Adds what a build wrote into a folder. Other files may be there too.
static void addFolder(const std::string &Path, std::vector<AdviceFile> &Out) {
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
    Out.push_back({Name, std::move(File)});
  }
  if (!IsAny)
    throw std::runtime_error(fmt::format("{}: no advice file in it", Path));
}

std::vector<AdviceFile> readFiles(const std::vector<std::string> &Paths) {
  std::vector<AdviceFile> Out;
  for (const std::string &Path : Paths)
    if (std::filesystem::is_directory(Path))
      addFolder(Path, Out);
    else
      Out.push_back({Path, readJson(Path)});
  return Out;
}

AdviceData adviceOf(const std::vector<AdviceFile> &Files,
                    const std::string &Target) {
  AdviceData Out;
  std::set<KernelKey> Seen;
  for (const AdviceFile &File : Files)
    addFile(File.Path, File.Json, Target, Seen, Out);
  return Out;
}

} // namespace gridspan
