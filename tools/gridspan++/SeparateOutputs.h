//===- SeparateOutputs.h - An output for each source ------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// nvcc makes an output of each of several sources with -ptx and -cubin, where
// clang would have one name for all, and puts outputs into the folder of -odir.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_TOOLS_GRIDSPANXX_SEPARATEOUTPUTS_H
#define GRIDSPAN_TOOLS_GRIDSPANXX_SEPARATEOUTPUTS_H

#include "tools/gridspan++/Commands.h"

namespace gridspan {

/// Returns one request for each source, with the name of its output, or none if
/// R can be planned as it is.
std::vector<Request> separateOutputs(const Request &R);

} // namespace gridspan

#endif // GRIDSPAN_TOOLS_GRIDSPANXX_SEPARATEOUTPUTS_H
