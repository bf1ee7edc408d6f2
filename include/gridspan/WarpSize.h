//===- WarpSize.h - The number of threads of a warp -------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The same on all GPUs with CUDA, and on the CPU device. The compiler and the
// runtime share it.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_WARPSIZE_H
#define GRIDSPAN_WARPSIZE_H

namespace gridspan {

constexpr unsigned WarpSize = 32;

} // namespace gridspan

#endif // GRIDSPAN_WARPSIZE_H
