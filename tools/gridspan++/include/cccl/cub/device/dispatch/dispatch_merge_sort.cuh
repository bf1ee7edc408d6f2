//===- dispatch_merge_sort.cuh - CUB's, with a way to primitives *- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// gridspan++ finds this before the library's own header of the name. What is
// included here is guarded on its own: CUB's header may come first from a place
// that wants nothing else.
//
//===----------------------------------------------------------------------===//

#pragma GCC system_header
#include_next <cub/device/dispatch/dispatch_merge_sort.cuh>

#include <gridspan_calls.h>
#if GRIDSPAN_CALLS && !defined(GRIDSPAN_CALLS_LATER)
#include <gridspan/calls/MergeSort.h>
#endif
