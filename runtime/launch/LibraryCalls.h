//===- LibraryCalls.h - Calls of libraries that launch kernels --*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels that are not launched through the runtime, such as cuBLAS's, run on
// device 0. Of a call that may launch some, compiled code tells where its
// pointers lead (passes/host/LibraryCalls.cpp), so that pages come to device 0
// once what such calls read from afar has paid for the move.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_LAUNCH_LIBRARYCALLS_H
#define GRIDSPAN_RUNTIME_LAUNCH_LIBRARYCALLS_H

#include "gridspan/ABI.h"

namespace gridspan {

/// The descriptor of a kernel on device 0 that reads all that its pointers lead
/// to. It takes NumLibraryPointers pointers, of which any may be null.
extern const GridspanKernel LibraryKernel;
constexpr unsigned NumLibraryPointers = 16;

} // namespace gridspan

extern "C" {

/// Announces a call of a library whose arguments are, among others, these
/// pointers. Only those that lead to the program's device memory matter.
/// Thread-safe.
__attribute__((visibility("hidden"))) void __gridspan_before_library_call(
    void *const *Pointers,
    unsigned Count) __asm__("__gridspan_own_before_library_call");

/// Ends the announcement, on the same thread. One that is missing costs further
/// moves only.
__attribute__((visibility("hidden"))) void __gridspan_after_library_call(
    void) __asm__("__gridspan_own_after_library_call");
}

#endif // GRIDSPAN_RUNTIME_LAUNCH_LIBRARYCALLS_H
