//===- ProfilePrinter.h - The profile of a run as data ----------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What GRIDSPAN_PROFILE=file.json writes; docs/guide/profile.md describes it.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_REPORT_PROFILEPRINTER_H
#define GRIDSPAN_RUNTIME_REPORT_PROFILEPRINTER_H

#include "runtime/report/LaunchProfile.h"
#include "runtime/report/Report.h"
#include <nlohmann/json_fwd.hpp>

namespace gridspan {

/// Version of the JSON form; a reader refuses any other.
constexpr int ProfileVersion = 1;

/// Returns the profile as data. Backend: "cuda" or "cpu".
nlohmann::ordered_json profileJson(const ProfileRecord &Record,
                                   const char *Backend,
                                   const std::vector<DeviceRecord> &Devices);

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_REPORT_PROFILEPRINTER_H
