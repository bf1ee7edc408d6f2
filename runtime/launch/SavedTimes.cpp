//===- SavedTimes.cpp - Histories of launches on disk ---------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An entry of another shape is left out; values that no launch can have had are
// left out by restoredHistory().
//
//===----------------------------------------------------------------------===//

#include "runtime/launch/SavedTimes.h"
#include "gridspan/ABI.h"
#include "runtime/support/CacheFile.h"
#include "runtime/support/ProcessEnd.h"
#include <dlfcn.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>

namespace gridspan {

namespace fs = std::filesystem;
using nlohmann::json;

/// The version of the entries, to be raised when their meaning changes.
static constexpr int Format = 3;
/// A file has no more classes than this.
static constexpr size_t MostClasses = 4096;

/// Returns the text that tells a file of code from others; empty if there is no
/// such file.
static std::string nameOfFile(const fs::path &Link) {
  std::error_code Error;
  const fs::path Path = fs::canonical(Link, Error);
  struct stat Status;
  if (Error || stat(Path.c_str(), &Status))
    return "";
  return fmt::format("{} {} {}.{:09}", Path.string(), Status.st_size,
                     Status.st_mtim.tv_sec, Status.st_mtim.tv_nsec);
}

static CacheFile fileOnDisk(const fs::path &Directory, const std::string &Key) {
  return {Directory, "times", Key, Format};
}

static json toJson(const SavedTimes::ClassName &Class,
                   const SavedHistory &History) {
  json Divisions = json::array(), Cuts = json::array();
  for (const SavedDivision &D : History.Divisions)
    Divisions.push_back({{"devices", D.What.Devices},
                         {"axis", D.What.Axis},
                         {"spread", D.What.IsSpread},
                         {"cut", D.What.Cut},
                         {"dynamic", D.What.IsDynamic},
                         {"private_copies", D.What.HasPrivates},
                         {"seconds", D.Time.Seconds},
                         {"predicted", D.Time.Predicted},
                         {"by_device", D.Time.ByDevice},
                         {"shares", D.Time.Shares},
                         {"size", D.Time.Size}});
  for (const SavedCut &C : History.Cuts)
    Cuts.push_back(
        {{"devices", C.Devices}, {"axis", C.Axis}, {"shares", C.Shares}});
  return {{"kernel", Class.Kernel},   {"block_threads", Class.BlockThreads},
          {"blocks", Class.Blocks},   {"work", Class.Work},
          {"scalars", Class.Scalars}, {"launches", History.Launches},
          {"divisions", Divisions},   {"cuts", Cuts}};
}

/// Throws json::exception on another shape.
static void fromJson(const json &J, SavedTimes::Histories &Out) {
  SavedTimes::ClassName Class;
  J.at("kernel").get_to(Class.Kernel);
  J.at("block_threads").get_to(Class.BlockThreads);
  J.at("blocks").get_to(Class.Blocks);
  J.at("work").get_to(Class.Work);
  J.at("scalars").get_to(Class.Scalars);
  SavedHistory History;
  J.at("launches").get_to(History.Launches);
  for (const json &D : J.at("divisions")) {
    SavedDivision &To = History.Divisions.emplace_back();
    D.at("devices").get_to(To.What.Devices);
    D.at("axis").get_to(To.What.Axis);
    D.at("spread").get_to(To.What.IsSpread);
    D.at("cut").get_to(To.What.Cut);
    D.at("dynamic").get_to(To.What.IsDynamic);
    D.at("private_copies").get_to(To.What.HasPrivates);
    D.at("seconds").get_to(To.Time.Seconds);
    D.at("predicted").get_to(To.Time.Predicted);
    D.at("by_device").get_to(To.Time.ByDevice);
    D.at("shares").get_to(To.Time.Shares);
    D.at("size").get_to(To.Time.Size);
  }
  for (const json &C : J.at("cuts")) {
    SavedCut &To = History.Cuts.emplace_back();
    C.at("devices").get_to(To.Devices);
    C.at("axis").get_to(To.Axis);
    C.at("shares").get_to(To.Shares);
  }
  Out.insert_or_assign(std::move(Class), std::move(History));
}

static SavedTimes::Histories read(const CacheFile &From) {
  SavedTimes::Histories Out;
  const json Contents = From.load();
  if (!Contents.contains("classes") || !Contents["classes"].is_array())
    return Out;
  for (const json &Entry : Contents["classes"])
    try {
      if (Out.size() != MostClasses)
        fromJson(Entry, Out);
    } catch (const json::exception &) {
      continue;
    }
  return Out;
}

SavedTimes::File &SavedTimes::fileOfName(const std::string &Name) {
  const std::string Key = Name.empty()
                              ? Name
                              : fmt::format("{}; runtime {}; {}", Machine,
                                            GRIDSPAN_ABI_VERSION, Name);
  const auto [It, IsFirst] = Files.try_emplace(Key);
  File &Of = It->second;
  if (IsFirst && !Key.empty()) {
    Of.IsKept = true;
    Of.Known = read(fileOnDisk(Directory, Key));
  }
  return Of;
}

void SavedTimes::readProgram() {
  Program = &fileOfName(nameOfFile("/proc/self/exe"));
}

SavedTimes::File &SavedTimes::fileOf(const void *Code) {
  if (isOfProgram(Code)) {
    if (!Program)
      readProgram();
    return *Program;
  }
  Dl_info Info;
  return fileOfName(
      dladdr(Code, &Info) && Info.dli_fname ? nameOfFile(Info.dli_fname) : "");
}

LaunchHistory SavedTimes::find(const void *Code, const ClassName &Class) {
  const Histories &Known = fileOf(Code).Known;
  const auto It = Known.find(Class);
  return It == Known.end() ? LaunchHistory()
                           : restoredHistory(It->second, NumDevices);
}

void SavedTimes::note(const void *Code, const ClassName &Class,
                      const LaunchHistory &History) {
  SavedHistory New = savedHistory(History);
  File &Of = fileOf(Code);
  if (!Of.IsKept || New.Divisions.empty() ||
      (Of.Known.size() >= MostClasses && !Of.Known.contains(Class)))
    return;
  Of.Known.insert_or_assign(Class, std::move(New));
  Of.IsNew = true;
}

void SavedTimes::write() {
  for (auto &[Key, Of] : Files) {
    if (!Of.IsNew)
      continue;
    json Classes = json::array();
    for (const auto &[Class, History] : Of.Known)
      Classes.push_back(toJson(Class, History));
    fileOnDisk(Directory, Key).store({{"classes", Classes}});
    Of.IsNew = false;
  }
}

} // namespace gridspan
