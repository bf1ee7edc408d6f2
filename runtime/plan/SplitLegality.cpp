//===- SplitLegality.cpp - Reasons against a split ------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One chain of early exits. The order is that in which users are told: what the
// compiler refused, what the launch asks for, what the machine lacks, and last
// what needs a look at the pointers.
//
// Sound because each tile of an accepted launch does what the same blocks of
// the unsplit launch do: blocks are independent (Legality.def), atomics reach
// all devices that take part, and repartitioned loops write no element that
// another argument reaches.
//
//===----------------------------------------------------------------------===//

#include "runtime/plan/SplitLegality.h"
#include "runtime/plan/ArgumentOverlap.h"

namespace gridspan {

/// Returns true if some atomic may be to memory of the host.
static bool atomicsReachHost(const PlanInput &In) {
  const GridspanKernel &Kernel = *In.Kernel;
  for (uint32_t I = 0, E = Kernel.NumAccesses; I != E; ++I) {
    const GridspanAccess &A = Kernel.Accesses[I];
    if (A.Mode != GridspanAtomic)
      continue;
    const int Allocation =
        A.Pointer < 0 ? -1 : In.Pointers[A.Pointer].Allocation;
    if (Allocation < 0) {
      if (A.Pointer < 0 && In.HostPagesExist)
        return true;
      continue;
    }
    if (In.Allocations[Allocation].mayBeOnHost())
      return true;
  }
  return false;
}

LaunchReason whyNotSplit(const PlanInput &In, const SystemInfo &System,
                         Schedule Schedule) {
  const GridspanKernel &Kernel = *In.Kernel;
  if (const LaunchReason Refusal = refusalOf(Kernel);
      Refusal != LaunchReason::None)
    return Refusal;
  if (Kernel.Flags & GridspanNotAnalysed)
    return LaunchReason::NotAnalysed;
  if (!Kernel.TiledStub || (Kernel.Flags & GridspanGridBarrier))
    return LaunchReason::NoTiledClone;
  if (In.WhyUnsplit != LaunchReason::None)
    return In.WhyUnsplit;
  if (System.numDevices() < 2)
    return LaunchReason::OneDevice;
  if (Schedule == Schedule::Single)
    return LaunchReason::ScheduleSingle;
  const uint32_t *Count = In.Box.BlockCount;
  if (Count[0] == 1 && Count[1] == 1 && Count[2] == 1)
    return LaunchReason::OneBlock;
  if (!In.MovesPointers && !System.allReachAll())
    return LaunchReason::AddressesChecked;
  if ((Kernel.Flags & GridspanHasAtomics) &&
      !(System.PeerAtomics && System.allReachAll()))
    return LaunchReason::NoPeerAtomics;
  if (atomicsReachHost(In))
    return LaunchReason::AtomicsOnHostPages;
  if ((Kernel.Flags & GridspanRepartitioned) && writesMayOverlap(In))
    return LaunchReason::AliasedArguments;
  return LaunchReason::None;
}

} // namespace gridspan
