//===- PtxUnroll.h - Loops that ptxas unrolls -------------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ptxas unrolls small loops of one block by four, whose loads then wait
// together.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ANALYSIS_MACHINE_PTXUNROLL_H
#define GRIDSPAN_ANALYSIS_MACHINE_PTXUNROLL_H

#include "analysis/machine/PtxCode.h"

namespace gridspan {

/// Sets PtxBlock::UnrolledBy of each block. The kernel's blocks are connected.
void findUnrolledLoops(PtxKernel &Kernel);

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_MACHINE_PTXUNROLL_H
