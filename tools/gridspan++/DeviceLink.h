//===- DeviceLink.h - What -dlink does --------------------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Links the device code of relocatable objects into one host object, which
// registers it and defines the units' markers.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_TOOLS_GRIDSPANXX_DEVICELINK_H
#define GRIDSPAN_TOOLS_GRIDSPANXX_DEVICELINK_H

#include "tools/gridspan++/Commands.h"

namespace gridspan {

/// Makes the object R.Output of the inputs of R. Returns the exit status; what
/// is wrong has been said. The object is empty if no input has device code that
/// is not linked yet.
int linkDeviceCode(const Request &R, const Setting &S);

} // namespace gridspan

#endif // GRIDSPAN_TOOLS_GRIDSPANXX_DEVICELINK_H
