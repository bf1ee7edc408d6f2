//===- AssemblyLoad.h - Loads that are inline assembly ----------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Recognizes assembly that does nothing but load from global memory through a
// pointer that it is given, as libraries write loads with a cache hint.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ANALYSIS_NVPTX_ASSEMBLYLOAD_H
#define GRIDSPAN_ANALYSIS_NVPTX_ASSEMBLYLOAD_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>

namespace llvm {
class CallBase;
class Value;
} // namespace llvm

namespace gridspan {

struct AssemblyLoad {
  const llvm::Value *Pointer; ///< of global memory
  uint32_t Size;              ///< bytes of a thread
};

/// Returns what the call of inline assembly loads, if that is all it does.
std::optional<AssemblyLoad> assemblyLoadOf(const llvm::CallBase &Call);

/// Returns the bytes of a value of the PTX type ("b32"), or 0.
unsigned bytesOfPtxType(llvm::StringRef Type);

/// Returns the argument that the operand `$N` of the text is, or null.
const llvm::Value *assemblyArgument(const llvm::CallBase &Call,
                                    llvm::StringRef Operand);

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_NVPTX_ASSEMBLYLOAD_H
