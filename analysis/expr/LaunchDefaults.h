//===- LaunchDefaults.h - Typical launches ----------------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Typical numbers for what a compiler cannot know of a launch.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ANALYSIS_EXPR_LAUNCHDEFAULTS_H
#define GRIDSPAN_ANALYSIS_EXPR_LAUNCHDEFAULTS_H

#include <array>
#include <cstdint>

namespace gridspan {

/// An integer parameter of which nothing is known.
constexpr int64_t TypicalParameter = 1024;

/// Blocks of 256 threads, or as many as launch bounds allow, over the axes that
/// are used.
std::array<uint32_t, 3> typicalBlock(const std::array<bool, 3> &Used,
                                     uint32_t MaxThreads);

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_EXPR_LAUNCHDEFAULTS_H
