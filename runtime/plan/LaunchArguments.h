//===- LaunchArguments.h - The arguments of one tile ------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A launch's arguments, with some pointers and handles of textures replaced for
// one device. Nothing is copied until something is replaced.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_PLAN_LAUNCHARGUMENTS_H
#define GRIDSPAN_RUNTIME_PLAN_LAUNCHARGUMENTS_H

#include "runtime/plan/PlanInput.h"
#include <cstddef>
#include <vector>

namespace gridspan {

class LaunchArguments {
public:
  LaunchArguments(const GridspanKernel &Kernel, void *const *Args)
      : Kernel(Kernel), Args(Args) {}
  LaunchArguments(LaunchArguments &&) = default;

  /// Adds Distance to every pointer that leads into Allocation.
  void redirect(const std::vector<PlacedPointer> &Pointers, unsigned Allocation,
                ptrdiff_t Distance);

  /// Passes Handle for Texture.
  void replace(const GridspanTexture &Texture, uint64_t Handle);

  /// Copies the values, so that the program's are not needed any longer.
  void copy();

  const GridspanKernel &kernel() const { return Kernel; }
  void *const *get() const { return Copies.empty() ? Args : Copies.data(); }

private:
  const GridspanKernel &Kernel;
  void *const *Args;
  std::vector<std::byte> Buffer;
  std::vector<void *> Copies;
};

/// Returns the handle that a launch passes for Texture.
uint64_t handleArgument(const GridspanTexture &Texture, void *const *Args);

/// Returns the pointer that a launch passes for Pointer.
void *pointerArgument(const GridspanKernel &Kernel,
                      const GridspanPointer &Pointer, void *const *Args);

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_PLAN_LAUNCHARGUMENTS_H
