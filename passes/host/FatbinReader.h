//===- FatbinReader.h - Data from the device compilation --------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the payloads that the device compilation has embedded
// (passes/device/EmbedPayload.h), and merges those of several architectures.
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
  /// The summary that holds for every architecture; nothing if there is none.
  std::optional<ModuleSummary> Summary;
  /// Device bitcode for the CPU device, or empty.
  std::string Bitcode;
};

/// Returns true if clang has embedded a fat binary in M.
bool hasFatbin(const llvm::Module &M);

/// Reads the payloads out of M's fat binaries. An error says what is damaged.
llvm::Expected<DeviceCode> readDeviceCode(const llvm::Module &M);

/// Returns what holds for a program that may run any of the given compilations
/// of one source: the refusals of all. Where the rest differs, nothing is known
/// of the kernel's accesses.
ModuleSummary
mergeArchitectures(llvm::MutableArrayRef<ModuleSummary> Summaries);

} // namespace gridspan

#endif // GRIDSPAN_PASSES_HOST_FATBINREADER_H
