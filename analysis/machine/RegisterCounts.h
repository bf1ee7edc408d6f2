//===- RegisterCounts.h - Registers that ptxas gives kernels ----*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Asks ptxas what a kernel needs of a multiprocessor, as occupancy follows from
// it. The numbers are those of the cubin's resource section (PTX compiled for
// the same architecture), not estimates.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ANALYSIS_MACHINE_REGISTERCOUNTS_H
#define GRIDSPAN_ANALYSIS_MACHINE_REGISTERCOUNTS_H

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace gridspan {

/// The resources of a multiprocessor that a kernel needs.
struct KernelResources {
  unsigned Registers = 0;   ///< of a thread
  uint64_t SharedBytes = 0; ///< static, of a block, without what CUDA reserves
};

/// Returns the needs of the kernels of a cubin, by mangled name.
llvm::Expected<llvm::StringMap<KernelResources>>
readKernelResources(llvm::StringRef Cubin);

/// Returns the needs of the kernels of Ptx, compiled for Arch by the program
/// Ptxas.
llvm::Expected<llvm::StringMap<KernelResources>>
compileForResources(llvm::StringRef Ptxas, llvm::StringRef Arch,
                    llvm::StringRef Ptx);

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_MACHINE_REGISTERCOUNTS_H
