//===- SystemScope.h - Operations that order one device only ----*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tells which atomics and fences order the work of one device only. A clone for
// several devices has to have them at system scope (PTX ISA, "Memory
// Consistency Model").
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ANALYSIS_NVPTX_SYSTEMSCOPE_H
#define GRIDSPAN_ANALYSIS_NVPTX_SYSTEMSCOPE_H

#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>

namespace llvm {
class AtomicRMWInst;
class Instruction;
} // namespace llvm

namespace gridspan {

/// True if I is an atomic or a fence whose scope the device compiler makes the
/// device's (.gpu), so that it has to be widened when the grid is split.
bool needsSystemScope(const llvm::Instruction &I);

/// True if there is a PTX form of I at system scope.
bool canWidenToSystemScope(const llvm::Instruction &I);

/// Returns the PTX atomic that does the same as RMW, such as "add.u32"; nothing
/// when there is none. A subtraction has none: it is an addition of the negated
/// operand.
std::optional<std::string> ptxAtomic(const llvm::AtomicRMWInst &RMW);

/// Returns NVVM's increment and decrement with wrap-around, such as "inc.u32".
std::optional<std::string> ptxAtomic(llvm::StringRef IntrinsicName);

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_NVPTX_SYSTEMSCOPE_H
