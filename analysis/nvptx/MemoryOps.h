//===- MemoryOps.h - Accesses of an instruction to memory -------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Describes, for one instruction, each way in which it may touch global memory:
// the address, the size and the mode. What an instruction does not tell is said
// to be unknown, with the reason.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ANALYSIS_NVPTX_MEMORYOPS_H
#define GRIDSPAN_ANALYSIS_NVPTX_MEMORYOPS_H

#include "gridspan/ABI.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>
#include <string>

namespace llvm {
class Instruction;
class Value;
} // namespace llvm

namespace gridspan {

/// One way in which an instruction touches memory that may be global.
struct MemoryOp {
  /// The address; null when that may be any.
  const llvm::Value *Pointer = nullptr;
  uint32_t Mode = GridspanRead; ///< one GridspanMode bit
  /// Bytes touched by one execution; 0 when unknown or given by Length.
  uint32_t Size = 0;
  const llvm::Value *Length = nullptr; ///< bytes, for memcpy and memset
  std::string Why = {}; ///< why Pointer or the extent is not known, or empty
};

/// Returns the accesses of I that may be to global memory, as far as the
/// instruction and the variable that it may name tell. None for address spaces
/// that are not global or generic.
llvm::SmallVector<MemoryOp, 2> memoryOpsOf(const llvm::Instruction &I);

/// Returns the number that I has as an access site, kept in metadata
/// gridspan.site.
std::optional<uint32_t> siteOf(const llvm::Instruction &I);
constexpr char SiteMetadata[] = "gridspan.site";

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_NVPTX_MEMORYOPS_H
