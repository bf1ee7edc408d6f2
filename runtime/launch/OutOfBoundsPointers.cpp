//===- OutOfBoundsPointers.cpp - Pointers beside their memory -------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each access range is moved to addresses and compared with the allocation that
// its pointer leads to. The part that is outside of it is looked for among all
// paged allocations.
//
// Sound because ranges hold every byte that an access may touch, and an unknown
// range is taken to be within its allocation only where CUDA's rules say so: a
// program may not leave the allocation by a pointer to the middle of it.
//
//===----------------------------------------------------------------------===//

#include "runtime/launch/OutOfBoundsPointers.h"
#include "runtime/plan/ByteInterval.h"
#include "runtime/plan/LaunchArguments.h"
#include <algorithm>

namespace gridspan {
namespace {

__int128 addressOf(const void *Pointer) {
  return static_cast<__int128>(reinterpret_cast<uintptr_t>(Pointer));
}

ByteInterval byteIntervalOf(const Allocation &A) {
  const __int128 Base = addressOf(A.base());
  return {Base, Base + static_cast<__int128>(A.bytes())};
}

bool touchesPaged(const ByteInterval &H, const MemoryManager &Memory) {
  const std::vector<std::shared_ptr<Allocation>> All = Memory.all();
  return std::any_of(All.begin(), All.end(), [&](const auto &A) {
    return A->Paged && H.overlaps(byteIntervalOf(*A));
  });
}

} // namespace

bool mayReachOtherPaged(
    const PlanInput &In,
    const std::vector<std::shared_ptr<Allocation>> &Allocations,
    const MemoryManager &Memory, Backend &B) {
  const GridspanKernel &Kernel = *In.Kernel;
  std::vector<GridspanRange> Ranges(Kernel.NumAccesses);
  if (Kernel.NumAccesses)
    Kernel.Ranges(&In.Box, Ranges.data());
  for (uint32_t I = 0; I < Kernel.NumAccesses; ++I) {
    const int At = Kernel.Accesses[I].Pointer;
    const GridspanRange &R = Ranges[I];
    if (At < 0 || In.Pointers[At].Allocation < 0 ||
        R.State == GridspanRangeEmpty)
      continue;
    const Allocation *A = Allocations[In.Pointers[At].Allocation].get();
    const void *Pointer =
        pointerArgument(Kernel, Kernel.Pointers[At], In.Box.Args);
    if (R.State == GridspanRangeUnknown) {
      if (A ? leadsOutside(R, addressOf(Pointer), byteIntervalOf(*A))
            : B.isPageable(Pointer, 1))
        return true;
      continue;
    }
    const ByteInterval Touched = byteIntervalOf(R, addressOf(Pointer));
    if (A) {
      const ByteInterval Own = byteIntervalOf(*A);
      if (!leadsOutside(R, addressOf(Pointer), Own))
        continue;
      if (Touched.Lo < Own.Lo &&
          touchesPaged({Touched.Lo, std::min(Own.Lo, Touched.Hi)}, Memory))
        return true;
      if (Touched.Hi > Own.Hi &&
          touchesPaged({std::max(Own.Hi, Touched.Lo), Touched.Hi}, Memory))
        return true;
      continue;
    }
    if (touchesPaged(Touched, Memory))
      return true;
  }
  return false;
}

} // namespace gridspan
