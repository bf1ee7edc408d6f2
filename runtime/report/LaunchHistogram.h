//===- LaunchHistogram.h - The commonest launch of a kernel -----*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds, for the report, the grid and block that most launches of a kernel
// have, and the scalar arguments that most of those have. Advice that was
// computed for another launch can be asked for again with these.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_REPORT_LAUNCHHISTOGRAM_H
#define GRIDSPAN_RUNTIME_REPORT_LAUNCHHISTOGRAM_H

#include "gridspan/ABI.h"
#include "runtime/support/ThreadSafety.h"
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace gridspan {

struct LaunchShape;

/// A parameter that is not a pointer, with its bytes as the launch has them.
/// The bytes of pointers within a struct are 0.
struct ScalarArgument {
  unsigned Index = 0; ///< of the parameter
  std::vector<std::byte> Bytes;
};

struct LaunchHistogram {
  uint64_t Launches = 0; ///< with this grid and block; 0: none was seen
  std::array<uint32_t, 3> Grid = {}, Block = {};
  uint64_t SharedBytes = 0; ///< dynamic
  std::vector<ScalarArgument> Arguments;
};

/// A parameter that has something else than pointers in it.
struct ScalarParam {
  uint32_t Index = 0;
  uint32_t Size = 0; ///< bytes
};

/// Returns the kernel's parameters that have something else than pointers in
/// them, but for large structs.
std::vector<ScalarParam> scalarsOf(const GridspanKernel &Kernel);

/// Returns the bytes of a launch's Scalars, one after the other; those of
/// pointers are 0.
std::string scalarBytes(const GridspanKernel &Kernel,
                        const std::vector<ScalarParam> &Scalars,
                        void *const *Args);

/// Counts launches. Thread-safe. What it remembers has a bound: of a kernel
/// that is launched in ever new ways, the first ones.
class LaunchCounts {
public:
  void count(const GridspanKernel &Kernel, const LaunchShape &Shape,
             void *const *Args);
  LaunchHistogram commonest() const;

private:
  using Shape = std::array<uint64_t, 7>; ///< grid, block, shared bytes
  struct Entry {
    uint64_t Launches = 0;
    /// The launches by the bytes of all parameters in order, those of pointers
    /// as 0.
    std::map<std::string, uint64_t> Arguments;
  };

  mutable Mutex Lock;
  std::map<Shape, Entry> Shapes GUARDED_BY(Lock);
  /// Where each parameter is in the bytes: counts outlive modules that are
  /// unloaded.
  std::vector<ScalarParam> Scalars GUARDED_BY(Lock);
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_REPORT_LAUNCHHISTOGRAM_H
