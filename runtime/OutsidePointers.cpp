//===- OutsidePointers.cpp - Pointers beside what they lead to ------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//===----------------------------------------------------------------------===//

#include "OutsidePointers.h"
#include "LaunchArguments.h"
#include <algorithm>

namespace gridspan {
namespace {

using Wide = __int128;

/// Addresses.
struct Span {
  Wide Lo, Hi;
};

Span spanOf(const Allocation &A) {
  const auto Base = static_cast<Wide>(reinterpret_cast<uintptr_t>(A.base()));
  return {Base, Base + static_cast<Wide>(A.bytes())};
}

/// All from the first byte to the last.
Span spanOf(const GridspanRange &R, const void *Pointer) {
  const Wide Lo =
      static_cast<Wide>(reinterpret_cast<uintptr_t>(Pointer)) + R.Lo;
  return {Lo, Lo + static_cast<Wide>(R.PlanePitch) * (R.Planes - 1) +
                  static_cast<Wide>(R.Pitch) * (R.RowsPerPlane - 1) +
                  R.RowBytes};
}

bool overlap(const Span &L, const Span &R) {
  return L.Lo < R.Hi && R.Lo < L.Hi;
}

bool touchesPaged(const Span &S, const MemoryManager &Memory) {
  const std::vector<std::shared_ptr<Allocation>> All = Memory.all();
  return std::any_of(All.begin(), All.end(), [&](const auto &A) {
    return A->Paged && overlap(S, spanOf(*A));
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
      if (!A && B.isPageable(Pointer, 1))
        return true;
      continue;
    }
    const Span Touched = spanOf(R, Pointer);
    if (A) {
      const Span Own = spanOf(*A);
      const bool Within = Own.Lo <= Touched.Lo && Touched.Hi <= Own.Hi;
      if (Within || (R.State != GridspanRangeExact && overlap(Touched, Own)))
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
