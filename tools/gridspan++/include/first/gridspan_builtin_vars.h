//===- gridspan_builtin_vars.h - threadIdx and its kin ----------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes the place of clang's __clang_cuda_builtin_vars.h. There threadIdx has a
// type of its own and cannot be copied; with nvcc it is a uint3, and
// `auto t = threadIdx`, `c ? threadIdx : blockIdx` and arguments of templates
// are common. So the variables are declared as nvcc declares them, and a pass
// replaces them (passes/device/BuiltinVariables.h).
//
// Without Gridspan there is no such pass. Then they have types of their own, as
// in clang, and a copy is the same variable once more: its members are read
// from the same registers, which never change while a thread runs. The names of
// types and members are clang's, because its headers define the conversions.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_TOOLS_GRIDSPANXX_INCLUDE_FIRST_GRIDSPAN_BUILTIN_VARS_H
#define GRIDSPAN_TOOLS_GRIDSPANXX_INCLUDE_FIRST_GRIDSPAN_BUILTIN_VARS_H

#pragma GCC system_header

// clang's header of the same contents.
#define __CUDA_BUILTIN_VARS_H

struct uint3;
struct dim3;

#define __GRIDSPAN_MEMBER(__name, __read)                                      \
  __declspec(property(get = __fetch_builtin_##__name)) unsigned int __name;    \
  static inline __attribute__((                                                \
      always_inline, device)) unsigned int __fetch_builtin_##__name(void) {    \
    return __read();                                                           \
  }
#define __GRIDSPAN_VARIABLE(__name, __register)                                \
  struct __cuda_builtin_##__name##_t {                                         \
    __GRIDSPAN_MEMBER(x, __nvvm_read_ptx_sreg_##__register##_x)                \
    __GRIDSPAN_MEMBER(y, __nvvm_read_ptx_sreg_##__register##_y)                \
    __GRIDSPAN_MEMBER(z, __nvvm_read_ptx_sreg_##__register##_z)                \
    __attribute__((device)) operator dim3() const;                             \
    __attribute__((device)) operator uint3() const;                            \
    template <__SIZE_TYPE__ __i>                                               \
    inline __attribute__((device)) unsigned int get() const {                  \
      return __i == 0 ? x : __i == 1 ? y : z;                                  \
    }                                                                          \
  };
__GRIDSPAN_VARIABLE(threadIdx, tid)
__GRIDSPAN_VARIABLE(blockIdx, ctaid)
__GRIDSPAN_VARIABLE(blockDim, ntid)
__GRIDSPAN_VARIABLE(gridDim, nctaid)
#undef __GRIDSPAN_VARIABLE
#undef __GRIDSPAN_MEMBER

#define __GRIDSPAN_EXTERN extern const __attribute__((device, weak))
#ifdef __GRIDSPAN__
extern "C" {
__GRIDSPAN_EXTERN uint3 threadIdx;
__GRIDSPAN_EXTERN uint3 blockIdx;
__GRIDSPAN_EXTERN dim3 blockDim;
__GRIDSPAN_EXTERN dim3 gridDim;
}
#else
__GRIDSPAN_EXTERN __cuda_builtin_threadIdx_t threadIdx;
__GRIDSPAN_EXTERN __cuda_builtin_blockIdx_t blockIdx;
__GRIDSPAN_EXTERN __cuda_builtin_blockDim_t blockDim;
__GRIDSPAN_EXTERN __cuda_builtin_gridDim_t gridDim;
#endif
#undef __GRIDSPAN_EXTERN

__attribute__((device)) const int warpSize = 32;

#endif // GRIDSPAN_TOOLS_GRIDSPANXX_INCLUDE_FIRST_GRIDSPAN_BUILTIN_VARS_H
