//===- PtxJob.h - Code of GPUs from PTX -------------------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// nvcc takes PTX as a source of -cubin and -fatbin, which is ptxas's work.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_TOOLS_GRIDSPANXX_PTXJOB_H
#define GRIDSPAN_TOOLS_GRIDSPANXX_PTXJOB_H

#include "tools/gridspan++/Commands.h"

namespace gridspan {

/// Returns true if an input is PTX, or is to get from a cubin to a fat binary.
bool hasDeviceCode(const Request &R);

/// Precondition: R has such an input, which has to be its only one.
llvm::Expected<Job> planDeviceCode(const Request &R, const Setting &S);

} // namespace gridspan

#endif // GRIDSPAN_TOOLS_GRIDSPANXX_PTXJOB_H
