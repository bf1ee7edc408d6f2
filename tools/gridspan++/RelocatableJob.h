//===- RelocatableJob.h - Commands of -rdc, -dlink and -lib -----*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plans what relocatable device code adds to a job: sources that are compiled
// by several commands, device links, and archives.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_TOOLS_GRIDSPANXX_RELOCATABLEJOB_H
#define GRIDSPAN_TOOLS_GRIDSPANXX_RELOCATABLEJOB_H

#include "tools/gridspan++/Commands.h"

namespace gridspan {

/// Adds commands that compile R's CUDA sources to relocatable objects. Takes
/// the sources out of R. If R links, objects stand in their places.
llvm::Error compileRelocatable(Request &R, const Setting &S, Job &J);

/// Adds a device link of R's inputs to J if one is due: R is relocatable, or an
/// input has device code that no other has linked. Its result becomes an input
/// of R. Device code that cannot be linked is an error.
llvm::Error addDeviceLink(Request &R, const Setting &S, Job &J);

/// Plans -dlink for a request with sources.
llvm::Expected<Job> planDeviceLink(const Request &R, const Setting &S);

/// Plans -lib.
llvm::Expected<Job> planLibrary(const Request &R, const Setting &S);

} // namespace gridspan

#endif // GRIDSPAN_TOOLS_GRIDSPANXX_RELOCATABLEJOB_H
