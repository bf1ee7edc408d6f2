//===- ReportPrinter.h - The report as text and data ------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// GRIDSPAN_REPORT=1 prints the table, GRIDSPAN_REPORT=file.json the same as
// data.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_REPORT_REPORTPRINTER_H
#define GRIDSPAN_RUNTIME_REPORT_REPORTPRINTER_H

#include "runtime/report/Report.h"
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace gridspan {

/// Version of the JSON form.
constexpr int ReportVersion = 1;

/// Returns the report as data:
/// {"version", "devices": [{"name", "memory_bytes"}], "kernels": [{...}],
///  "copies": {"host_to_device": {"count", "bytes"}, ...}, "shortage": {...}}
/// Counters.def lists the keys of a kernel. Texts that there are none of are
/// null.
nlohmann::ordered_json reportJson(const ReportRecord &Record);

/// Returns a parameter as a number, or the bytes of a struct.
nlohmann::ordered_json argumentJson(const ScalarArgument &A);

/// Returns the report as a table for people.
std::string reportTable(const ReportRecord &Record);

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_REPORT_REPORTPRINTER_H
