//===- ProfilePrinter.cpp - The profile of a run as data ------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Only here are names of members.
//
//===----------------------------------------------------------------------===//

#include "runtime/report/ProfilePrinter.h"
#include "runtime/report/ReportPrinter.h"
#include <nlohmann/json.hpp>

namespace gridspan {

using Json = nlohmann::ordered_json;

/// Returns a text's parts, which spaces separate.
static Json partsOf(const std::string &Text) {
  Json Out = Json::array();
  for (size_t At = 0; At < Text.size();) {
    const size_t End = std::min(Text.find(' ', At), Text.size());
    Out.push_back(Text.substr(At, End - At));
    At = End + 1;
  }
  return Out;
}

static Json timesJson(const TimeSums &T) {
  if (T.Times == 0)
    return nullptr;
  return {{"times", T.Times},
          {"mean_seconds", T.mean()},
          {"least_seconds", T.Least},
          {"most_seconds", T.Most}};
}

static const char *kindOf(uint32_t Mode) {
  return Mode == GridspanRead    ? "load"
         : Mode == GridspanWrite ? "store"
                                 : "atomic";
}

static Json sitesJson(const ProfileClassRecord &C) {
  Json Out = Json::array();
  for (const auto &[Site, S] : C.Sites)
    Out.push_back({{"site", Site},
                   {"kind", kindOf(S.Mode)},
                   {"bytes", S.Bytes},
                   {"requests", S.Requests},
                   {"lanes", S.Lanes},
                   {"sectors", S.Sectors},
                   {"ideal_sectors", S.IdealSectors},
                   {"lines", S.Lines},
                   {"addresses", S.Addresses},
                   {"fresh_sectors", S.FreshSectors},
                   {"array_bytes", S.ArrayBytes}});
  return Out;
}

static Json classJson(const ProfileClassRecord &C) {
  Json Arguments = Json::array();
  for (const ScalarArgument &A : C.Common.Arguments)
    Arguments.push_back(argumentJson(A));
  Json Out = {{"launches", C.Launches},
              {"block", C.Common.Block},
              {"shared_bytes", C.Common.SharedBytes},
              {"all", timesJson(C.All)},
              {"all_recorded", timesJson(C.AllRecorded)}};
  if (C.Common.Launches)
    Out["common"] = {{"launches", C.Common.Launches},
                     {"grid", C.Common.Grid},
                     {"block", C.Common.Block},
                     {"shared_bytes", C.Common.SharedBytes},
                     {"arguments", std::move(Arguments)},
                     {"time", timesJson(C.Plain)},
                     {"recorded_time", timesJson(C.Recorded)}};
  Out["recordings"] = C.Recordings;
  Out["sampled_warps"] = C.SampledWarps;
  Out["warps"] = C.Warps;
  Out["sites"] = sitesJson(C);
  Out["why_not_recorded"] = C.WhyNotRecorded == ProfileReason::None
                                ? Json(nullptr)
                                : Json(nameOf(C.WhyNotRecorded));
  return Out;
}

Json profileJson(const ProfileRecord &Record, const char *Backend,
                 const std::vector<DeviceRecord> &Devices) {
  Json Out = {{"tool", "gridspan"},
              {"kind", "profile"},
              {"version", ProfileVersion},
              {"backend", Backend}};
  Out["devices"] = Json::array();
  for (const DeviceRecord &D : Devices)
    Out["devices"].push_back(
        {{"name", D.Name}, {"memory_bytes", D.MemoryBytes}});
  Out["modules"] = Json::array();
  for (const ProfileModuleRecord &M : Record.Modules)
    Out["modules"].push_back(
        {{"source", M.Source},
         {"builds", partsOf(M.Builds)},
         {"advice", M.Advice.empty() ? Json(nullptr) : Json(M.Advice)}});
  Out["kernels"] = Json::array();
  for (const ProfileKernelRecord &K : Record.Kernels) {
    Json Classes = Json::array();
    for (const ProfileClassRecord &C : K.Classes)
      Classes.push_back(classJson(C));
    Out["kernels"].push_back({{"name", K.Name},
                              {"mangled", K.Mangled},
                              {"source", K.Source},
                              {"launches", K.Launches},
                              {"classes", std::move(Classes)}});
  }
  return Out;
}

} // namespace gridspan
