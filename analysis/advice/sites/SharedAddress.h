//===- SharedAddress.h - Addresses in shared memory -------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The variable of shared memory that a pointer leads to, and where in it.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ANALYSIS_ADVICE_SITES_SHAREDADDRESS_H
#define GRIDSPAN_ANALYSIS_ADVICE_SITES_SHAREDADDRESS_H

#include "analysis/symbolic/ExprBuilder.h"
#include <optional>
#include <string>

namespace gridspan {

/// A place in a variable of the module.
struct VariableAddress {
  std::string Base; ///< its name, or "shared memory"
  ExprId Offset;    ///< bytes from there, 64 bits wide
};

/// Returns nothing for a pointer that is not known to lead to shared memory.
/// Where it does, but nobody knows which variable it comes from, the offset is
/// unknown, or, if IsShared says that lanes of a warp have one base, counts
/// from there.
std::optional<VariableAddress>
sharedAddressOf(const llvm::Value *Pointer, ExprBuilder &Builder,
                ExprGraph &Graph, const llvm::DataLayout &DL,
                const ExprBuilder::IsSharedFn &IsShared = nullptr);

/// Returns nothing for a pointer that does not lead to one variable of the
/// module's in global memory.
std::optional<VariableAddress> globalAddressOf(const llvm::Value *Pointer,
                                               ExprBuilder &Builder,
                                               ExprGraph &Graph,
                                               const llvm::DataLayout &DL);

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_ADVICE_SITES_SHAREDADDRESS_H
