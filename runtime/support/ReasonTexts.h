//===- ReasonTexts.h - What reasons of the report mean ----------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The texts of LaunchReasons.def and CallReasons.def, for people.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_SUPPORT_REASONTEXTS_H
#define GRIDSPAN_RUNTIME_SUPPORT_REASONTEXTS_H

#include <string_view>

namespace gridspan {

/// Returns the explanation of the reason with the name; "" for other names.
const char *reasonText(std::string_view Name);

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_SUPPORT_REASONTEXTS_H
