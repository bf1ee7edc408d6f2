//===- gridspan_nvcc_compat.h - What nvcc gives every source ----*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Included before each source by gridspan++. nvcc lets CUDA sources use some
// standard functions without including their headers, and declares min and max
// for host code in the global namespace; clang does neither. And clang 19's own
// header passes mask and value of the warp reductions in the wrong order.
//
// The host functions must yield to every other candidate: to a program's own
// min, template or not, and to std::min under `using namespace std`. They
// therefore take both types as parameters (less specialized than std::min and
// than min(T, T)) and a trailing pack that is always empty (less specialized
// than min(T, U)). Floating-point arguments compare as fmin and fmax do.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_TOOLS_GRIDSPANXX_INCLUDE_GRIDSPAN_NVCC_COMPAT_H
#define GRIDSPAN_TOOLS_GRIDSPANXX_INCLUDE_GRIDSPAN_NVCC_COMPAT_H

#if defined(__CUDA__) && defined(__cplusplus)

#include <cassert>
#include <climits>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <new>
#include <type_traits>
#include <utility>

namespace __gridspan {
template <class A, class B, class... None>
using __arithmetic =
    typename std::enable_if<std::is_arithmetic<A>::value &&
                                std::is_arithmetic<B>::value &&
                                sizeof...(None) == 0,
                            typename std::common_type<A, B>::type>::type;

template <class T, bool = std::is_floating_point<T>::value> struct __extreme {
  static inline __attribute__((host)) T min(T a, T b) { return b < a ? b : a; }
  static inline __attribute__((host)) T max(T a, T b) { return a < b ? b : a; }
};
template <class T> struct __extreme<T, true> {
  static inline __attribute__((host)) T min(T a, T b) {
    return std::fmin(a, b);
  }
  static inline __attribute__((host)) T max(T a, T b) {
    return std::fmax(a, b);
  }
};
} // namespace __gridspan

template <class A, class B, class... None>
static inline __attribute__((host)) __gridspan::__arithmetic<A, B, None...>
min(A a, B b, None...) {
  return __gridspan::__extreme<typename std::common_type<A, B>::type>::min(a,
                                                                           b);
}
template <class A, class B, class... None>
static inline __attribute__((host)) __gridspan::__arithmetic<A, B, None...>
max(A a, B b, None...) {
  return __gridspan::__extreme<typename std::common_type<A, B>::type>::max(a,
                                                                           b);
}

// The instruction redux.sync takes the value first, then the mask.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
namespace __gridspan {
#define __GRIDSPAN_REDUCE(Name, Builtin, Type)                                 \
  static inline __attribute__((device)) Type Name(unsigned __mask,             \
                                                  Type __value) {              \
    return Builtin(__value, __mask);                                           \
  }
__GRIDSPAN_REDUCE(__reduce_add, __nvvm_redux_sync_add, unsigned)
__GRIDSPAN_REDUCE(__reduce_add, __nvvm_redux_sync_add, int)
__GRIDSPAN_REDUCE(__reduce_min, __nvvm_redux_sync_umin, unsigned)
__GRIDSPAN_REDUCE(__reduce_min, __nvvm_redux_sync_min, int)
__GRIDSPAN_REDUCE(__reduce_max, __nvvm_redux_sync_umax, unsigned)
__GRIDSPAN_REDUCE(__reduce_max, __nvvm_redux_sync_max, int)
__GRIDSPAN_REDUCE(__reduce_and, __nvvm_redux_sync_and, unsigned)
__GRIDSPAN_REDUCE(__reduce_or, __nvvm_redux_sync_or, unsigned)
__GRIDSPAN_REDUCE(__reduce_xor, __nvvm_redux_sync_xor, unsigned)
#undef __GRIDSPAN_REDUCE
} // namespace __gridspan
#define __reduce_add_sync(mask, value) __gridspan::__reduce_add(mask, value)
#define __reduce_min_sync(mask, value) __gridspan::__reduce_min(mask, value)
#define __reduce_max_sync(mask, value) __gridspan::__reduce_max(mask, value)
#define __reduce_and_sync(mask, value) __gridspan::__reduce_and(mask, value)
#define __reduce_or_sync(mask, value) __gridspan::__reduce_or(mask, value)
#define __reduce_xor_sync(mask, value) __gridspan::__reduce_xor(mask, value)
#endif

#endif // __CUDA__ && __cplusplus

#endif // GRIDSPAN_TOOLS_GRIDSPANXX_INCLUDE_GRIDSPAN_NVCC_COMPAT_H
