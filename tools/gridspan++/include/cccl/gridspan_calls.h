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
// gets CUB as it is, and hears of that once. So does one that has put CUB or
// Thrust into a namespace of its own. To be included behind a header of CUB or
// Thrust, which says what its version is.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_CALLS
#if !defined(__CUDACC__)
#define GRIDSPAN_CALLS 0
#elif CUB_MAJOR_VERSION == 3 && CUB_MINOR_VERSION == 0 &&                      \
    !defined(THRUST_CUB_WRAPPED_NAMESPACE) &&                                  \
    !defined(CUB_WRAPPED_NAMESPACE) && !defined(THRUST_WRAPPED_NAMESPACE)
#define GRIDSPAN_CALLS 1
namespace gridspan::calls {
/// Policies of CUB by which nothing is redirected.
template <typename Hub> struct Untouched : Hub {};
} // namespace gridspan::calls
#else
#define GRIDSPAN_CALLS 0
#ifndef __CUDA_ARCH__
// No error by -Werror.
#pragma clang diagnostic push
#pragma clang diagnostic warning "-W#warnings"
#warning "Gridspan does not know this version of CUB: calls stay as they are"
#pragma clang diagnostic pop
#endif
#endif
#endif
