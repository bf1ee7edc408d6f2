//===- Location.h - Devices and the host as homes of memory -----*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Homes of physical memory by number: devices count from 0, the host is -1.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_BACKEND_LOCATION_H
#define GRIDSPAN_RUNTIME_BACKEND_LOCATION_H

namespace gridspan {

/// The home of a physical page: a device number, or Host.
using Location = int;
constexpr Location Host = -1;

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_BACKEND_LOCATION_H
