//===- thrust.h - Thrust's algorithms on data of any size -------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// gridspan::par, an execution policy with which Thrust's algorithms are the
// primitives of gridspan/algorithm.h: thrust::sort(gridspan::par, ...), on host
// vectors and device vectors. Thrust finds them here by the policy's namespace.
// Those that Thrust makes of others are made of these; what is neither does not
// compile.
//
// As with thrust::device they are complete when they return, and throw
// thrust::system_error.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_THRUST_H
#define GRIDSPAN_THRUST_H

#include "gridspan/algorithm/PolicyElements.h"
#include "gridspan/algorithm/PolicyOrder.h"

namespace gridspan {

/// The policy for the default stream.
inline const policy::Par par;

} // namespace gridspan

#endif // GRIDSPAN_THRUST_H
