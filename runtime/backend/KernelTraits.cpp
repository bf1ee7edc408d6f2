//===- KernelTraits.cpp - What the compiler said of a kernel --------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/KernelTraits.h"

namespace gridspan {

bool maySplit(const GridspanKernel &Kernel) {
  return Kernel.TiledStub && !Kernel.Refusal &&
         !(Kernel.Flags & (GridspanNotAnalysed | GridspanGridBarrier));
}

} // namespace gridspan
