//===- gridspan_cache_hints.h - Loads and stores with hints -----*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// __ldcg, __ldca, __ldcs, __ldlu, __ldcv and __stwb, __stcg, __stcs, __stwt for
// all types of the CUDA toolkit's sm_32_intrinsics.h, which clang's headers
// leave out. (Those of __half and __nv_bfloat16 come with these types.)
//
// Where a hint says only how soon data will be used again, the access is an
// ordinary one of LLVM, which is analysed and optimized as such; streaming ones
// (cs, lu) carry LLVM's nontemporal mark. Those that pass by caches which other
// blocks do not see (cg, cv, wt) are what programs wait for each other with:
// they are volatile, so that each of them goes to memory. As the assembly of
// CUDA's own header they alias every type. Short vectors are one access, as in
// PTX.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_TOOLS_GRIDSPANXX_INCLUDE_GRIDSPAN_CACHE_HINTS_H
#define GRIDSPAN_TOOLS_GRIDSPANXX_INCLUDE_GRIDSPAN_CACHE_HINTS_H

#pragma GCC system_header

namespace __gridspan {
template <class __t> using __scalar = __t __attribute__((__may_alias__));
template <class __t, int __n>
using __lanes = __t __attribute__((ext_vector_type(__n), __may_alias__));
template <class __to, class __from>
static inline __attribute__((device)) __to __as(__from __x) {
  __to __y;
  static_assert(sizeof(__y) == sizeof(__x), "a vector is its elements");
  __builtin_memcpy(&__y, &__x, sizeof(__y));
  return __y;
}
} // namespace __gridspan

#define __GRIDSPAN_LOAD(__name, __type, __raw, __get)                          \
  static inline __attribute__((device)) __type __name(const __type *__p) {     \
    return __gridspan::__as<__type>(__get(__raw, __p));                        \
  }
#define __GRIDSPAN_STORE(__name, __type, __raw, __put)                         \
  static inline __attribute__((device)) void __name(__type *__p, __type __x) { \
    __put(__raw, __p, __gridspan::__as<__raw>(__x));                           \
  }
#define __GRIDSPAN_GET(__raw, __p) (*reinterpret_cast<const __raw *>(__p))
#define __GRIDSPAN_GET_STREAMING(__raw, __p)                                   \
  __builtin_nontemporal_load(reinterpret_cast<const __raw *>(__p))
#define __GRIDSPAN_GET_VOLATILE(__raw, __p)                                    \
  (*reinterpret_cast<const volatile __raw *>(__p))
#define __GRIDSPAN_PUT(__raw, __p, __x)                                        \
  (void)(*reinterpret_cast<__raw *>(__p) = __x)
#define __GRIDSPAN_PUT_STREAMING(__raw, __p, __x)                              \
  __builtin_nontemporal_store(__x, reinterpret_cast<__raw *>(__p))
#define __GRIDSPAN_PUT_VOLATILE(__raw, __p, __x)                               \
  (void)(*reinterpret_cast<volatile __raw *>(__p) = __x)

#define __GRIDSPAN_HINTS(__type, __raw)                                        \
  __GRIDSPAN_LOAD(__ldcg, __type, __raw, __GRIDSPAN_GET_VOLATILE)              \
  __GRIDSPAN_LOAD(__ldca, __type, __raw, __GRIDSPAN_GET)                       \
  __GRIDSPAN_LOAD(__ldcs, __type, __raw, __GRIDSPAN_GET_STREAMING)             \
  __GRIDSPAN_LOAD(__ldlu, __type, __raw, __GRIDSPAN_GET_STREAMING)             \
  __GRIDSPAN_LOAD(__ldcv, __type, __raw, __GRIDSPAN_GET_VOLATILE)              \
  __GRIDSPAN_STORE(__stwb, __type, __raw, __GRIDSPAN_PUT)                      \
  __GRIDSPAN_STORE(__stcg, __type, __raw, __GRIDSPAN_PUT)                      \
  __GRIDSPAN_STORE(__stcs, __type, __raw, __GRIDSPAN_PUT_STREAMING)            \
  __GRIDSPAN_STORE(__stwt, __type, __raw, __GRIDSPAN_PUT_VOLATILE)
#define __GRIDSPAN_HINTS_SCALAR(__type)                                        \
  __GRIDSPAN_HINTS(__type, __gridspan::__scalar<__type>)
#define __GRIDSPAN_HINTS_VECTOR(__type, __element, __n)                        \
  namespace __gridspan {                                                       \
  using __raw_##__type = __lanes<__element, __n>;                              \
  }                                                                            \
  __GRIDSPAN_HINTS(__type, __gridspan::__raw_##__type)

__GRIDSPAN_HINTS_SCALAR(char)
__GRIDSPAN_HINTS_SCALAR(signed char)
__GRIDSPAN_HINTS_SCALAR(short)
__GRIDSPAN_HINTS_SCALAR(int)
__GRIDSPAN_HINTS_SCALAR(long)
__GRIDSPAN_HINTS_SCALAR(long long)
__GRIDSPAN_HINTS_SCALAR(unsigned char)
__GRIDSPAN_HINTS_SCALAR(unsigned short)
__GRIDSPAN_HINTS_SCALAR(unsigned int)
__GRIDSPAN_HINTS_SCALAR(unsigned long)
__GRIDSPAN_HINTS_SCALAR(unsigned long long)
__GRIDSPAN_HINTS_SCALAR(float)
__GRIDSPAN_HINTS_SCALAR(double)
__GRIDSPAN_HINTS_VECTOR(char2, signed char, 2)
__GRIDSPAN_HINTS_VECTOR(char4, signed char, 4)
__GRIDSPAN_HINTS_VECTOR(short2, short, 2)
__GRIDSPAN_HINTS_VECTOR(short4, short, 4)
__GRIDSPAN_HINTS_VECTOR(int2, int, 2)
__GRIDSPAN_HINTS_VECTOR(int4, int, 4)
__GRIDSPAN_HINTS_VECTOR(longlong2, long long, 2)
__GRIDSPAN_HINTS_VECTOR(uchar2, unsigned char, 2)
__GRIDSPAN_HINTS_VECTOR(uchar4, unsigned char, 4)
__GRIDSPAN_HINTS_VECTOR(ushort2, unsigned short, 2)
__GRIDSPAN_HINTS_VECTOR(ushort4, unsigned short, 4)
__GRIDSPAN_HINTS_VECTOR(uint2, unsigned int, 2)
__GRIDSPAN_HINTS_VECTOR(uint4, unsigned int, 4)
__GRIDSPAN_HINTS_VECTOR(ulonglong2, unsigned long long, 2)
__GRIDSPAN_HINTS_VECTOR(float2, float, 2)
__GRIDSPAN_HINTS_VECTOR(float4, float, 4)
__GRIDSPAN_HINTS_VECTOR(double2, double, 2)

#undef __GRIDSPAN_HINTS_VECTOR
#undef __GRIDSPAN_HINTS_SCALAR
#undef __GRIDSPAN_HINTS
#undef __GRIDSPAN_PUT_VOLATILE
#undef __GRIDSPAN_PUT_STREAMING
#undef __GRIDSPAN_PUT
#undef __GRIDSPAN_GET_VOLATILE
#undef __GRIDSPAN_GET_STREAMING
#undef __GRIDSPAN_GET
#undef __GRIDSPAN_STORE
#undef __GRIDSPAN_LOAD

#endif // GRIDSPAN_TOOLS_GRIDSPANXX_INCLUDE_GRIDSPAN_CACHE_HINTS_H
