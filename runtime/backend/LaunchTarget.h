//===- LaunchTarget.h - The function and shape of a launch ------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plain data that names the code of a launch and its grid.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_BACKEND_LAUNCHTARGET_H
#define GRIDSPAN_RUNTIME_BACKEND_LAUNCHTARGET_H

#include "gridspan/ABI.h"
#include <cstddef>
#include <driver_types.h>
#include <vector_types.h>

namespace gridspan {

struct ProfileEntry;

/// The code that a launch runs.
struct LaunchTarget {
  /// Null for a function without a descriptor, which only the CUDA backend can
  /// launch, unsplit, by Function.
  const GridspanKernel *Kernel = nullptr;
  /// The argument of the program's launch call.
  const void *Function = nullptr;
  /// Runs Kernel's no-alias clone, if it has one. Precondition: nothing that
  /// the launch writes through one pointer is accessed through another.
  bool NoAlias = false;
  /// True if functionAttributes is asked about the tiled clone.
  bool Tiled = false;
  /// The launches that the profile counts this one among; null: none.
  ProfileEntry *Profiled = nullptr;
  bool IsTimed = false; ///< by it
  /// Not 0: to be recorded, if that is possible, as ProfiledLaunch says.
  uint64_t RecordAs = 0;
  /// Of a recording clone: what it runs in place of, which blocks that are not
  /// recorded may run. Null, or there while the launch is made.
  const LaunchTarget *Unrecorded = nullptr;
};

struct LaunchShape {
  dim3 Grid; ///< blocks of this launch (of the tile, if there is one)
  dim3 Block;
  size_t DynamicSharedBytes = 0;
  bool Cooperative = false;
  /// Further attributes of cudaLaunchKernelExC, passed on; not owned.
  const cudaLaunchAttribute *Attributes = nullptr;
  unsigned NumAttributes = 0;
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_BACKEND_LAUNCHTARGET_H
