//===- Report.cpp - What happened, as data --------------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//===----------------------------------------------------------------------===//

#include "runtime/report/Report.h"
#include "runtime/backend/KernelTraits.h"
#include "runtime/backend/Registry.h"
#include "runtime/support/Demangle.h"
#include <algorithm>

namespace gridspan {

void KernelCounters::count(unsigned Devices, uint64_t Local, uint64_t Remote) {
  Launches.fetch_add(1, std::memory_order_relaxed);
  if (Devices > 1)
    SplitLaunches.fetch_add(1, std::memory_order_relaxed);
  unsigned Most = DevicesMax.load(std::memory_order_relaxed);
  while (Devices > Most && !DevicesMax.compare_exchange_weak(
                               Most, Devices, std::memory_order_relaxed))
    ;
  if (Local)
    LocalBytes.fetch_add(Local, std::memory_order_relaxed);
  if (Remote)
    RemoteBytes.fetch_add(Remote, std::memory_order_relaxed);
}

void KernelCounters::countStreamed(unsigned Devices, uint64_t NumChunks,
                                   uint64_t In, uint64_t Out) {
  count(Devices, 0, 0);
  StreamedLaunches.fetch_add(1, std::memory_order_relaxed);
  Chunks.fetch_add(NumChunks, std::memory_order_relaxed);
  StreamedIn.fetch_add(In, std::memory_order_relaxed);
  StreamedOut.fetch_add(Out, std::memory_order_relaxed);
}

template <typename T, typename Key>
static void insertOnce(std::vector<T> &List, const T &New, Key KeyOf) {
  auto At = std::lower_bound(
      List.begin(), List.end(), New,
      [&](const T &L, const T &R) { return KeyOf(L) < KeyOf(R); });
  if (At == List.end() || KeyOf(*At) != KeyOf(New))
    List.insert(At, New);
}

static void insertOnce(std::vector<InPlaceParam> &List,
                       const InPlaceParam &New) {
  insertOnce(List, New, [](const InPlaceParam &P) {
    return std::pair(P.Param, std::string_view(P.Why));
  });
}

static void insertOnce(std::vector<int> &List, int New) {
  insertOnce(List, New, [](int Param) { return Param; });
}

void KernelCounters::noteInPlace(int Param, const char *Why) {
  MutexLock Guard(Lock);
  insertOnce(InPlace, {Param, Why});
}

void KernelCounters::notePacked(int Param) {
  MutexLock Guard(Lock);
  insertOnce(Packed, Param);
}

std::vector<InPlaceParam> KernelCounters::inPlace() const {
  MutexLock Guard(Lock);
  return InPlace;
}

std::vector<int> KernelCounters::packed() const {
  MutexLock Guard(Lock);
  return Packed;
}

KernelCounters &Report::kernel(const GridspanKernel *Kernel) {
  MutexLock Guard(Lock);
  Entry *&Slot = ByKernel[Kernel];
  if (Slot)
    return Slot->Counters;
  auto New = std::make_unique<Entry>();
  if (!Kernel) {
    New->Name = "(functions without a descriptor)";
    New->Refusal = "no-descriptor";
    New->RefusalText = "not compiled with Gridspan";
  } else {
    New->Name = demangled(Kernel->Name);
    if (const GridspanModule *Module = Registry::get().moduleOf(Kernel))
      New->Source = Module->Name;
    if (Kernel->Refusal)
      New->Refusal = Kernel->Refusal;
    else if (Kernel->Flags & GridspanNotAnalysed)
      New->Refusal = "not-analysed";
    else if (!maySplit(*Kernel))
      New->Refusal = "no-tiled-clone";
    if (Kernel->RefusalText)
      New->RefusalText = Kernel->RefusalText;
  }
  Slot = New.get();
  Entries.push_back(std::move(New));
  return Slot->Counters;
}

static CopyRecord recordOf(const CopyCounters &C) {
  return {C.Count.load(), C.Bytes.load()};
}

ReportRecord Report::record() const {
  ReportRecord Out;
  MutexLock Guard(Lock);
  for (const std::unique_ptr<Entry> &E : Entries) {
    const KernelCounters &C = E->Counters;
    auto It = std::find_if(Out.Kernels.begin(), Out.Kernels.end(),
                           [&](const KernelRecord &R) {
                             return R.Name == E->Name && R.Source == E->Source;
                           });
    if (It == Out.Kernels.end())
      It = Out.Kernels.insert(Out.Kernels.end(), KernelRecord());
    It->Name = E->Name;
    It->Source = E->Source;
    It->Launches += C.Launches.load();
    if (LaunchHistogram Common = C.Shapes.commonest();
        Common.Launches > It->Common.Launches)
      It->Common = std::move(Common);
    It->SplitLaunches += C.SplitLaunches.load();
    It->DevicesMax = std::max(It->DevicesMax, C.DevicesMax.load());
    It->LocalBytes += C.LocalBytes.load();
    It->RemoteBytes += C.RemoteBytes.load();
    It->UnknownRanges |= C.UnknownRanges.load();
    if (It->Refusal.empty()) {
      It->Refusal = E->Refusal;
      It->RefusalText = E->RefusalText;
    }
    if (const char *Why = C.WhyWhole.load())
      It->WhyWhole = Why;
    It->NoAliasLaunches += C.NoAliasLaunches.load();
    if (const char *Why = C.WhyMayAlias.load())
      It->WhyMayAlias = Why;
    It->StreamedLaunches += C.StreamedLaunches.load();
    It->Chunks += C.Chunks.load();
    It->StreamedIn += C.StreamedIn.load();
    It->StreamedOut += C.StreamedOut.load();
    It->StreamedOnHost += C.StreamedOnHost.load();
    for (const InPlaceParam &P : C.inPlace())
      insertOnce(It->InPlace, P);
    for (int Param : C.packed())
      insertOnce(It->Packed, Param);
    It->ReplicaParam = std::max(It->ReplicaParam, C.ReplicaParam.load());
    if (const char *Why = C.WhyLinked.load()) {
      It->LinkedParam = C.LinkedParam;
      It->WhyLinked = Why;
    }
    It->Inspected |= C.Inspected.load();
    if (const char *Why = C.WhyNotInspected.load())
      It->WhyNotInspected = Why;
  }
  for (unsigned I = 0; I < NumCopyDirections; ++I)
    Out.Copies[I] = recordOf(Copies[I]);
  Out.Fills = recordOf(Fills);
  Out.Replicas = recordOf(Replicas);
  Out.WriteBacks = recordOf(WriteBacks);
  Out.ManagedWriteBacks = recordOf(ManagedWriteBacks);
  Out.Moves = recordOf(Moves);
  return Out;
}

} // namespace gridspan
