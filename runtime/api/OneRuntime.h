//===- OneRuntime.h - One runtime in a process ------------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Several modules of a process may bring a copy of the runtime each: programs
// and libraries that link libgridspan.a, and libgridspan.so. Memory, streams
// and kernels must be known to one of them, so all calls of compiled code go to
// one copy, the owner, whichever module makes them.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_API_ONERUNTIME_H
#define GRIDSPAN_RUNTIME_API_ONERUNTIME_H

#include <cstdint>

namespace gridspan {

/// What one copy of the runtime shows to the others, which find it through the
/// ELF note of its module. This layout never changes: another version of the
/// runtime must be able to read the first two fields.
struct RuntimeCopy {
  uint32_t Version;     ///< GRIDSPAN_ABI_VERSION
  uint32_t NumEntries;  ///< functions that compiled code may call
  uint64_t Names;       ///< a hash of their names, in their order
  void *const *Entries; ///< their addresses in this copy
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_API_ONERUNTIME_H
