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
// clang knows __managed__ in HIP only. Here it is __device__ with an
// annotation, which Gridspan's passes look for.
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

#pragma GCC system_header

#if defined(__CUDA__) && defined(__cplusplus)

#include <cassert>
#include <climits>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <math.h> // isfinite and its kin without std::
#include <new>
#include <type_traits>
#include <utility>

// clang annotates no declarations; those of host code are known by a section.
#undef __managed__
#ifdef __CUDA_ARCH__
#define __managed__                                                            \
  __attribute__((device)) __attribute__((annotate("gridspan.managed")))
#else
#define __managed__                                                            \
  __attribute__((device)) __attribute__((annotate("gridspan.managed")))        \
  __attribute__((section("gridspan.managed")))
#endif

// Attributes of kernels that clang ignores. Devices heed these, and the host's
// stubs have no use for them (passes/device/KernelAttributes.h).
#ifdef __GRIDSPAN_PASSES__
#undef __grid_constant__
#undef __maxnreg__
#ifdef __CUDA_ARCH__
#define __grid_constant__ __attribute__((annotate("gridspan.grid_constant")))
#define __maxnreg__(n) __attribute__((annotate("gridspan.maxnreg", n)))
#else
#define __grid_constant__
#define __maxnreg__(n)
#undef __launch_bounds__
#define __launch_bounds__(...)
#endif
#endif
#undef __nv_pure__
#define __nv_pure__
// clang 19's back end has no directive for these. Without it, kernels would run
// in clusters of one block.
#undef __cluster_dims__
#undef __block_size__
#define __cluster_dims__(...)                                                  \
  _Pragma("GCC error \"no __cluster_dims__ here: use cudaLaunchKernelEx\"")
#define __block_size__(...)                                                    \
  _Pragma("GCC error \"no __block_size__ here: use cudaLaunchKernelEx\"")

// Objects with constructors may be shared, and are not constructed
// (tools/clang-plugin).
#if __has_attribute(gridspan_shared)
#undef __shared__
#define __shared__ __attribute__((shared, gridspan_shared))
#endif

namespace __gridspan {
template <class __a, class __b, class... __none>
using __arithmetic =
    typename std::enable_if<std::is_arithmetic<__a>::value &&
                                std::is_arithmetic<__b>::value &&
                                sizeof...(__none) == 0,
                            typename std::common_type<__a, __b>::type>::type;

template <class __t, bool = std::is_floating_point<__t>::value>
struct __extreme {
  static inline __attribute__((host)) __t __min(__t __x, __t __y) {
    return __y < __x ? __y : __x;
  }
  static inline __attribute__((host)) __t __max(__t __x, __t __y) {
    return __x < __y ? __y : __x;
  }
};
template <class __t> struct __extreme<__t, true> {
  static inline __attribute__((host)) __t __min(__t __x, __t __y) {
    return std::fmin(__x, __y);
  }
  static inline __attribute__((host)) __t __max(__t __x, __t __y) {
    return std::fmax(__x, __y);
  }
};
} // namespace __gridspan

template <class __a, class __b, class... __none>
static inline
    __attribute__((host)) __gridspan::__arithmetic<__a, __b, __none...>
    min(__a __x, __b __y, __none...) {
  using __t = typename std::common_type<__a, __b>::type;
  return __gridspan::__extreme<__t>::__min(static_cast<__t>(__x),
                                           static_cast<__t>(__y));
}
template <class __a, class __b, class... __none>
static inline
    __attribute__((host)) __gridspan::__arithmetic<__a, __b, __none...>
    max(__a __x, __b __y, __none...) {
  using __t = typename std::common_type<__a, __b>::type;
  return __gridspan::__extreme<__t>::__max(static_cast<__t>(__x),
                                           static_cast<__t>(__y));
}

#ifndef __GRIDSPAN__
// `auto [x, y, z] = threadIdx`.
#define __GRIDSPAN_BINDINGS(__name)                                            \
  template <>                                                                  \
  struct std::tuple_size<__cuda_builtin_##__name##_t>                          \
      : std::integral_constant<std::size_t, 3> {};                             \
  template <std::size_t __i>                                                   \
  struct std::tuple_element<__i, __cuda_builtin_##__name##_t> {                \
    typedef unsigned int type;                                                 \
  };
__GRIDSPAN_BINDINGS(threadIdx)
__GRIDSPAN_BINDINGS(blockIdx)
__GRIDSPAN_BINDINGS(blockDim)
__GRIDSPAN_BINDINGS(gridDim)
#undef __GRIDSPAN_BINDINGS
#endif

#include "gridspan_atomics.h"
#include "gridspan_cache_hints.h"
#include "gridspan_constexpr.h"
#include "gridspan_functions.h"
#include "gridspan_surfaces.h"

// Programs may include these headers, whose functions are all there by now.
#define __SM_20_ATOMIC_FUNCTIONS_H__
#define __SM_20_INTRINSICS_H__
#define __SM_32_ATOMIC_FUNCTIONS_H__
#define __SM_35_ATOMIC_FUNCTIONS_H__
#define __SM_60_ATOMIC_FUNCTIONS_H__
#define __SM_61_INTRINSICS_H__
#define __SM_70_RT_H__
#define __SM_80_RT_H__
#define __SM_90_RT_H__

// What cooperative_groups.h needs of the compiler for cg::this_cluster().
#define _CG_CLUSTER_INTRINSICS_AVAILABLE

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
#define __reduce_add_sync(__mask, __value)                                     \
  __gridspan::__reduce_add(__mask, __value)
#define __reduce_min_sync(__mask, __value)                                     \
  __gridspan::__reduce_min(__mask, __value)
#define __reduce_max_sync(__mask, __value)                                     \
  __gridspan::__reduce_max(__mask, __value)
#define __reduce_and_sync(__mask, __value)                                     \
  __gridspan::__reduce_and(__mask, __value)
#define __reduce_or_sync(__mask, __value)                                      \
  __gridspan::__reduce_or(__mask, __value)
#define __reduce_xor_sync(__mask, __value)                                     \
  __gridspan::__reduce_xor(__mask, __value)
#endif

// Programs ask for __NVCC__ where they mean any compiler of CUDA. Headers of
// the toolkit ask for nvcc's own front end: those have their answer before the
// macro is there.
#if __has_include(<cuda/std/__cccl/compiler.h>)
#include <cuda/std/__cccl/compiler.h>
#endif
#include <nv/target>
#define __NVCC__ 1
// #pragma nv_diag_suppress and its kin are known, and ignored.
#define __NVCC_DIAG_PRAGMA_SUPPORT__ 1
// A function for both may call host code, and may be the C library's
// (tools/clang-plugin). At the end: headers of the toolkit need it not.
#if __has_attribute(gridspan_host_device)
#undef __host__
#undef __device__
#define __host__ __attribute__((host, gridspan_host_device))
#define __device__ __attribute__((device, gridspan_host_device))
#endif
// What nvcc's front end knows of lambdas; here they are as in any other code.
#define __nv_is_extended_device_lambda_closure_type(__type) false
#define __nv_is_extended_host_device_lambda_closure_type(__type) false
#define __nv_is_extended_device_lambda_with_preserved_return_type(__type) false

#endif // __CUDA__ && __cplusplus

#endif // GRIDSPAN_TOOLS_GRIDSPANXX_INCLUDE_GRIDSPAN_NVCC_COMPAT_H
