//===- InstructionMix.h - Instructions of each loop level -------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The machine instructions of each loop of a kernel, by pipe, estimated from
// the IR where no back end has run.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ANALYSIS_ADVICE_SITES_INSTRUCTIONMIX_H
#define GRIDSPAN_ANALYSIS_ADVICE_SITES_INSTRUCTIONMIX_H

#include "analysis/advice/sites/MemorySites.h"

namespace llvm {
class LoopInfo;
} // namespace llvm

namespace gridspan {

class ExprBuilder;

/// One level for the instructions outside all loops and one for each loop's
/// own, in program order; loops as in MemorySite.
std::vector<WorkLevel> workLevelsOf(const llvm::Function &Kernel,
                                    const llvm::LoopInfo &LI,
                                    ExprBuilder &Builder);

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_ADVICE_SITES_INSTRUCTIONMIX_H
