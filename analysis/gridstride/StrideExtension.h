//===- StrideExtension.h - Kernels for grids of any size --------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Along which axes a kernel does the same in a grid of any size, because all
// that it does is in grid-stride loops.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ANALYSIS_GRIDSTRIDE_STRIDEEXTENSION_H
#define GRIDSPAN_ANALYSIS_GRIDSTRIDE_STRIDEEXTENSION_H

#include "analysis/gridstride/GridStride.h"
#include <array>

namespace gridspan {

class AtomTable;

/// Loops are those whose iterations may move.
std::array<bool, 3> elasticAxes(const llvm::Function &F,
                                const KernelAnalyses &A,
                                llvm::ArrayRef<GridStrideLoop> Loops,
                                AtomTable &Atoms);

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_GRIDSTRIDE_STRIDEEXTENSION_H
