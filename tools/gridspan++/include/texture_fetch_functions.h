//===- texture_fetch_functions.h - Gone from CUDA 13 ------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// clang 19 includes this header before every CUDA source; CUDA 13 dropped it
// together with the texture references that it declared. Searched last, so that
// a toolkit that has it is not disturbed.
//
// It comes after clang's functions for textures and before the toolkit's. The
// place serves to mend one of clang's: the sparse form of tex2Dgather has its
// last two arguments in the other order there.
//
//===----------------------------------------------------------------------===//

#pragma GCC system_header

#if __cplusplus >= 201103L && defined(__CLANG_CUDA_TEXTURE_INTRINSICS_H__) &&  \
    defined(__CUDA__)
#include <type_traits>
namespace {
namespace __cuda_tex {
using __gather_sparse = __Tag<__tex_op_hash("__itex2Dgather_sparse")>;
template <class __op, class __t>
__attribute__((device)) static
    typename std::enable_if<std::is_same<__op, __gather_sparse>::value>::type
    __tex_fetch(__t *__result, cudaTextureObject_t __handle, float __x,
                float __y, int __component, unsigned char *__resident) {
  using __fetched = typename __TypeInfoT<__t>::__fetch_t;
  *__result = __convert<__t, __fetched>::__run(
      __tex_fetch_v4<__op>::template __run<__fetched>(__handle, __x, __y,
                                                      __resident, __component));
}
} // namespace __cuda_tex
} // namespace
#endif
