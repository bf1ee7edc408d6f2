//===- CpuImages.h - Device variables on CPU devices ------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every device has its own copy of a module's __device__ and __constant__
// variables, made when it is first asked for, as loading a module on a GPU
// does.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_BACKEND_CPU_CPUIMAGES_H
#define GRIDSPAN_RUNTIME_BACKEND_CPU_CPUIMAGES_H

#include "gridspan/ABI.h"
#include "runtime/support/ThreadSafety.h"
#include <map>
#include <memory>
#include <utility>

namespace gridspan {

/// Thread-safe.
class CpuImages {
public:
  /// Returns Device's copy of the module's image; null if Module is null.
  std::byte *image(int Device, const GridspanCpuModule *Module);

  /// Frees the module's images.
  void forget(const GridspanCpuModule *Module);

  /// Returns true if Bytes from Address on are in some image.
  bool contains(const void *Address, size_t Bytes);

private:
  struct Free {
    void operator()(std::byte *P) const;
  };
  Mutex Lock;
  std::map<std::pair<const GridspanCpuModule *, int>,
           std::unique_ptr<std::byte, Free>>
      Images GUARDED_BY(Lock);
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_BACKEND_CPU_CPUIMAGES_H
