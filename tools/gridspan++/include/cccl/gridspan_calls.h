//===- gridspan_calls.h - Whether calls of CUB are redirected ---*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sets GRIDSPAN_CALLS to 1 where CUB has the structures that
// include/gridspan/calls specializes: their parameters are not part of its
// interface and change with its version. Where it is another one, a program
// gets CUB as it is, and hears of that once.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_CALLS
#include <cub/version.cuh>
#if CUB_MAJOR_VERSION == 3 && CUB_MINOR_VERSION == 0
#define GRIDSPAN_CALLS 1
namespace gridspan::calls {
/// Policies of CUB by which nothing is redirected.
template <typename Hub> struct Untouched : Hub {};
} // namespace gridspan::calls
#else
#define GRIDSPAN_CALLS 0
#ifndef __CUDA_ARCH__
#pragma message(                                                               \
    "Gridspan does not know this version of CUB: calls of it and of Thrust stay as they are")
#endif
#endif
#endif
