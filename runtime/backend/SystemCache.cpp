//===- SystemCache.cpp - Measurements on disk -----------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One small file per key; see CacheFile.h.
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/SystemCache.h"
#include "runtime/support/CacheFile.h"
#include <nlohmann/json.hpp>

namespace gridspan {

namespace fs = std::filesystem;
using nlohmann::json;

/// The version of the entries, to be raised when the measurements change.
static constexpr int Format = 3;

static json toJson(const SystemInfo &Info) {
  json Devices = json::array();
  for (const DeviceInfo &D : Info.Devices)
    Devices.push_back({{"memory_bandwidth", D.MemoryBandwidth},
                       {"instruction_rate", D.InstructionRate},
                       {"host_to_device", D.HostToDevice},
                       {"device_to_host", D.DeviceToHost}});
  return {{"devices", Devices},
          {"peer_bandwidth", Info.PeerBandwidth},
          {"fan_out_seconds", Info.FanOutSeconds},
          {"page_move_seconds", Info.PageMoveSeconds}};
}

/// Returns false for other devices; throws json::exception on another shape.
static bool fromJson(const json &J, SystemInfo &Info) {
  SystemInfo New = Info;
  const json &Devices = J.at("devices");
  if (Devices.size() != Info.Devices.size())
    return false;
  for (size_t I = 0; I < Devices.size(); ++I) {
    Devices[I].at("memory_bandwidth").get_to(New.Devices[I].MemoryBandwidth);
    Devices[I].at("instruction_rate").get_to(New.Devices[I].InstructionRate);
    Devices[I].at("host_to_device").get_to(New.Devices[I].HostToDevice);
    Devices[I].at("device_to_host").get_to(New.Devices[I].DeviceToHost);
  }
  J.at("peer_bandwidth").get_to(New.PeerBandwidth);
  J.at("fan_out_seconds").get_to(New.FanOutSeconds);
  J.at("page_move_seconds").get_to(New.PageMoveSeconds);
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

bool loadMeasurements(const fs::path &Directory, const std::string &Key,
                      SystemInfo &Info) {
  const json Entry = CacheFile{Directory, "system", Key, Format}.load();
  // Somebody else's file, or a broken one, is like none.
  try {
    return !Entry.is_null() && fromJson(Entry, Info);
  } catch (const json::exception &) {
    return false;
  }
}

void storeMeasurements(const fs::path &Directory, const std::string &Key,
                       const SystemInfo &Info) {
  CacheFile{Directory, "system", Key, Format}.store(toJson(Info));
}

} // namespace gridspan
