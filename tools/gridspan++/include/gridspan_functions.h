//===- gridspan_functions.h - Functions that clang's headers lack -*-C++-*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Device functions that the CUDA toolkit declares and nvcc has built in, but
// neither clang's headers nor the toolkit's own have a body for. As in nvcc,
// long double is double in device code.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_TOOLS_GRIDSPANXX_INCLUDE_GRIDSPAN_FUNCTIONS_H
#define GRIDSPAN_TOOLS_GRIDSPANXX_INCLUDE_GRIDSPAN_FUNCTIONS_H

#pragma GCC system_header

#define __GRIDSPAN_DEVICE static inline __attribute__((device))

// Questions about an address, and bytes in the other order.
extern "C" {
__attribute__((device, const)) inline unsigned
__nv_isGlobal_impl(const void *__p) {
  return __nvvm_isspacep_global(__p);
}
__attribute__((device, const)) inline unsigned
__nv_isShared_impl(const void *__p) {
  return __nvvm_isspacep_shared(__p);
}
__attribute__((device, const)) inline unsigned
__nv_isConstant_impl(const void *__p) {
  return __nvvm_isspacep_const(__p);
}
__attribute__((device, const)) inline unsigned
__nv_isLocal_impl(const void *__p) {
  return __nvvm_isspacep_local(__p);
}
__attribute__((device, const)) inline unsigned
__nv_isGridConstant_impl(const void *__p) {
  unsigned __yes;
  asm("{ .reg .pred p; isspacep.param p, %1; selp.u32 %0, 1, 0, p; }"
      : "=r"(__yes)
      : "l"(__p));
  return __yes;
}
__attribute__((device, const)) inline unsigned short
__nv_bswap16_impl(unsigned short __x) {
  return __builtin_bswap16(__x);
}
__attribute__((device, const)) inline unsigned __nv_bswap32_impl(unsigned __x) {
  return __builtin_bswap32(__x);
}
__attribute__((device, const)) inline unsigned long long
__nv_bswap64_impl(unsigned long long __x) {
  return __builtin_bswap64(__x);
}
} // extern "C"

// clang's headers declare these two. The payload is that of the empty text, as
// it is with nvcc where the text is not a constant.
__GRIDSPAN_DEVICE double nan(const char *) { return __builtin_nan(""); }
__GRIDSPAN_DEVICE float nanf(const char *) { return __builtin_nanf(""); }

__GRIDSPAN_DEVICE float __tanhf(float __x) {
  float __y;
  asm("tanh.approx.f32 %0, %1;" : "=f"(__y) : "f"(__x));
  return __y;
}
// The event is a constant of the instruction.
#define __prof_trigger(__event)                                                \
  __extension__({ asm volatile("pmevent %0;" ::"n"(__event)); })

// In device code long double is double.
__GRIDSPAN_DEVICE bool isfinite(long double __x) {
  return __finite(static_cast<double>(__x));
}
__GRIDSPAN_DEVICE bool isinf(long double __x) {
  return __isinf(static_cast<double>(__x));
}
__GRIDSPAN_DEVICE bool isnan(long double __x) {
  return __isnan(static_cast<double>(__x));
}
__GRIDSPAN_DEVICE bool signbit(long double __x) {
  return __signbitd(static_cast<double>(__x));
}
__GRIDSPAN_DEVICE int __signbit(double __x) { return __signbitd(__x); }
__GRIDSPAN_DEVICE int __signbitl(long double __x) {
  return __signbitd(static_cast<double>(__x));
}
__GRIDSPAN_DEVICE int __finitel(long double __x) {
  return __finite(static_cast<double>(__x));
}
__GRIDSPAN_DEVICE int __isinfl(long double __x) {
  return __isinf(static_cast<double>(__x));
}
__GRIDSPAN_DEVICE int __isnanl(long double __x) {
  return __isnan(static_cast<double>(__x));
}

#undef __GRIDSPAN_DEVICE

#endif // GRIDSPAN_TOOLS_GRIDSPANXX_INCLUDE_GRIDSPAN_FUNCTIONS_H
