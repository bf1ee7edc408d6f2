//===- BackendCode.h - Kernels as the back end writes them ------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs the rest of the pipeline (unrolling, vectorization) and the NVPTX back
// end on a copy of a module, for advice about time. Instructions are from the
// PTX; conditions, trip counts and addresses are from the IR that it was made
// from. The module itself stays as it is.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ANALYSIS_ADVICE_COST_BACKENDCODE_H
#define GRIDSPAN_ANALYSIS_ADVICE_COST_BACKENDCODE_H

#include "analysis/advice/sites/MemorySites.h"
#include "analysis/machine/PtxCode.h"

namespace llvm {
class Module;
} // namespace llvm

namespace gridspan {

struct BackendKernel {
  KernelSites Sites; ///< with blocks
  PtxKernel Ptx;
  /// The index in Sites.Blocks of the IR block of each PTX block. A block that
  /// the back end adds belongs to the block before.
  std::vector<unsigned> BlockOf;
  uint64_t SharedBytes = 0; ///< static
  /// Registers that ptxas gives a thread; 0: not known.
  unsigned Registers = 0;
};

/// Returns the kernels of M in module order, or sets Why if there are none.
/// Registers come from the program Ptxas if it is named. If that fails they are
/// not known, and Why is set.
std::vector<BackendKernel> backendKernels(const llvm::Module &M,
                                          llvm::StringRef Arch,
                                          llvm::StringRef Ptxas,
                                          std::string &Why);

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_ADVICE_COST_BACKENDCODE_H
