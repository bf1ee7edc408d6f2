//===- ArgumentOverlap.cpp - Arguments that share written memory ----------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pointers into different allocations are apart. For those into one, the hulls
// of the access ranges of all blocks have to be; ranges are evaluated
// only where there are such pointers.
//
//===----------------------------------------------------------------------===//

#include "runtime/plan/ArgumentOverlap.h"
#include "runtime/plan/ByteInterval.h"
#include <algorithm>

namespace gridspan {

using Wide = __int128;

/// Returns true if the pointer leads to memory of Gridspan's. It is not known
/// where other memory is.
static bool isOurs(const PlanInput &In, int32_t Pointer) {
  return In.Allocations[In.Pointers[Pointer].Allocation].Homes;
}

/// Returns true if two pointers lead to one buffer, to other elements of it.
static bool shareBuffer(const PlanInput &In, int32_t A, int32_t B) {
  if (A == B)
    return false;
  if (A < 0 || B < 0)
    return true;
  const PlacedPointer &P = In.Pointers[A], &Q = In.Pointers[B];
  if (P.Allocation < 0 || P.Allocation != Q.Allocation)
    return false;
  if (!isOurs(In, A))
    return true;
  const GridspanPointer *Pointers = In.Kernel->Pointers;
  return P.Offset != Q.Offset || !(Pointers[A].Flags & GridspanOwnElement) ||
         !(Pointers[B].Flags & GridspanOwnElement);
}

/// Returns the launch without the contents of memory: these change under a
/// decision, and here results depend on it.
static GridspanBox launchOf(const PlanInput &In) {
  GridspanBox Box = In.Box;
  Box.Indices = nullptr;
  return Box;
}

/// Returns true if what is written at some site and what is accessed at another
/// may have a byte in common. Only sites count for which Shares(pointer,
/// pointer) says that it depends on the ranges. Shares is not asked about
/// unknown pointers.
template <typename Fn> static bool rangesMeet(const PlanInput &In, Fn Shares) {
  const GridspanKernel &Kernel = *In.Kernel;
  std::vector<GridspanRange> Ranges;
  for (uint32_t W = 0; W < Kernel.NumAccesses; ++W) {
    const GridspanAccess &Write = Kernel.Accesses[W];
    if (Write.Mode == GridspanRead || Write.Pointer < 0)
      continue;
    for (uint32_t X = 0; X < Kernel.NumAccesses; ++X) {
      const GridspanAccess &Other = Kernel.Accesses[X];
      if (Other.Pointer < 0 || !Shares(Write.Pointer, Other.Pointer))
        continue;
      if (Ranges.empty()) {
        Ranges.resize(Kernel.NumAccesses);
        const GridspanBox Box = launchOf(In);
        Kernel.Ranges(&Box, Ranges.data());
      }
      const ByteInterval A =
          byteIntervalOf(Ranges[W], In.Pointers[Write.Pointer].Offset);
      const ByteInterval B =
          byteIntervalOf(Ranges[X], In.Pointers[Other.Pointer].Offset);
      if (A.Lo < B.Hi && B.Lo < A.Hi)
        return true;
    }
  }
  return false;
}

bool writesMayOverlap(const PlanInput &In) {
  bool Unsure = false;
  const GridspanKernel &Kernel = *In.Kernel;
  for (uint32_t W = 0; W < Kernel.NumAccesses; ++W)
    for (uint32_t X = 0; X < Kernel.NumAccesses; ++X) {
      const int32_t P = Kernel.Accesses[W].Pointer;
      const int32_t Q = Kernel.Accesses[X].Pointer;
      Unsure |= Kernel.Accesses[W].Mode != GridspanRead &&
                shareBuffer(In, P, Q) && (P < 0 || Q < 0 || !isOurs(In, P));
    }
  return Unsure || rangesMeet(In, [&](int32_t A, int32_t B) {
           return shareBuffer(In, A, B);
         });
}

//===--- Distinct arguments ---------------------------------------------===//

/// Returns true if the ranges say that accesses through the pointer stay within
/// its allocation. A pointer before an allocation's first byte leads, as far as
/// anybody can see, into another one.
static bool staysWithin(const PlanInput &In, uint32_t Pointer) {
  const GridspanKernel &Kernel = *In.Kernel;
  const PlacedPointer &P = In.Pointers[Pointer];
  std::vector<GridspanRange> Ranges(Kernel.NumAccesses);
  const GridspanBox Box = launchOf(In);
  if (Kernel.Ranges)
    Kernel.Ranges(&Box, Ranges.data());
  for (uint32_t I = 0; I < Kernel.NumAccesses; ++I) {
    if (Kernel.Accesses[I].Pointer != static_cast<int32_t>(Pointer) ||
        Ranges[I].State == GridspanRangeEmpty)
      continue;
    const ByteInterval H = byteIntervalOf(Ranges[I], P.Offset);
    if (H.Lo < 0 ||
        H.Hi > static_cast<Wide>(In.Allocations[P.Allocation].Bytes))
      return false;
  }
  return true;
}

DistinctArguments areArgumentsDistinct(const PlanInput &In) {
  constexpr uint32_t Writes = GridspanWrite | GridspanAtomic;
  const GridspanKernel &Kernel = *In.Kernel;
  const bool AnyWritten =
      std::any_of(Kernel.Pointers, Kernel.Pointers + Kernel.NumPointers,
                  [](const GridspanPointer &P) { return P.Modes & Writes; });
  if (!AnyWritten)
    return {};
  DistinctArguments Out;
  for (uint32_t I = 0; I < Kernel.NumPointers; ++I) {
    if (!Kernel.Pointers[I].Modes || In.Pointers[I].Allocation < 0)
      continue;
    if (!isOurs(In, static_cast<int32_t>(I)))
      return {LaunchReason::ForeignMemory, false};
    if (In.Pointers[I].Offset == 0)
      continue;
    Out.DependsOnArguments = true;
    if (!staysWithin(In, I))
      return {LaunchReason::ArgumentIntoTheMiddle, true};
  }
  const bool Meet = rangesMeet(In, [&](int32_t A, int32_t B) {
    const bool Same = A != B && In.Pointers[A].Allocation >= 0 &&
                      In.Pointers[A].Allocation == In.Pointers[B].Allocation;
    Out.DependsOnArguments |= Same;
    return Same;
  });
  if (Meet)
    Out.WhyNot = LaunchReason::OverlappingArguments;
  return Out;
}

} // namespace gridspan
