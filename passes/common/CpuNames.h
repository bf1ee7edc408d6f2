//===- CpuNames.h - Names of device code on the host ------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What device code that has become host code looks like: its parameters, and
// the functions of the runtime that it calls.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_PASSES_COMMON_CPUNAMES_H
#define GRIDSPAN_PASSES_COMMON_CPUNAMES_H

#include "llvm/ADT/StringRef.h"
#include "llvm/IR/InstrTypes.h"

namespace gridspan {

/// Number of parameters that all device functions get in front: the block, and
/// threadIdx.x, y and z.
constexpr unsigned NumCpuParams = 4;

/// Prefix of the names of everything that comes from the device module.
constexpr llvm::StringLiteral CpuPrefix = "__gridspan_cpu.";

/// Returns the name of the runtime's function that V calls, without
/// __gridspan_cpu_ in front; "" if it calls none.
inline llvm::StringRef runtimeCall(const llvm::Value &V) {
  auto *Call = llvm::dyn_cast<llvm::CallBase>(&V);
  const llvm::Function *Callee = Call ? Call->getCalledFunction() : nullptr;
  llvm::StringRef Name = Callee ? Callee->getName() : "";
  return Name.consume_front("__gridspan_cpu_") ? Name : "";
}

/// Returns true for a barrier of the block that gives all threads one value.
inline bool isBlockReduction(const llvm::Value &V) {
  return runtimeCall(V) == "barrier_reduce";
}

} // namespace gridspan

#endif // GRIDSPAN_PASSES_COMMON_CPUNAMES_H
