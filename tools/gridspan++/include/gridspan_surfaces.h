//===- gridspan_surfaces.h - Reads and writes of surfaces -------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// surf1Dread, surf1Dwrite and the other functions of the CUDA toolkit's
// surface_indirect_functions.h, which clang 19 leaves out. Each is one
// instruction suld.b or sust.b; x is in bytes. Cube maps are layers of two
// dimensions. Types are those that the toolkit allows: one, two or four
// elements of 1 to 8 bytes, 16 bytes at most.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_TOOLS_GRIDSPANXX_INCLUDE_GRIDSPAN_SURFACES_H
#define GRIDSPAN_TOOLS_GRIDSPANXX_INCLUDE_GRIDSPAN_SURFACES_H

#pragma GCC system_header

// Programs that include the toolkit's header get this one.
#define __SURFACE_INDIRECT_FUNCTIONS_H__

namespace __gridspan {
/// What of a surface's type the instructions see.
template <class __t> struct __texel;
#define __GRIDSPAN_TEXEL(__type, __register_type, __bits, __lanes)             \
  template <> struct __texel<__type> {                                         \
    using __register = __register_type;                                        \
    static constexpr int __width = __bits, __count = __lanes;                  \
  };
#define __GRIDSPAN_TEXEL_1(__type, __vector, __register, __bits)               \
  __GRIDSPAN_TEXEL(__type, __register, __bits, 1)                              \
  __GRIDSPAN_TEXEL(__vector##1, __register, __bits, 1)                         \
  __GRIDSPAN_TEXEL(__vector##2, __register, __bits, 2)
#define __GRIDSPAN_TEXEL_4(__type, __vector, __register, __bits)               \
  __GRIDSPAN_TEXEL_1(__type, __vector, __register, __bits)                     \
  __GRIDSPAN_TEXEL(__vector##4, __register, __bits, 4)
__GRIDSPAN_TEXEL(char, unsigned short, 8, 1)
__GRIDSPAN_TEXEL_4(signed char, char, unsigned short, 8)
__GRIDSPAN_TEXEL_4(unsigned char, uchar, unsigned short, 8)
__GRIDSPAN_TEXEL_4(short, short, unsigned short, 16)
__GRIDSPAN_TEXEL_4(unsigned short, ushort, unsigned short, 16)
__GRIDSPAN_TEXEL_4(int, int, unsigned, 32)
__GRIDSPAN_TEXEL_4(unsigned, uint, unsigned, 32)
__GRIDSPAN_TEXEL_4(float, float, unsigned, 32)
__GRIDSPAN_TEXEL_1(long long, longlong, unsigned long long, 64)
__GRIDSPAN_TEXEL_1(unsigned long long, ulonglong, unsigned long long, 64)
#undef __GRIDSPAN_TEXEL_4
#undef __GRIDSPAN_TEXEL_1
#undef __GRIDSPAN_TEXEL

/// Bits by width, as elements lie in memory.
template <int __width> struct __element;
template <> struct __element<8> {
  using __type = unsigned char;
};
template <> struct __element<16> {
  using __type = unsigned short;
};
template <> struct __element<32> {
  using __type = unsigned;
};
template <> struct __element<64> {
  using __type = unsigned long long;
};

/// The instructions of one geometry, for registers of one width and count.
template <int __geometry, int __width, int __count> struct __surface;

#define __GRIDSPAN_REGISTERS_1 "{%0}"
#define __GRIDSPAN_REGISTERS_2 "{%0, %1}"
#define __GRIDSPAN_REGISTERS_4 "{%0, %1, %2, %3}"
#define __GRIDSPAN_LANES_1(__c) __c(__v[0])
#define __GRIDSPAN_LANES_2(__c) __c(__v[0]), __c(__v[1])
#define __GRIDSPAN_LANES_4(__c)                                                \
  __c(__v[0]), __c(__v[1]), __c(__v[2]), __c(__v[3])
#define __GRIDSPAN_VECTOR_1 ""
#define __GRIDSPAN_VECTOR_2 ".v2"
#define __GRIDSPAN_VECTOR_4 ".v4"
#define __GRIDSPAN_SULD(__geometry, __at, __bits, __clamp, __c, __n)           \
  asm volatile(                                                                \
      "suld.b." __geometry __GRIDSPAN_VECTOR_##__n                             \
      ".b" #__bits "." __clamp " " __GRIDSPAN_REGISTERS_##__n                  \
      ", [%[__s], " __at "];"                                                  \
      : __GRIDSPAN_LANES_##__n("=" __c)                                        \
      : [__s] "l"(__s), [__x] "r"(__x), [__y] "r"(__y), [__z] "r"(__z)         \
      : "memory")
#define __GRIDSPAN_SUST(__geometry, __at, __bits, __clamp, __c, __n)           \
  asm volatile("sust.b." __geometry __GRIDSPAN_VECTOR_##__n                    \
               ".b" #__bits "." __clamp " [%[__s], " __at                      \
               "], " __GRIDSPAN_REGISTERS_##__n ";"                            \
               :                                                               \
               : __GRIDSPAN_LANES_##__n(__c), [__s] "l"(__s), [__x] "r"(__x),  \
                 [__y] "r"(__y), [__z] "r"(__z)                                \
               : "memory")
#define __GRIDSPAN_SURFACE(__number, __geometry, __at, __bits, __c, __n)       \
  template <> struct __surface<__number, __bits, __n> {                        \
    template <class __t>                                                       \
    static inline __attribute__((device)) void                                 \
    __read(__t *__v, cudaSurfaceObject_t __s, int __x, int __y, int __z,       \
           cudaSurfaceBoundaryMode __mode) {                                   \
      if (__mode == cudaBoundaryModeZero)                                      \
        __GRIDSPAN_SULD(__geometry, __at, __bits, "zero", __c, __n);           \
      else if (__mode == cudaBoundaryModeClamp)                                \
        __GRIDSPAN_SULD(__geometry, __at, __bits, "clamp", __c, __n);          \
      else                                                                     \
        __GRIDSPAN_SULD(__geometry, __at, __bits, "trap", __c, __n);           \
    }                                                                          \
    template <class __t>                                                       \
    static inline __attribute__((device)) void                                 \
    __write(const __t *__v, cudaSurfaceObject_t __s, int __x, int __y,         \
            int __z, cudaSurfaceBoundaryMode __mode) {                         \
      if (__mode == cudaBoundaryModeZero)                                      \
        __GRIDSPAN_SUST(__geometry, __at, __bits, "zero", __c, __n);           \
      else if (__mode == cudaBoundaryModeClamp)                                \
        __GRIDSPAN_SUST(__geometry, __at, __bits, "clamp", __c, __n);          \
      else                                                                     \
        __GRIDSPAN_SUST(__geometry, __at, __bits, "trap", __c, __n);           \
    }                                                                          \
  };
#define __GRIDSPAN_SURFACES(__n, __g, __at)                                    \
  __GRIDSPAN_SURFACE(__n, __g, __at, 8, "h", 1)                                \
  __GRIDSPAN_SURFACE(__n, __g, __at, 8, "h", 2)                                \
  __GRIDSPAN_SURFACE(__n, __g, __at, 8, "h", 4)                                \
  __GRIDSPAN_SURFACE(__n, __g, __at, 16, "h", 1)                               \
  __GRIDSPAN_SURFACE(__n, __g, __at, 16, "h", 2)                               \
  __GRIDSPAN_SURFACE(__n, __g, __at, 16, "h", 4)                               \
  __GRIDSPAN_SURFACE(__n, __g, __at, 32, "r", 1)                               \
  __GRIDSPAN_SURFACE(__n, __g, __at, 32, "r", 2)                               \
  __GRIDSPAN_SURFACE(__n, __g, __at, 32, "r", 4)                               \
  __GRIDSPAN_SURFACE(__n, __g, __at, 64, "l", 1)                               \
  __GRIDSPAN_SURFACE(__n, __g, __at, 64, "l", 2)
__GRIDSPAN_SURFACES(1, "1d", "{%[__x]}")
__GRIDSPAN_SURFACES(2, "2d", "{%[__x], %[__y]}")
__GRIDSPAN_SURFACES(3, "3d", "{%[__x], %[__y], %[__z], %[__z]}")
__GRIDSPAN_SURFACES(4, "a1d", "{%[__y], %[__x]}")
__GRIDSPAN_SURFACES(5, "a2d", "{%[__z], %[__x], %[__y], %[__y]}")
#undef __GRIDSPAN_SURFACES
#undef __GRIDSPAN_SURFACE
#undef __GRIDSPAN_SUST
#undef __GRIDSPAN_SULD
#undef __GRIDSPAN_VECTOR_4
#undef __GRIDSPAN_VECTOR_2
#undef __GRIDSPAN_VECTOR_1
#undef __GRIDSPAN_LANES_4
#undef __GRIDSPAN_LANES_2
#undef __GRIDSPAN_LANES_1
#undef __GRIDSPAN_REGISTERS_4
#undef __GRIDSPAN_REGISTERS_2
#undef __GRIDSPAN_REGISTERS_1

template <int __geometry, class __t>
static inline __attribute__((device)) void
__surface_read(__t *__p, cudaSurfaceObject_t __s, int __x, int __y, int __z,
               cudaSurfaceBoundaryMode __mode) {
  using __as = __texel<__t>;
  typename __as::__register __v[__as::__count];
  __surface<__geometry, __as::__width, __as::__count>::__read(__v, __s, __x,
                                                              __y, __z, __mode);
  typename __element<__as::__width>::__type __bits[__as::__count];
#pragma unroll
  for (int __i = 0; __i < __as::__count; ++__i)
    __bits[__i] = __v[__i];
  __builtin_memcpy(__p, __bits, sizeof(__t));
}
template <int __geometry, class __t>
static inline __attribute__((device)) void
__surface_write(const __t &__value, cudaSurfaceObject_t __s, int __x, int __y,
                int __z, cudaSurfaceBoundaryMode __mode) {
  using __as = __texel<__t>;
  typename __element<__as::__width>::__type __bits[__as::__count];
  __builtin_memcpy(__bits, &__value, sizeof(__t));
  typename __as::__register __v[__as::__count];
#pragma unroll
  for (int __i = 0; __i < __as::__count; ++__i)
    __v[__i] = __bits[__i];
  __surface<__geometry, __as::__width, __as::__count>::__write(
      __v, __s, __x, __y, __z, __mode);
}
/// void for the types that the toolkit allows.
template <class __t>
using __surface_void = decltype((void)__texel<__t>::__count);
} // namespace __gridspan

#define __GRIDSPAN_SURFACE_FUNCTIONS(__name, __geometry, __at, __x, __y, __z)  \
  template <class __t>                                                         \
  static inline __attribute__((device)) __gridspan::__surface_void<__t>        \
      __name##read(__t *__p, cudaSurfaceObject_t __s, __at,                    \
                   cudaSurfaceBoundaryMode __mode = cudaBoundaryModeTrap) {    \
    __gridspan::__surface_read<__geometry>(__p, __s, __x, __y, __z, __mode);   \
  }                                                                            \
  template <class __t>                                                         \
  static inline __attribute__((device)) __t __name##read(                      \
      cudaSurfaceObject_t __s, __at,                                           \
      cudaSurfaceBoundaryMode __mode = cudaBoundaryModeTrap) {                 \
    __t __value;                                                               \
    __gridspan::__surface_read<__geometry>(&__value, __s, __x, __y, __z,       \
                                           __mode);                            \
    return __value;                                                            \
  }                                                                            \
  template <class __t>                                                         \
  static inline __attribute__((device)) __gridspan::__surface_void<__t>        \
      __name##write(__t __value, cudaSurfaceObject_t __s, __at,                \
                    cudaSurfaceBoundaryMode __mode = cudaBoundaryModeTrap) {   \
    __gridspan::__surface_write<__geometry>(__value, __s, __x, __y, __z,       \
                                            __mode);                           \
  }
#define __GRIDSPAN_AT_1 int __i
#define __GRIDSPAN_AT_2 int __i, int __j
#define __GRIDSPAN_AT_3 int __i, int __j, int __k
__GRIDSPAN_SURFACE_FUNCTIONS(surf1D, 1, __GRIDSPAN_AT_1, __i, 0, 0)
__GRIDSPAN_SURFACE_FUNCTIONS(surf2D, 2, __GRIDSPAN_AT_2, __i, __j, 0)
__GRIDSPAN_SURFACE_FUNCTIONS(surf3D, 3, __GRIDSPAN_AT_3, __i, __j, __k)
__GRIDSPAN_SURFACE_FUNCTIONS(surf1DLayered, 4, __GRIDSPAN_AT_2, __i, __j, 0)
__GRIDSPAN_SURFACE_FUNCTIONS(surf2DLayered, 5, __GRIDSPAN_AT_3, __i, __j, __k)
__GRIDSPAN_SURFACE_FUNCTIONS(surfCubemap, 5, __GRIDSPAN_AT_3, __i, __j, __k)
__GRIDSPAN_SURFACE_FUNCTIONS(surfCubemapLayered, 5, __GRIDSPAN_AT_3, __i, __j,
                             __k)
#undef __GRIDSPAN_AT_3
#undef __GRIDSPAN_AT_2
#undef __GRIDSPAN_AT_1
#undef __GRIDSPAN_SURFACE_FUNCTIONS

#endif // GRIDSPAN_TOOLS_GRIDSPANXX_INCLUDE_GRIDSPAN_SURFACES_H
