//===- KernelTraits.h - Predicates on kernel descriptors --------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Predicates on the flags and pointers of a descriptor (ABI.h).
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_BACKEND_KERNELTRAITS_H
#define GRIDSPAN_RUNTIME_BACKEND_KERNELTRAITS_H

#include "gridspan/ABI.h"

namespace gridspan {

/// Returns true if some launches of the kernel may be split.
bool maySplit(const GridspanKernel &Kernel);

/// Returns true if it may touch memory that no argument of it points into.
bool mayTouchAnything(const GridspanKernel &Kernel);

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_BACKEND_KERNELTRAITS_H
