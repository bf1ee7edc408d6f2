//===- OtherLaunches.h - Advice for the launches of a run -------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Computes the advice once more where kernels ran in another way than was
// looked at, from the device code that is beside the advice.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_TOOLS_GRIDSPAN_ADVICE_OTHERLAUNCHES_H
#define GRIDSPAN_TOOLS_GRIDSPAN_ADVICE_OTHERLAUNCHES_H

#include "tools/gridspan-advice/AdviceReader.h"

namespace gridspan {

/// Replaces in Files what is said of the sources of Kernels that ran in another
/// way, as applyReport() has found. Returns a line for each source where that
/// failed, which keeps what the compiler wrote.
std::vector<std::string>
adviseOnOtherLaunches(const std::vector<Kernel> &Kernels,
                      std::vector<AdviceFile> &Files);

} // namespace gridspan

#endif // GRIDSPAN_TOOLS_GRIDSPAN_ADVICE_OTHERLAUNCHES_H
