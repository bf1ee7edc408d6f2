//===- ModuleBuild.h - What a build of device code is known by --*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Advice and the profile of a run speak of the same code if their modules have
// the same hash. Beside it stands where advice on a module is written to, and
// which accesses it wants to be recorded: metadata of the module, which the
// advice pass leaves for the device pass.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_PASSES_COMMON_MODULEBUILD_H
#define GRIDSPAN_PASSES_COMMON_MODULEBUILD_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace llvm {
class Module;
} // namespace llvm

namespace gridspan {

/// The metadata of an access that is to be recorded.
constexpr char RecordMetadata[] = "gridspan.record";
/// The metadata of a branch of a recording clone, whose first way the blocks of
/// the sample take.
constexpr char SampledMetadata[] = "gridspan.sampled";

/// Returns the hash of the module's code, as 32 digits. Names of values, debug
/// information and other metadata do not count.
std::string moduleBuild(const llvm::Module &M);

/// Notes where advice on M is written to.
void setAdvicePath(llvm::Module &M, llvm::StringRef Path);

/// Returns what was noted, or an empty text.
std::string advicePath(const llvm::Module &M);

} // namespace gridspan

#endif // GRIDSPAN_PASSES_COMMON_MODULEBUILD_H
