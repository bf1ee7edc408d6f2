//===- FatbinJob.h - Commands of -fatbin ------------------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plans -fatbin: device code of one source for several architectures, which
// programs load with the driver API. It is without Gridspan, as -cubin is.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_TOOLS_GRIDSPANXX_FATBINJOB_H
#define GRIDSPAN_TOOLS_GRIDSPANXX_FATBINJOB_H

#include "tools/gridspan++/Commands.h"

namespace gridspan {

/// Plans -fatbin. Fails for several sources with one output.
llvm::Expected<Job> planFatbin(const Request &R, const Setting &S);

} // namespace gridspan

#endif // GRIDSPAN_TOOLS_GRIDSPANXX_FATBINJOB_H
