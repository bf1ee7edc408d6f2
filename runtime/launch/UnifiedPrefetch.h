//===- UnifiedPrefetch.h - Unified memory that the host has -----*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Brings at once, before a launch, what the launch is known to touch, as far as
// the host has it. Otherwise it comes back page by page when kernels touch it,
// at a quarter of the bus's speed. To ask for pages that are on devices already
// costs as much as a launch that reads them (bench/probes/managed_memory.cu).
// Prefetching is only for speed: pages that are missed come by themselves.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_LAUNCH_UNIFIEDPREFETCH_H
#define GRIDSPAN_RUNTIME_LAUNCH_UNIFIEDPREFETCH_H

#include "runtime/memory/MemoryManager.h"
#include "runtime/plan/Plan.h"
#include "runtime/plan/PlanInput.h"
#include <functional>

namespace gridspan {

/// Returns true if the launch has arguments in unified memory that no launch
/// has looked at since the host could touch it.
bool mayNeedPrefetch(const GridspanKernel &Kernel, void *const *Args,
                     const MemoryManager &Memory)
    REQUIRES_SHARED(PlacementLock::Held);

/// A part of unified memory that is to come to its home.
struct UnifiedPart {
  std::byte *At;
  uint64_t Bytes;
  int Home;
};

/// Returns the parts that the host may have of the memory that a launch
/// touches, and that no launch has looked at since. In was made of Allocations.
std::vector<UnifiedPart>
partsToPrefetch(const PlanInput &In,
                const std::vector<std::shared_ptr<Allocation>> &Allocations,
                const MemoryManager &Memory)
    REQUIRES_SHARED(PlacementLock::Held);

/// Returns the parts of [Lo, Hi) of memory at Base that IsOnHost says are
/// there, as far as looking at a page in each Step bytes shows. Large ranges
/// are looked at only if a few pages all over them show some. Ascending,
/// disjoint. Pure.
std::vector<ByteSpan>
partsOnHost(const std::byte *Base, uint64_t Lo, uint64_t Hi, uint64_t Step,
            const std::function<bool(const void *)> &IsOnHost);

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_LAUNCH_UNIFIEDPREFETCH_H
