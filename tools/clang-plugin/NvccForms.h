//===- NvccForms.h - Source text that only nvcc takes -----------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Forms that nvcc's front end accepts and clang's does not, written as both
// accept them:
//
//   asm("mov.u32 %0, %laneid;" : ...)         a name behind one %
//   asm("..." :: "r"(A) "l"(B))               no comma between operands
//   static __shared__ alignas(16) float X;    alignas behind specifiers
//   kernel<< <Grid, Block>> >(X);             blanks within <<< and >>>
//   kernel<<<{4, 4}, {32}>>>(X);              a grid in braces alone
//   X<T>::f<2>(A);                            a template without its keyword
//   #pragma unroll                            before what is no loop
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_TOOLS_CLANG_PLUGIN_NVCCFORMS_H
#define GRIDSPAN_TOOLS_CLANG_PLUGIN_NVCCFORMS_H

#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>

namespace gridspan {

/// Returns Text with such forms rewritten, or nothing if there are none. The
/// result has the same size and the same lines. A form for which there is no
/// blank to spare stays as it is.
std::optional<std::string> rewriteNvccForms(llvm::StringRef Text);

} // namespace gridspan

#endif // GRIDSPAN_TOOLS_CLANG_PLUGIN_NVCCFORMS_H
