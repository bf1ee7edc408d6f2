//===- LaunchReasons.cpp - Reasons of the report --------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The texts of LaunchReasons.def, and the way back from a refusal's text: a
// walk over some forty names, for kernels that are refused.
//
//===----------------------------------------------------------------------===//

#include "runtime/support/LaunchReasons.h"
#include <iterator>
#include <string_view>

namespace gridspan {

/// Names by the number of the reason.
static constexpr const char *Names[] = {
    "",
    "",
#define GRIDSPAN_REASON(Id, Name, Text) Name,
#include "runtime/support/LaunchReasons.def"
};

const char *nameOf(LaunchReason Reason) {
  return Names[static_cast<unsigned>(Reason)];
}

LaunchReason refusalOf(const GridspanKernel &Kernel) {
  if (!Kernel.Refusal)
    return LaunchReason::None;
  const std::string_view Refusal = Kernel.Refusal;
  for (size_t I = 0, E = std::size(Names); I != E; ++I)
    if (!Refusal.empty() && Names[I] == Refusal)
      return static_cast<LaunchReason>(I);
  return LaunchReason::KernelRefused;
}

} // namespace gridspan
