//===- gridspan_atomics.h - Atomics that clang's headers lack ---*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The body of the 16-bit atomicCAS; atomicCAS and atomicExch of 16 bytes; and
// the functions __nv_atomic_*, which nvcc has built in.
//
// The latter are made of a relaxed operation of the scope and of fences: one
// before it if the order releases, one after it if the order acquires. That is
// at least as strong as what is asked for, whatever the instructions can do.
// Relaxed loads and stores are volatile, which in PTX is relaxed of the whole
// system. What has no instruction is a loop of compare-and-swap.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_TOOLS_GRIDSPANXX_INCLUDE_GRIDSPAN_ATOMICS_H
#define GRIDSPAN_TOOLS_GRIDSPANXX_INCLUDE_GRIDSPAN_ATOMICS_H

#pragma GCC system_header

// As nvcc predefines them.
#define __NV_ATOMIC_RELAXED 0
#define __NV_ATOMIC_CONSUME 1
#define __NV_ATOMIC_ACQUIRE 2
#define __NV_ATOMIC_RELEASE 3
#define __NV_ATOMIC_ACQ_REL 4
#define __NV_ATOMIC_SEQ_CST 5
#define __NV_THREAD_SCOPE_THREAD 0
#define __NV_THREAD_SCOPE_BLOCK 1
#define __NV_THREAD_SCOPE_CLUSTER 2
#define __NV_THREAD_SCOPE_DEVICE 3
#define __NV_THREAD_SCOPE_SYSTEM 4

#define __GRIDSPAN_DEVICE static inline __attribute__((device))

// Declared by the toolkit, and built into nvcc.
extern "C" __attribute__((device)) inline unsigned short
__usAtomicCAS(unsigned short *__p, unsigned short __old, unsigned short __new) {
  __atomic_compare_exchange_n(__p, &__old, __new, false, __ATOMIC_RELAXED,
                              __ATOMIC_RELAXED);
  return __old;
}
extern "C" __attribute__((device)) inline unsigned short
__usAtomicCAS_block(unsigned short *__p, unsigned short __old,
                    unsigned short __new) {
  return __usAtomicCAS(__p, __old, __new);
}
extern "C" __attribute__((device)) inline unsigned short
__usAtomicCAS_system(unsigned short *__p, unsigned short __old,
                     unsigned short __new) {
  unsigned short __was;
  asm volatile("atom.cas.sys.b16 %0, [%1], %2, %3;"
               : "=h"(__was)
               : "l"(__p), "h"(__old), "h"(__new)
               : "memory");
  return __was;
}

namespace __gridspan {
template <int __size> struct __atomic_bits;
template <> struct __atomic_bits<1> {
  using __type = unsigned char;
};
template <> struct __atomic_bits<2> {
  using __type = unsigned short;
};
template <> struct __atomic_bits<4> {
  using __type = unsigned;
};
template <> struct __atomic_bits<8> {
  using __type = unsigned long long;
};
struct alignas(16) __bits128 {
  unsigned long long __low, __high;
};
template <> struct __atomic_bits<16> {
  using __type = __bits128;
};
/// The integer that stands for a type.
template <class __t>
using __bits_of = typename __atomic_bits<sizeof(__t)>::__type;
template <class __t> using __same = typename std::common_type<__t>::type;

// A program that includes cuda_fp16.h before it uses them has its own types.
template <class __to, class __from>
__GRIDSPAN_DEVICE __to __bit_cast(const __from &__x) {
  union __holder {
    __to __y;
    __attribute__((device)) inline __holder() {}
  } __u;
  static_assert(sizeof(__to) == sizeof(__from), "the same bits");
  __builtin_memcpy(&__u.__y, &__x, sizeof(__to));
  return __u.__y;
}

__GRIDSPAN_DEVICE void __fence(int __scope) {
  switch (__scope) {
  case __NV_THREAD_SCOPE_THREAD:
    return;
  case __NV_THREAD_SCOPE_BLOCK:
    return __threadfence_block();
  case __NV_THREAD_SCOPE_CLUSTER:
  case __NV_THREAD_SCOPE_DEVICE:
    return __threadfence();
  default:
    return __threadfence_system();
  }
}
__GRIDSPAN_DEVICE void __fence_before(int __order, int __scope) {
  if (__order == __NV_ATOMIC_RELEASE || __order == __NV_ATOMIC_ACQ_REL ||
      __order == __NV_ATOMIC_SEQ_CST)
    __fence(__scope);
}
__GRIDSPAN_DEVICE void __fence_after(int __order, int __scope) {
  if (__order != __NV_ATOMIC_RELAXED && __order != __NV_ATOMIC_RELEASE)
    __fence(__scope);
}

/// Calls the function for the scope; a wider one serves where none is made.
#define __GRIDSPAN_SCOPED(__function, __scope, ...)                            \
  (__scope <= __NV_THREAD_SCOPE_BLOCK    ? __function##_block(__VA_ARGS__)     \
   : __scope == __NV_THREAD_SCOPE_SYSTEM ? __function##_system(__VA_ARGS__)    \
                                         : __function(__VA_ARGS__))

// 16 bytes. PTX has them from sm_90 on.
#define __GRIDSPAN_128(__name, __scope)                                        \
  __GRIDSPAN_DEVICE __bits128 __cas##__name(__bits128 *__p, __bits128 __old,   \
                                            __bits128 __new) {                 \
    __bits128 __was;                                                           \
    asm volatile("{ .reg .b128 o, n, w; mov.b128 o, {%3, %4}; mov.b128 n, "    \
                 "{%5, %6}; atom.cas" __scope                                  \
                 ".b128 w, [%2], o, n; mov.b128 {%0, %1}, w; }"                \
                 : "=l"(__was.__low), "=l"(__was.__high)                       \
                 : "l"(__p), "l"(__old.__low), "l"(__old.__high),              \
                   "l"(__new.__low), "l"(__new.__high)                         \
                 : "memory");                                                  \
    return __was;                                                              \
  }                                                                            \
  __GRIDSPAN_DEVICE __bits128 __exchange##__name(__bits128 *__p,               \
                                                 __bits128 __new) {            \
    __bits128 __was;                                                           \
    asm volatile("{ .reg .b128 n, w; mov.b128 n, {%3, %4}; atom.exch" __scope  \
                 ".b128 w, [%2], n; mov.b128 {%0, %1}, w; }"                   \
                 : "=l"(__was.__low), "=l"(__was.__high)                       \
                 : "l"(__p), "l"(__new.__low), "l"(__new.__high)               \
                 : "memory");                                                  \
    return __was;                                                              \
  }
__GRIDSPAN_128(, ".gpu")
__GRIDSPAN_128(_block, ".cta")
__GRIDSPAN_128(_system, ".sys")
#undef __GRIDSPAN_128
__GRIDSPAN_DEVICE __bits128 __load(const __bits128 *__p) {
  __bits128 __x;
  asm volatile("{ .reg .b128 x; ld.relaxed.sys.b128 x, [%2]; "
               "mov.b128 {%0, %1}, x; }"
               : "=l"(__x.__low), "=l"(__x.__high)
               : "l"(__p)
               : "memory");
  return __x;
}
__GRIDSPAN_DEVICE void __store(__bits128 *__p, __bits128 __x) {
  asm volatile("{ .reg .b128 x; mov.b128 x, {%1, %2}; "
               "st.relaxed.sys.b128 [%0], x; }"
               :
               : "l"(__p), "l"(__x.__low), "l"(__x.__high)
               : "memory");
}
template <class __t> __GRIDSPAN_DEVICE __t __load(const __t *__p) {
  return *const_cast<const volatile __t *>(__p);
}
template <class __t> __GRIDSPAN_DEVICE void __store(__t *__p, __t __x) {
  *const_cast<volatile __t *>(__p) = __x;
}

// Compare-and-swap of one scope; one byte by way of the word around it.
__GRIDSPAN_DEVICE __bits128 __swap_if(__bits128 *__p, __bits128 __old,
                                      __bits128 __new, int __scope) {
  return __GRIDSPAN_SCOPED(__cas, __scope, __p, __old, __new);
}
__GRIDSPAN_DEVICE unsigned long long __swap_if(unsigned long long *__p,
                                               unsigned long long __old,
                                               unsigned long long __new,
                                               int __scope) {
  return __GRIDSPAN_SCOPED(atomicCAS, __scope, __p, __old, __new);
}
__GRIDSPAN_DEVICE unsigned __swap_if(unsigned *__p, unsigned __old,
                                     unsigned __new, int __scope) {
  return __GRIDSPAN_SCOPED(atomicCAS, __scope, __p, __old, __new);
}
__GRIDSPAN_DEVICE unsigned short __swap_if(unsigned short *__p,
                                           unsigned short __old,
                                           unsigned short __new, int __scope) {
  return __GRIDSPAN_SCOPED(__usAtomicCAS, __scope, __p, __old, __new);
}
__GRIDSPAN_DEVICE unsigned char __swap_if(unsigned char *__p,
                                          unsigned char __old,
                                          unsigned char __new, int __scope) {
  unsigned long long __at = reinterpret_cast<unsigned long long>(__p);
  unsigned *__word = reinterpret_cast<unsigned *>(__at & ~3ull);
  unsigned __shift = (__at & 3) * 8, __mask = 255u << __shift;
  unsigned __was = __load(__word);
  while (((__was & __mask) >> __shift) == __old) {
    unsigned __next = (__was & ~__mask) | (unsigned(__new) << __shift);
    unsigned __seen = __swap_if(__word, __was, __next, __scope);
    if (__seen == __was)
      return __old;
    __was = __seen;
  }
  return (__was & __mask) >> __shift;
}
__GRIDSPAN_DEVICE bool __equal(__bits128 __a, __bits128 __b) {
  return __a.__low == __b.__low && __a.__high == __b.__high;
}
template <class __t> __GRIDSPAN_DEVICE bool __equal(__t __a, __t __b) {
  return __a == __b;
}

__GRIDSPAN_DEVICE __bits128 __swap(__bits128 *__p, __bits128 __x, int __scope) {
  return __GRIDSPAN_SCOPED(__exchange, __scope, __p, __x);
}
__GRIDSPAN_DEVICE unsigned long long
__swap(unsigned long long *__p, unsigned long long __x, int __scope) {
  return __GRIDSPAN_SCOPED(atomicExch, __scope, __p, __x);
}
__GRIDSPAN_DEVICE unsigned __swap(unsigned *__p, unsigned __x, int __scope) {
  return __GRIDSPAN_SCOPED(atomicExch, __scope, __p, __x);
}
template <class __t>
__GRIDSPAN_DEVICE __t __swap(__t *__p, __t __x, int __scope) {
  __t __was = __load(__p), __seen;
  while ((__seen = __swap_if(__p, __was, __x, __scope)) != __was)
    __was = __seen;
  return __was;
}

/// Integers of 4 and 8 bytes as the toolkit's atomics take them.
template <int __size, bool __negative> struct __atomic_integer;
template <> struct __atomic_integer<4, false> {
  using __type = unsigned;
};
template <> struct __atomic_integer<4, true> {
  using __type = int;
};
template <> struct __atomic_integer<8, false> {
  using __type = unsigned long long;
};
template <> struct __atomic_integer<8, true> {
  using __type = long long;
};
template <class __t>
using __atomic_integer_of =
    typename __atomic_integer<sizeof(__t), std::is_signed<__t>::value>::__type;

template <class __t>
__GRIDSPAN_DEVICE
    typename std::enable_if<std::is_integral<__t>::value, __t>::type
    __add(__t *__p, __t __x, int __scope) {
  using __u = __bits_of<__t>;
  return static_cast<__t>(__GRIDSPAN_SCOPED(
      atomicAdd, __scope, reinterpret_cast<__u *>(__p), static_cast<__u>(__x)));
}
__GRIDSPAN_DEVICE float __add(float *__p, float __x, int __scope) {
  return __GRIDSPAN_SCOPED(atomicAdd, __scope, __p, __x);
}
__GRIDSPAN_DEVICE double __add(double *__p, double __x, int __scope) {
  return __GRIDSPAN_SCOPED(atomicAdd, __scope, __p, __x);
}
template <class __t>
__GRIDSPAN_DEVICE __t __sub(__t *__p, __t __x, int __scope) {
  return __add(__p, static_cast<__t>(-__x), __scope);
}
#define __GRIDSPAN_FETCH(__name, __function, __integer)                        \
  template <class __t>                                                         \
  __GRIDSPAN_DEVICE __t __name(__t *__p, __t __x, int __scope) {               \
    static_assert(std::is_integral<__t>::value, "an integer of 4 or 8 bytes"); \
    using __u = __integer<__t>;                                                \
    return static_cast<__t>(__GRIDSPAN_SCOPED(__function, __scope,             \
                                              reinterpret_cast<__u *>(__p),    \
                                              static_cast<__u>(__x)));         \
  }
__GRIDSPAN_FETCH(__and, atomicAnd, __bits_of)
__GRIDSPAN_FETCH(__or, atomicOr, __bits_of)
__GRIDSPAN_FETCH(__xor, atomicXor, __bits_of)
__GRIDSPAN_FETCH(__min, atomicMin, __atomic_integer_of)
__GRIDSPAN_FETCH(__max, atomicMax, __atomic_integer_of)
#undef __GRIDSPAN_FETCH
#undef __GRIDSPAN_SCOPED
} // namespace __gridspan

#define __GRIDSPAN_ORDERED int __order, int __scope = __NV_THREAD_SCOPE_SYSTEM
template <class __t>
__GRIDSPAN_DEVICE __t __nv_atomic_load_n(const __t *__p, __GRIDSPAN_ORDERED) {
  using __u = __gridspan::__bits_of<__t>;
  if (__order == __NV_ATOMIC_SEQ_CST)
    __gridspan::__fence(__scope);
  __u __x = __gridspan::__load(reinterpret_cast<const __u *>(__p));
  __gridspan::__fence_after(__order, __scope);
  return __gridspan::__bit_cast<__t>(__x);
}
template <class __t>
__GRIDSPAN_DEVICE void __nv_atomic_load(const __t *__p, __t *__result,
                                        __GRIDSPAN_ORDERED) {
  *__result = __nv_atomic_load_n(__p, __order, __scope);
}
template <class __t>
__GRIDSPAN_DEVICE void
__nv_atomic_store_n(__t *__p, __gridspan::__same<__t> __x, __GRIDSPAN_ORDERED) {
  using __u = __gridspan::__bits_of<__t>;
  __gridspan::__fence_before(__order, __scope);
  __gridspan::__store(reinterpret_cast<__u *>(__p),
                      __gridspan::__bit_cast<__u>(__x));
  if (__order == __NV_ATOMIC_SEQ_CST)
    __gridspan::__fence(__scope);
}
template <class __t>
__GRIDSPAN_DEVICE void __nv_atomic_store(__t *__p, const __t *__x,
                                         __GRIDSPAN_ORDERED) {
  __nv_atomic_store_n(__p, *__x, __order, __scope);
}
template <class __t>
__GRIDSPAN_DEVICE __t __nv_atomic_exchange_n(__t *__p,
                                             __gridspan::__same<__t> __x,
                                             __GRIDSPAN_ORDERED) {
  using __u = __gridspan::__bits_of<__t>;
  __gridspan::__fence_before(__order, __scope);
  __u __was = __gridspan::__swap(reinterpret_cast<__u *>(__p),
                                 __gridspan::__bit_cast<__u>(__x), __scope);
  __gridspan::__fence_after(__order, __scope);
  return __gridspan::__bit_cast<__t>(__was);
}
template <class __t>
__GRIDSPAN_DEVICE void __nv_atomic_exchange(__t *__p, const __t *__x,
                                            __t *__result, __GRIDSPAN_ORDERED) {
  *__result = __nv_atomic_exchange_n(__p, *__x, __order, __scope);
}
template <class __t>
__GRIDSPAN_DEVICE bool __nv_atomic_compare_exchange_n(
    __t *__p, __t *__expected, __gridspan::__same<__t> __desired, bool,
    int __order, int __failure, int __scope = __NV_THREAD_SCOPE_SYSTEM) {
  using __u = __gridspan::__bits_of<__t>;
  __gridspan::__fence_before(__order, __scope);
  __u __old = __gridspan::__bit_cast<__u>(*__expected);
  __u __was =
      __gridspan::__swap_if(reinterpret_cast<__u *>(__p), __old,
                            __gridspan::__bit_cast<__u>(__desired), __scope);
  bool __done = __gridspan::__equal(__was, __old);
  __gridspan::__fence_after(__done ? __order : __failure, __scope);
  if (!__done)
    *__expected = __gridspan::__bit_cast<__t>(__was);
  return __done;
}
template <class __t>
__GRIDSPAN_DEVICE bool
__nv_atomic_compare_exchange(__t *__p, __t *__expected, const __t *__desired,
                             bool __weak, int __order, int __failure,
                             int __scope = __NV_THREAD_SCOPE_SYSTEM) {
  return __nv_atomic_compare_exchange_n(__p, __expected, *__desired, __weak,
                                        __order, __failure, __scope);
}
#define __GRIDSPAN_FETCH(__name)                                               \
  template <class __t>                                                         \
  __GRIDSPAN_DEVICE __t __nv_atomic_fetch##__name(                             \
      __t *__p, __gridspan::__same<__t> __x, __GRIDSPAN_ORDERED) {             \
    __gridspan::__fence_before(__order, __scope);                              \
    __t __was = __gridspan::_##__name(__p, __x, __scope);                      \
    __gridspan::__fence_after(__order, __scope);                               \
    return __was;                                                              \
  }                                                                            \
  template <class __t>                                                         \
  __GRIDSPAN_DEVICE void __nv_atomic##__name(                                  \
      __t *__p, __gridspan::__same<__t> __x, __GRIDSPAN_ORDERED) {             \
    __nv_atomic_fetch##__name(__p, __x, __order, __scope);                     \
  }
__GRIDSPAN_FETCH(_add)
__GRIDSPAN_FETCH(_sub)
__GRIDSPAN_FETCH(_and)
__GRIDSPAN_FETCH(_or)
__GRIDSPAN_FETCH(_xor)
__GRIDSPAN_FETCH(_min)
__GRIDSPAN_FETCH(_max)
#undef __GRIDSPAN_FETCH
__GRIDSPAN_DEVICE void __nv_atomic_thread_fence(__GRIDSPAN_ORDERED) {
  if (__order != __NV_ATOMIC_RELAXED)
    __gridspan::__fence(__scope);
}
#undef __GRIDSPAN_ORDERED

// As the toolkit's crt/sm_90_rt.h, for any type of 16 bytes.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#define __GRIDSPAN_128(__name)                                                 \
  template <class __t>                                                         \
  __GRIDSPAN_DEVICE                                                            \
      typename std::enable_if<sizeof(__t) == 16 && alignof(__t) >= 16 &&       \
                                  std::is_trivially_copyable<__t>::value,      \
                              __t>::type atomicCAS##__name(__t *__p,           \
                                                           __t __old,          \
                                                           __t __new) {        \
    using __u = __gridspan::__bits128;                                         \
    return __gridspan::__bit_cast<__t>(__gridspan::__cas##__name(              \
        reinterpret_cast<__u *>(__p), __gridspan::__bit_cast<__u>(__old),      \
        __gridspan::__bit_cast<__u>(__new)));                                  \
  }                                                                            \
  template <class __t>                                                         \
  __GRIDSPAN_DEVICE                                                            \
      typename std::enable_if<sizeof(__t) == 16 && alignof(__t) >= 16 &&       \
                                  std::is_trivially_copyable<__t>::value,      \
                              __t>::type atomicExch##__name(__t *__p,          \
                                                            __t __new) {       \
    using __u = __gridspan::__bits128;                                         \
    return __gridspan::__bit_cast<__t>(__gridspan::__exchange##__name(         \
        reinterpret_cast<__u *>(__p), __gridspan::__bit_cast<__u>(__new)));    \
  }
__GRIDSPAN_128()
__GRIDSPAN_128(_block)
__GRIDSPAN_128(_system)
#undef __GRIDSPAN_128
#endif
#undef __GRIDSPAN_DEVICE

#endif // GRIDSPAN_TOOLS_GRIDSPANXX_INCLUDE_GRIDSPAN_ATOMICS_H
