//===- Callable.h - Functions as libraries take them ---------- -*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// CUB and Thrust call functions that are not const; primitives call them
// through const objects.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ALGORITHM_CALLABLE_H
#define GRIDSPAN_ALGORITHM_CALLABLE_H

namespace gridspan::detail {

/// A function of which the call need not be const.
template <typename Function> struct Callable {
  mutable Function F;
  template <typename... T>
  __host__ __device__ decltype(auto) operator()(T &&...Values) const {
    return F(static_cast<T &&>(Values)...);
  }
};

} // namespace gridspan::detail

#endif // GRIDSPAN_ALGORITHM_CALLABLE_H
