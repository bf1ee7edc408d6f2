//===- OutOfCoreLegality.cpp - Why one device, why in place ---------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Chunks are tiles of a kernel that may be split (Legality.def), so they may
// run in any order and on any device. Pointers may lead to where the frames are
// if the kernel uses them for nothing but the addresses of its accesses.
//
// Chunks on several devices need frames that come to whichever device touches
// them. Without access between devices, memory that is not paged then has to be
// copied to each. Atomics on one word are only good if all devices do them on
// one copy, which the links must support.
//
//===----------------------------------------------------------------------===//

#include "runtime/outofcore/OutOfCoreLegality.h"
#include "runtime/backend/KernelTraits.h"
#include "runtime/outofcore/ReplicaPlanner.h"
#include "runtime/plan/ArgumentOverlap.h"
#include "runtime/plan/ByteInterval.h"

namespace gridspan {

uint32_t outsideModes(const PlanInput &In, unsigned Allocation) {
  const GridspanKernel &Kernel = *In.Kernel;
  std::vector<GridspanRange> Ranges(Kernel.NumAccesses);
  if (Kernel.NumAccesses)
    Kernel.Ranges(&In.Box, Ranges.data());
  const ByteInterval Own = {
      0, static_cast<__int128>(In.Allocations[Allocation].Bytes)};
  uint32_t Modes = 0;
  for (uint32_t I = 0; I < Kernel.NumAccesses; ++I)
    if (const int P = Kernel.Accesses[I].Pointer;
        P >= 0 && In.Pointers[P].Allocation == static_cast<int>(Allocation) &&
        leadsOutside(Ranges[I], In.Pointers[P].Offset, Own))
      Modes |= Kernel.Accesses[I].Mode;
  return Modes;
}

LaunchReason whyUnsplit(const OutOfCoreInput &In) {
  const GridspanKernel &Kernel = *In.Launch.Kernel;
  if (const LaunchReason Refusal = refusalOf(Kernel);
      Refusal != LaunchReason::None)
    return Refusal;
  if (Kernel.Flags & GridspanNotAnalysed)
    return LaunchReason::NotAnalysed;
  if (!maySplit(Kernel))
    return LaunchReason::NoTiledClone;
  if (In.Launch.WhyUnsplit != LaunchReason::None)
    return In.Launch.WhyUnsplit;
  if ((Kernel.Flags & GridspanRepartitioned) && writesMayOverlap(In.Launch))
    return LaunchReason::AliasedArguments;
  return LaunchReason::None;
}

LaunchReason whyOnHost(const OutOfCoreInput &In, unsigned Allocation,
                       bool IsUnsplit) {
  const GridspanKernel &Kernel = *In.Launch.Kernel;
  std::vector<GridspanRange> Ranges(Kernel.NumAccesses);
  if (Kernel.NumAccesses)
    Kernel.Ranges(&In.Launch.Box, Ranges.data());
  for (uint32_t I = 0; I < Kernel.NumAccesses; ++I) {
    const int Pointer = Kernel.Accesses[I].Pointer;
    if (Pointer >= 0 && Ranges[I].State == GridspanRangeUnknown &&
        In.Launch.Pointers[Pointer].Allocation == static_cast<int>(Allocation))
      return LaunchReason::UnknownRange;
  }
  return IsUnsplit ? LaunchReason::LaunchNeedsTooMuch
                   : LaunchReason::BlockNeedsTooMuch;
}

LaunchReason whyOneDevice(const OutOfCoreInput &In, const SystemInfo &System,
                          Schedule Schedule) {
  if (System.numDevices() == 1)
    return LaunchReason::None;
  if (Schedule == Schedule::Single)
    return LaunchReason::ScheduleSingle;
  if (In.Launch.OnlyDevice)
    return LaunchReason::DeviceChosen;
  if (!In.OthersOpen)
    return LaunchReason::DevicesNotOpen;
  // Frames go to the chunks that touch them. What is not paged cannot.
  if (!System.allReachAll())
    return neededReplicas(In, System) ? LaunchReason::None
                                      : LaunchReason::NoPeerAccess;
  if ((In.Launch.Kernel->Flags & GridspanHasAtomics) && !System.PeerAtomics)
    return LaunchReason::NoPeerAtomics;
  return LaunchReason::None;
}

/// Returns true if the pointer's memory, or some of it, is used where it is on
/// the host.
static bool leadsToHost(const OutOfCoreInput &In, unsigned Pointer) {
  const int At = In.Launch.Pointers[Pointer].Allocation;
  if (At < 0)
    return false;
  return In.Paged[At].Frames.empty() ? In.Launch.Allocations[At].mayBeOnHost()
                                     : In.Paged[At].StaysOnHost;
}

bool atomicsInPlace(const OutOfCoreInput &In) {
  const GridspanKernel &Kernel = *In.Launch.Kernel;
  for (uint32_t I = 0; I < Kernel.NumAccesses; ++I) {
    const GridspanAccess &A = Kernel.Accesses[I];
    if (A.Mode == GridspanAtomic && A.Pointer >= 0 &&
        leadsToHost(In, A.Pointer))
      return true;
  }
  return false;
}

bool usesHostInPlace(const OutOfCoreInput &In) {
  const GridspanKernel &Kernel = *In.Launch.Kernel;
  for (uint32_t I = 0; I < Kernel.NumPointers; ++I)
    if (Kernel.Pointers[I].Modes && leadsToHost(In, I))
      return true;
  return false;
}

bool mayPack(const OutOfCoreInput &In, unsigned Allocation) {
  const GridspanKernel &Kernel = *In.Launch.Kernel;
  if (!In.MayPack || In.Paged[Allocation].Frames.empty() ||
      In.Paged[Allocation].StaysOnHost)
    return false;
  bool Any = false;
  for (uint32_t I = 0; I < Kernel.NumPointers; ++I) {
    const GridspanPointer &P = Kernel.Pointers[I];
    if (In.Launch.Pointers[I].Allocation != static_cast<int>(Allocation) ||
        P.Modes == 0)
      continue;
    if (P.Modes != GridspanRead || !(P.Flags & GridspanPackable))
      return false;
    Any = true;
  }
  return Any;
}

bool pointerEscapes(const OutOfCoreInput &In, unsigned Allocation) {
  const GridspanKernel &Kernel = *In.Launch.Kernel;
  for (uint32_t I = 0; I < Kernel.NumPointers; ++I)
    if (In.Launch.Pointers[I].Allocation == static_cast<int>(Allocation) &&
        !(Kernel.Pointers[I].Flags &
          (GridspanReplicable | GridspanRedirectable)))
      return true;
  return false;
}

} // namespace gridspan
