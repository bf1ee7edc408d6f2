//===- Plan.cpp - The plan of a launch, as data ---------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The consequences of a launch that are the same for every plan of it. Written
// memory is taken from the pointers' modes, not from ranges: it decides which
// replicas are stale, where an estimate will not do. So is whether the launch
// may touch what no argument leads to, which decides what must be at home.
//
//===----------------------------------------------------------------------===//

#include "runtime/plan/Plan.h"
#include "runtime/backend/KernelTraits.h"
#include "runtime/plan/ByteInterval.h"
#include "runtime/plan/PlanInput.h"

namespace gridspan {

void addWrites(const PlanInput &In, Plan &Out) {
  const GridspanKernel &Kernel = *In.Kernel;
  Out.WritesAnywhere =
      Kernel.Flags & (GridspanUnknownWrite | GridspanNotAnalysed);
  // A texture may be of anything.
  Out.TouchesAnywhere = mayTouchAnything(Kernel) || Kernel.NumTextures;
  Out.Effects.resize(In.Allocations.size());
  for (uint32_t I = 0, E = Kernel.NumPointers; I != E; ++I) {
    const int A = In.Pointers[I].Allocation;
    const uint32_t Modes = Kernel.Pointers[I].Modes;
    if (A < 0 || !Modes)
      continue;
    const bool MayBeOutside =
        In.Allocations[A].Unknown ||
        isAtEnd(In.Pointers[I].Offset, In.Allocations[A].Bytes);
    Out.TouchesAnywhere |= MayBeOutside;
    if (Modes & (GridspanWrite | GridspanAtomic)) {
      Out.Effects[A].Written = true;
      Out.WritesAnywhere |= MayBeOutside;
    }
  }
}

} // namespace gridspan
