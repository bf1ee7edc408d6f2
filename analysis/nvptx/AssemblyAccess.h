//===- AssemblyAccess.h - Accesses that are inline assembly -----*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Recognizes assembly that is one access of global memory through a pointer
// that it is given, whatever its order: atomics on pairs of halves, for
// example, as CUDA's headers write them. For advice, which asks only where
// lanes go.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ANALYSIS_NVPTX_ASSEMBLYACCESS_H
#define GRIDSPAN_ANALYSIS_NVPTX_ASSEMBLYACCESS_H

#include "gridspan/ABI.h"
#include <optional>

namespace llvm {
class CallBase;
class Value;
} // namespace llvm

namespace gridspan {

struct AssemblyAccess {
  const llvm::Value *Pointer;   ///< generic, or of global memory
  uint32_t Mode = GridspanRead; ///< one GridspanMode bit
  uint32_t Size = 0;            ///< bytes of a thread
};

/// Returns the access of the call of inline assembly, if that is one and no
/// other instruction of it touches memory.
std::optional<AssemblyAccess> assemblyAccessOf(const llvm::CallBase &Call);

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_NVPTX_ASSEMBLYACCESS_H
