//===- KernelTraits.cpp - Predicates on kernel descriptors ----------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A launch may be split if the compiler made a tiled clone and had no reason to
// refuse. The runtime may still refuse a single launch.
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/KernelTraits.h"

namespace gridspan {

bool maySplit(const GridspanKernel &Kernel) {
  return Kernel.TiledStub && !Kernel.Refusal &&
         !(Kernel.Flags & (GridspanNotAnalysed | GridspanGridBarrier));
}

bool mayTouchAnything(const GridspanKernel &Kernel) {
  if (Kernel.Flags &
      (GridspanUnknownRead | GridspanUnknownWrite | GridspanNotAnalysed))
    return true;
  for (uint32_t I = 0; I < Kernel.NumAccesses; ++I)
    if (Kernel.Accesses[I].Pointer < 0)
      return true;
  return false;
}

} // namespace gridspan
