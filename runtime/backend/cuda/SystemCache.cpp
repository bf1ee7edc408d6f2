//===- SystemCache.cpp - Measurements on disk -----------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One small JSON file per key, named by the key's hash (FNV-1a, 64 bits) and
// holding the key itself, so that a collision is seen. Written to a temporary
// name and renamed: readers see a complete file or none.
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/cuda/SystemCache.h"
#include <cstdlib>
#include <fmt/format.h>
#include <fstream>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace gridspan::cuda {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// The version of the entries, to be raised when the measurements change.
constexpr int Format = 1;

fs::path fileOf(const fs::path &Directory, const std::string &Key) {
  uint64_t Hash = 0xcbf29ce484222325u;
  for (unsigned char C : Key)
    Hash = (Hash ^ C) * 0x100000001b3u;
  return Directory / fmt::format("system-{:016x}.json", Hash);
}

json toJson(const std::string &Key, const SystemInfo &Info) {
  json Devices = json::array();
  for (const DeviceInfo &D : Info.Devices)
    Devices.push_back({{"memory_bandwidth", D.MemoryBandwidth},
                       {"host_to_device", D.HostToDevice},
                       {"device_to_host", D.DeviceToHost}});
  return {{"format", Format},
          {"key", Key},
          {"devices", Devices},
          {"peer_bandwidth", Info.PeerBandwidth},
          {"fan_out_seconds", Info.FanOutSeconds}};
}

/// Returns false for another key; throws json::exception on another shape.
bool fromJson(const json &J, const std::string &Key, SystemInfo &Info) {
  if (J.at("format") != Format || J.at("key") != Key)
    return false;
  SystemInfo New = Info;
  const json &Devices = J.at("devices");
  if (Devices.size() != Info.Devices.size())
    return false;
  for (size_t I = 0; I < Devices.size(); ++I) {
    Devices[I].at("memory_bandwidth").get_to(New.Devices[I].MemoryBandwidth);
    Devices[I].at("host_to_device").get_to(New.Devices[I].HostToDevice);
    Devices[I].at("device_to_host").get_to(New.Devices[I].DeviceToHost);
  }
  J.at("peer_bandwidth").get_to(New.PeerBandwidth);
  J.at("fan_out_seconds").get_to(New.FanOutSeconds);
  size_t Count = Info.Devices.size();
  if (New.PeerBandwidth.size() != Count ||
      New.FanOutSeconds.size() != Count + 1)
    return false;
  for (const auto &Row : New.PeerBandwidth)
    if (Row.size() != Count)
      return false;
  Info = std::move(New);
  return true;
}

} // namespace

fs::path cacheDirectory() {
  if (const char *Own = std::getenv("GRIDSPAN_CACHE_DIR"); Own && *Own)
    return Own;
  if (const char *Xdg = std::getenv("XDG_CACHE_HOME"); Xdg && *Xdg)
    return fs::path(Xdg) / "gridspan";
  if (const char *Home = std::getenv("HOME"); Home && *Home)
    return fs::path(Home) / ".cache" / "gridspan";
  return {};
}

bool loadMeasurements(const fs::path &Directory, const std::string &Key,
                      SystemInfo &Info) {
  if (Directory.empty())
    return false;
  std::ifstream In(fileOf(Directory, Key));
  if (!In)
    return false;
  // Somebody else's file, or a broken one, is like none.
  try {
    return fromJson(json::parse(In), Key, Info);
  } catch (const json::exception &) {
    return false;
  }
}

void storeMeasurements(const fs::path &Directory, const std::string &Key,
                       const SystemInfo &Info) {
  if (Directory.empty())
    return;
  std::error_code Ignored;
  fs::create_directories(Directory, Ignored);
  fs::path File = fileOf(Directory, Key);
  fs::path Temporary = File;
  Temporary += fmt::format(".{}", getpid());
  {
    std::ofstream Out(Temporary);
    Out << toJson(Key, Info).dump(1) << '\n';
    if (!Out.flush()) {
      fs::remove(Temporary, Ignored);
      return;
    }
  }
  fs::rename(Temporary, File, Ignored);
  if (Ignored)
    fs::remove(Temporary, Ignored);
}

} // namespace gridspan::cuda
