//===- LaunchDefaults.h - Typical launches ----------------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Typical numbers for what a compiler cannot know of a launch: the one table of
// them is LaunchDefaults.def, which advice files print.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ANALYSIS_EXPR_LAUNCHDEFAULTS_H
#define GRIDSPAN_ANALYSIS_EXPR_LAUNCHDEFAULTS_H

#include <array>
#include <cstdint>

namespace gridspan {

#define GRIDSPAN_ASSUMPTION(Type, Name, Value, Key, Text)                      \
  constexpr Type Name = Value;
#include "analysis/expr/LaunchDefaults.def"

/// Returns a block of TypicalThreads, or of as many as launch bounds allow,
/// over the axes that are used. MaxThreads: 0 if there are no bounds.
std::array<uint32_t, 3> typicalBlock(const std::array<bool, 3> &Used,
                                     uint32_t MaxThreads);

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_EXPR_LAUNCHDEFAULTS_H
