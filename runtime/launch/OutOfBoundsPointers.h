//===- OutOfBoundsPointers.h - Pointers beside their memory -----*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Programs that number elements from 1 pass x - 1, which is in no allocation,
// or in another one. Where memory has one address for everybody that makes no
// difference; what a launch touches of paged memory has to be known before.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_LAUNCH_OUTOFBOUNDSPOINTERS_H
#define GRIDSPAN_RUNTIME_LAUNCH_OUTOFBOUNDSPOINTERS_H

#include "runtime/memory/MemoryManager.h"
#include "runtime/plan/PlanInput.h"

namespace gridspan {

/// Returns true if the launch may touch paged memory by a pointer that does not
/// lead into it. Known ranges tell. With unknown ones it may if the pointer is
/// at the end of an allocation, or in memory that the backend does not know. A
/// range that is not exact may reach beyond an allocation just because it is
/// not exact. Allocations are In's.
bool mayReachOtherPaged(
    const PlanInput &In,
    const std::vector<std::shared_ptr<Allocation>> &Allocations,
    const MemoryManager &Memory, Backend &B)
    REQUIRES_SHARED(PlacementLock::Held);

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_LAUNCH_OUTOFBOUNDSPOINTERS_H
