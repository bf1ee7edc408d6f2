//===- gridspan_constexpr.h - What constexpr functions call -----*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// constexpr functions of the standard library are device functions too
// (--expt-relaxed-constexpr). Those of std::string_view, std::array and others
// are made of __builtin_strlen, __builtin_memcmp and their kin, which become
// calls of the C library, and call functions that throw exceptions. Devices
// have neither: these are such functions for them, and instead of throwing they
// end the kernel. They are part of a module only if it calls them.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_TOOLS_GRIDSPANXX_INCLUDE_GRIDSPAN_CONSTEXPR_H
#define GRIDSPAN_TOOLS_GRIDSPANXX_INCLUDE_GRIDSPAN_CONSTEXPR_H

#pragma GCC system_header

#define __GRIDSPAN_DEVICE inline __attribute__((device))

namespace __gridspan {
template <class __t>
static __GRIDSPAN_DEVICE __SIZE_TYPE__ __length(const __t *__s) {
  __SIZE_TYPE__ __n = 0;
  while (__s[__n])
    ++__n;
  return __n;
}

/// Compares as __t up to the first difference.
template <class __t>
static __GRIDSPAN_DEVICE int __compare(const void *__a, const void *__b,
                                       __SIZE_TYPE__ __n) {
  const __t *__x = static_cast<const __t *>(__a);
  const __t *__y = static_cast<const __t *>(__b);
  for (__SIZE_TYPE__ __i = 0; __i < __n; ++__i)
    if (__x[__i] != __y[__i])
      return __x[__i] < __y[__i] ? -1 : 1;
  return 0;
}

template <class __t>
static __GRIDSPAN_DEVICE __t *__find(const void *__s, __t __c,
                                     __SIZE_TYPE__ __n) {
  const __t *__x = static_cast<const __t *>(__s);
  for (__SIZE_TYPE__ __i = 0; __i < __n; ++__i)
    if (__x[__i] == __c)
      return const_cast<__t *>(__x + __i);
  return nullptr;
}
} // namespace __gridspan

// Programs do not see these names: in host code strlen stays one function.
#define __GRIDSPAN_LIBRARY(__type, __name, __parameters, __value)              \
  __GRIDSPAN_DEVICE __type __gridspan_##__name __parameters noexcept __asm__(  \
      #__name);                                                                \
  __GRIDSPAN_DEVICE __type __gridspan_##__name __parameters noexcept {         \
    return __value;                                                            \
  }
__GRIDSPAN_LIBRARY(__SIZE_TYPE__, strlen, (const char *__s),
                   __gridspan::__length(__s))
__GRIDSPAN_LIBRARY(int, memcmp,
                   (const void *__a, const void *__b, __SIZE_TYPE__ __n),
                   __gridspan::__compare<unsigned char>(__a, __b, __n))
__GRIDSPAN_LIBRARY(int, bcmp,
                   (const void *__a, const void *__b, __SIZE_TYPE__ __n),
                   __gridspan::__compare<unsigned char>(__a, __b, __n))
__GRIDSPAN_LIBRARY(void *, memchr,
                   (const void *__s, int __c, __SIZE_TYPE__ __n),
                   __gridspan::__find(__s, static_cast<unsigned char>(__c),
                                      __n))
__GRIDSPAN_LIBRARY(__SIZE_TYPE__, wcslen, (const wchar_t *__s),
                   __gridspan::__length(__s))
__GRIDSPAN_LIBRARY(int, wmemcmp,
                   (const wchar_t *__a, const wchar_t *__b, __SIZE_TYPE__ __n),
                   __gridspan::__compare<wchar_t>(__a, __b, __n))
__GRIDSPAN_LIBRARY(wchar_t *, wmemchr,
                   (const wchar_t *__s, wchar_t __c, __SIZE_TYPE__ __n),
                   __gridspan::__find(__s, __c, __n))
#undef __GRIDSPAN_LIBRARY

// libstdc++'s functions that throw. Those with a format take any arguments.
#ifdef __GLIBCXX__
#define __GRIDSPAN_THROWS(__name, ...)                                         \
  [[noreturn]] __GRIDSPAN_DEVICE void __throw_##__name(__VA_ARGS__) {          \
    __builtin_trap();                                                          \
  }
namespace std {
__GRIDSPAN_THROWS(bad_exception)
__GRIDSPAN_THROWS(bad_alloc)
__GRIDSPAN_THROWS(bad_array_new_length)
__GRIDSPAN_THROWS(bad_cast)
__GRIDSPAN_THROWS(bad_typeid)
__GRIDSPAN_THROWS(bad_function_call)
__GRIDSPAN_THROWS(bad_optional_access)
__GRIDSPAN_THROWS(bad_variant_access, const char *)
__GRIDSPAN_THROWS(bad_variant_access, bool)
__GRIDSPAN_THROWS(logic_error, const char *)
__GRIDSPAN_THROWS(domain_error, const char *)
__GRIDSPAN_THROWS(invalid_argument, const char *)
__GRIDSPAN_THROWS(length_error, const char *)
__GRIDSPAN_THROWS(out_of_range, const char *)
__GRIDSPAN_THROWS(runtime_error, const char *)
__GRIDSPAN_THROWS(range_error, const char *)
__GRIDSPAN_THROWS(overflow_error, const char *)
__GRIDSPAN_THROWS(underflow_error, const char *)
__GRIDSPAN_THROWS(system_error, int)
template <class... __arguments>
__GRIDSPAN_THROWS(out_of_range_fmt, const char *, __arguments...)
} // namespace std
#undef __GRIDSPAN_THROWS
#endif

#undef __GRIDSPAN_DEVICE

#endif // GRIDSPAN_TOOLS_GRIDSPANXX_INCLUDE_GRIDSPAN_CONSTEXPR_H
