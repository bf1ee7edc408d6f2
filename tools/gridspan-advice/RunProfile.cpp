//===- RunProfile.cpp - What a run showed of kernels ----------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel is matched by its symbol name and source. The launches that are
// looked at are the commonest of the class that takes longest. Recorded numbers
// are those of the same class.
//
//===----------------------------------------------------------------------===//

#include "tools/gridspan-advice/RunProfile.h"
#include "runtime/report/ProfileTimes.h"
#include "tools/gridspan-advice/RunReport.h"
#include "tools/gridspan-advice/TimeGap.h"
#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>

using nlohmann::json;

namespace gridspan {

struct RunProfile::Contents {
  std::string Path;
  json File;
};

RunProfile::RunProfile(const std::string &Path)
    : All(std::make_unique<Contents>()) {
  All->Path = Path;
  All->File = readJson(Path);
  const json &File = All->File;
  if (!File.is_object() || File.value("tool", json()) != "gridspan" ||
      File.value("kind", json()) != "profile")
    throw std::runtime_error(fmt::format(
        "{}: not-a-profile: expected what GRIDSPAN_PROFILE writes", Path));
  if (File.value("version", json()) != 1)
    throw std::runtime_error(fmt::format("{}: unknown-version: {}, expected 1",
                                         Path,
                                         File.value("version", json()).dump()));
}

RunProfile::~RunProfile() = default;

std::vector<std::string> RunProfile::advice() const {
  std::set<std::string> Out;
  for (const json &Module : All->File.value("modules", json::array()))
    if (Module.is_object() && Module.value("advice", json()).is_string())
      Out.insert(Module.at("advice").get<std::string>());
  if (Out.empty())
    throw std::runtime_error(
        fmt::format("{}: no-advice: the program was compiled without -mllvm "
                    "-gridspan-advice=FILE",
                    All->Path));
  return {Out.begin(), Out.end()};
}

namespace {
struct Times {
  uint64_t Count = 0;
  double Mean = 0, Least = 0, Most = 0;
};
} // namespace

static Times timesOf(const json &Of, const char *Name) {
  const json T = Of.value(Name, json());
  if (!T.is_object())
    return {};
  return {T.at("times"), T.at("mean_seconds"), T.at("least_seconds"),
          T.at("most_seconds")};
}

/// Returns the seconds of all launches of a class, about.
static double secondsOf(const json &Class) {
  Times T = timesOf(Class, "all");
  if (T.Count == 0)
    T = timesOf(Class, "all_recorded");
  return T.Mean * Class.at("launches").get<double>();
}

/// Returns true if the host was far ahead of the device: then all events are in
/// use (runtime/launch/LaunchTimer), and few of the launches that were to be
/// timed were.
static bool isStreamBusy(const json &Class) {
  const double Due = timesDueInProfile(Class.at("launches"));
  const auto Timed = timesOf(Class, "all").Count;
  const auto Recorded = timesOf(Class, "all_recorded").Count;
  return static_cast<double>(Timed + Recorded) < Due / 2;
}

static MeasuredKernel recordedOf(const json &Class) {
  MeasuredKernel Out;
  for (const json &S : Class.value("sites", json::array())) {
    MeasuredSite &Site = Out[S.at("site").get<uint32_t>()];
    Site.Requests = S.at("requests");
    Site.Lanes = S.at("lanes");
    Site.Sectors = S.at("sectors");
    Site.IdealSectors = S.at("ideal_sectors");
    Site.Lines = S.at("lines");
    Site.Addresses = S.at("addresses");
    if (Site.Sectors > 0)
      Site.FreshShare = S.at("fresh_sectors").get<double>() / Site.Sectors;
    Site.ArrayBytes = S.at("array_bytes");
  }
  return Out;
}

static OtherClass otherOf(const json &Class) {
  OtherClass Out;
  for (size_t Axis = 0; Axis < 3; ++Axis) {
    Out.Block[Axis] = Class.at("block").at(Axis);
    if (Class.contains("common"))
      Out.Grid[Axis] = Class.at("common").at("grid").at(Axis);
  }
  Out.Launches = Class.at("launches");
  Out.Seconds = secondsOf(Class);
  return Out;
}

/// Returns how much a class is of the program: seconds, or threads where these
/// say nothing.
static double weightOf(const json &Class, bool IsOnGpus) {
  if (IsOnGpus)
    return secondsOf(Class);
  double Threads = Class.at("launches");
  for (const char *Shape : {"grid", "block"})
    for (const json &Axis : Class.at("common").at(Shape))
      Threads *= Axis.get<double>();
  return Threads;
}

/// Adds what a line of the file says of the kernel.
static void applyLine(const json &Line, bool IsOnGpus, Kernel &K) {
  K.Launches = Line.at("launches");
  MeasuredTime &Run = K.Run.emplace();
  const json *Main = nullptr;
  for (const json &Class : Line.at("classes")) {
    // Times of the CPU device rank nothing.
    if (IsOnGpus)
      Run.AllSeconds += secondsOf(Class);
    if (Class.contains("common") &&
        (!Main || weightOf(Class, IsOnGpus) > weightOf(*Main, IsOnGpus)))
      Main = &Class;
  }
  for (const json &Class : Line.at("classes"))
    if (&Class != Main)
      K.Others.push_back(otherOf(Class));
  if (!Main)
    return;
  const json &Common = Main->at("common");
  compareLaunch(Common, K.Launches, K);
  Times T = timesOf(Common, "time");
  Run.IsOfRecorded = T.Count == 0;
  if (T.Count == 0)
    T = timesOf(Common, "recorded_time");
  Run.Times = T.Count;
  Run.Seconds = T.Mean;
  Run.Least = T.Least;
  Run.Most = T.Most;
  Run.IsStreamBusy = isStreamBusy(*Main);
  Run.Recordings = Main->value("recordings", uint64_t(0));
  if (const json Why = Main->value("why_not_recorded", json()); Why.is_string())
    Run.WhyNotRecorded = Why;
  K.Recorded = recordedOf(*Main);
}

/// Throws if the kernel's code is not what ran.
static void checkBuild(const std::string &Path, const json &Modules,
                       const json &Line, const Kernel &K) {
  if (K.Build.empty())
    return;
  for (const json &Module : Modules)
    if (Module.at("source") == Line.at("source"))
      for (const json &Build : Module.at("builds"))
        if (Build == K.Build)
          return;
  throw std::runtime_error(
      fmt::format("{}: another-build: {} was compiled again since the program "
                  "ran (kernel {}): run it again",
                  Path, K.Source, K.Name));
}

RunSummary RunProfile::apply(std::vector<Kernel> &Kernels) const {
  RunSummary Out;
  try {
    const json &File = All->File;
    Out.IsOnGpus = File.at("backend") != "cpu";
    for (const json &Device : File.at("devices"))
      Out.Devices.push_back(Device.at("name"));
    const RunDevices Devices = {Out.IsOnGpus, Out.Devices.size()};
    for (Kernel &K : Kernels)
      K.Launches = 0;
    for (const json &Line : File.at("kernels")) {
      Out.Launches += Line.at("launches").get<uint64_t>();
      for (const json &Class : Line.at("classes"))
        Out.Seconds += secondsOf(Class);
      bool IsAdvised = false;
      for (Kernel &K : Kernels) {
        if (Line.at("mangled") != K.Mangled || !isLineOf(Line, K, Kernels))
          continue;
        checkBuild(All->Path, File.at("modules"), Line, K);
        IsAdvised = true;
        applyLine(Line, Out.IsOnGpus, K);
        const TimeGap Gap = timeGapOf(K, Devices);
        K.Run->Gap = nameOf(Gap);
        K.Run->GapText = textOf(Gap);
      }
      if (!IsAdvised)
        Out.NotAdvised.push_back(Line.at("name"));
    }
  } catch (const json::exception &Error) {
    throw std::runtime_error(
        fmt::format("{}: damaged-profile: {}", All->Path, Error.what()));
  }
  return Out;
}

} // namespace gridspan
