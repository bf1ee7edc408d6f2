//===- Plan.cpp - The plan of a launch, as data ---------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The consequences of a launch that are the same for every plan of it. Written
// memory is taken from the pointers' modes, not from ranges: it decides which
// replicas are stale, where an estimate will not do.
//
//===----------------------------------------------------------------------===//

#include "runtime/plan/Plan.h"
#include "runtime/plan/ByteInterval.h"
#include "runtime/plan/PlanInput.h"

namespace gridspan {

void addWrites(const PlanInput &In, Plan &Out) {
  const GridspanKernel &Kernel = *In.Kernel;
  Out.WritesAnywhere =
      Kernel.Flags & (GridspanUnknownWrite | GridspanNotAnalysed);
  Out.Effects.resize(In.Allocations.size());
  for (uint32_t I = 0, E = Kernel.NumPointers; I != E; ++I)
    if (const int A = In.Pointers[I].Allocation;
        A >= 0 &&
        (Kernel.Pointers[I].Modes & (GridspanWrite | GridspanAtomic))) {
      Out.Effects[A].Written = true;
      Out.WritesAnywhere |=
          In.Allocations[A].Unknown ||
          isAtEnd(In.Pointers[I].Offset, In.Allocations[A].Bytes);
    }
}

} // namespace gridspan
