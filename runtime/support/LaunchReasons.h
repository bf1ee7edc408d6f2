//===- LaunchReasons.h - Reasons of the report ------------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The reasons of LaunchReasons.def as an enumeration. Decisions compare these;
// only the report turns them into text.
//
// A kernel that the compiler refused to split has a refusal of the compiler's,
// which is text (GridspanKernel::Refusal). The runtime tells apart those that
// it decides by; KernelRefused stands for all others.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_SUPPORT_LAUNCHREASONS_H
#define GRIDSPAN_RUNTIME_SUPPORT_LAUNCHREASONS_H

#include "gridspan/ABI.h"
#include <cstdint>

namespace gridspan {

enum class LaunchReason : uint8_t {
  None,
  KernelRefused,
#define GRIDSPAN_REASON(Id, Name, Text) Id,
#include "runtime/support/LaunchReasons.def"
};

/// Returns the name in kebab-case; "" for None. KernelRefused has no name of
/// its own: the kernel's refusal is it.
const char *nameOf(LaunchReason Reason);

/// Returns the reason that the compiler's refusal is; None without a refusal.
LaunchReason refusalOf(const GridspanKernel &Kernel);

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_SUPPORT_LAUNCHREASONS_H
