//===- RunReport.h - Launches of a run, by kernel ---------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tells how often kernels ran, and whether advice on them was computed for the
// launch that most of these were.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_TOOLS_GRIDSPAN_ADVICE_RUNREPORT_H
#define GRIDSPAN_TOOLS_GRIDSPAN_ADVICE_RUNREPORT_H

#include "tools/gridspan-advice/AdviceReader.h"
#include <nlohmann/json_fwd.hpp>

namespace gridspan {

/// "4096 blocks of 256 threads", "64x64 blocks of 32x8 threads".
std::string shapeText(const Shape &Grid, const Shape &Block);

/// "4096 bytes of dynamic shared memory", "no dynamic shared memory".
std::string dynamicSharedText(uint64_t Bytes);

/// Compares what is looked at with a launch of the run, of Launches: with
/// "grid", "block", "shared_bytes", "arguments" and "launches".
void compareLaunch(const nlohmann::json &Ran, uint64_t Launches, Kernel &K);

/// Returns true if a line of a report or profile is of the kernel. All: the
/// kernels that it may be of.
bool isLineOf(const nlohmann::json &Line, const Kernel &K,
              const std::vector<Kernel> &All);

/// Sets Launches, and what is about the commonest launch, of the kernels by the
/// report (GRIDSPAN_REPORT=FILE). Throws as readJson().
void applyReport(const std::string &Path, std::vector<Kernel> &Kernels);

} // namespace gridspan

#endif // GRIDSPAN_TOOLS_GRIDSPAN_ADVICE_RUNREPORT_H
