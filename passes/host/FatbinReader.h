//===- FatbinReader.h - What the device compilation left --------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_PASSES_HOST_FATBINREADER_H
#define GRIDSPAN_PASSES_HOST_FATBINREADER_H

#include "analysis/summary/KernelSummary.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>

namespace llvm {
class Module;
} // namespace llvm

namespace gridspan {

/// The payloads of a host module's fat binary.
struct DeviceCode {
  /// One summary that holds for every architecture; nothing if there is none.
  std::optional<ModuleSummary> Summary;
  /// Device bitcode for the CPU device, or empty.
  std::string Bitcode;
};

/// Whether clang has embedded a fat binary in M.
bool hasFatbin(const llvm::Module &M);

/// Reads the payloads out of M's fat binaries. An error says what is damaged.
llvm::Expected<DeviceCode> readDeviceCode(const llvm::Module &M);

/// What is true of a program that may run any of the given compilations of one
/// source: refusals of all; where the rest differs, nothing is known of the
/// kernel's accesses.
ModuleSummary
mergeArchitectures(llvm::MutableArrayRef<ModuleSummary> Summaries);

} // namespace gridspan

#endif // GRIDSPAN_PASSES_HOST_FATBINREADER_H
