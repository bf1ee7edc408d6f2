//===- UnifiedPrefetch.cpp - Unified memory that the host has -------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Residency is asked of the operating system, a page at a time
// (ResidentPages.h): sixteen pages all over a range tell if the rest is worth
// looking at. Pages are looked at in all homes alike: what the host does not
// have is on some device, its home unless the program said otherwise.
//
// It cannot make results wrong, since a page that is not brought comes when it
// is touched.
//
//===----------------------------------------------------------------------===//

#include "runtime/launch/UnifiedPrefetch.h"
#include "runtime/plan/LaunchArguments.h"
#include "runtime/plan/MayAccess.h"
#include "runtime/support/ResidentPages.h"
#include <algorithm>

namespace gridspan {

/// The number of pages that are looked at before all are.
static constexpr uint64_t Samples = 16;
/// The bytes that drivers move at once.
static constexpr uint64_t Step = uint64_t(2) << 20;

bool mayNeedPrefetch(const GridspanKernel &Kernel, void *const *Args,
                     const MemoryManager &Memory) {
  const uint64_t Turn = Memory.hostSyncs();
  for (uint32_t I = 0; I < Kernel.NumPointers; ++I) {
    const Allocation *A =
        Memory.peek(pointerArgument(Kernel, Kernel.Pointers[I], Args));
    if (A && A->Unified && A->Looked.load(std::memory_order_relaxed) != Turn)
      return true;
  }
  return false;
}

std::vector<ByteSpan>
partsOnHost(const std::byte *Base, uint64_t Lo, uint64_t Hi, uint64_t Step,
            const std::function<bool(const void *)> &IsOnHost) {
  const uint64_t Steps = (Hi - Lo + Step - 1) / Step;
  bool Any = Steps <= Samples;
  for (uint64_t I = 0; I < Samples && !Any; ++I)
    Any = IsOnHost(Base + Lo + Steps * I / Samples * Step);
  std::vector<ByteSpan> Out;
  for (uint64_t At = Lo; Any && At < Hi; At += std::min(Step, Hi - At)) {
    if (!IsOnHost(Base + At))
      continue;
    const uint64_t End = At + std::min(Step, Hi - At);
    if (!Out.empty() && Out.back().Hi == At)
      Out.back().Hi = End;
    else
      Out.push_back({At, End});
  }
  return Out;
}

/// Returns for each allocation what of it is known to be touched.
static std::vector<MayAccess> knownFootprints(const PlanInput &In) {
  const GridspanKernel &Kernel = *In.Kernel;
  std::vector<GridspanRange> Ranges(Kernel.NumAccesses);
  if (Kernel.NumAccesses)
    Kernel.Ranges(&In.Box, Ranges.data());
  std::vector<MayAccess> Out;
  for (const PlacedAllocation &A : In.Allocations)
    Out.emplace_back(A.Bytes);
  for (uint32_t I = 0; I < Kernel.NumAccesses; ++I) {
    const int Pointer = Kernel.Accesses[I].Pointer;
    const int At = Pointer < 0 ? -1 : In.Pointers[Pointer].Allocation;
    if (At >= 0 && Ranges[I].State != GridspanRangeUnknown)
      Out[At].add(Ranges[I], In.Pointers[Pointer].Offset);
  }
  return Out;
}

std::vector<UnifiedPart>
partsToPrefetch(const PlanInput &In,
                const std::vector<std::shared_ptr<Allocation>> &Allocations,
                const MemoryManager &Memory) {
  const uint64_t Turn = Memory.hostSyncs();
  const std::vector<MayAccess> Touched = knownFootprints(In);
  std::vector<UnifiedPart> Out;
  for (size_t I = 0; I < Allocations.size(); ++I) {
    Allocation *A = Allocations[I].get();
    if (!A || !A->Unified ||
        A->Looked.exchange(Turn, std::memory_order_relaxed) == Turn)
      continue;
    // In one piece: what lies between rows comes along.
    for (const ByteSpan &Part : partsOnHost(A->base(), Touched[I].lo(),
                                            Touched[I].hi(), Step, isResident))
      for (const PageHomes::Run &Run : A->Homes.runs(Part.Lo, Part.Hi))
        Out.push_back({A->base() + Run.Lo, Run.Hi - Run.Lo, Run.Where});
  }
  return Out;
}

} // namespace gridspan
