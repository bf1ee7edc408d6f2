//===- Report.cpp - Counters of launches and copies -----------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Counting uses relaxed atomics: counters are read when nothing else depends on
// their order. A record is made by walking Counters.def, so that a new counter
// is one row there.
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

void KernelCounters::countOutOfCore(unsigned Devices, uint64_t NumChunks,
                                    uint64_t In, uint64_t Out) {
  count(Devices, 0, 0);
  OutOfCoreLaunches.fetch_add(1, std::memory_order_relaxed);
  Chunks.fetch_add(NumChunks, std::memory_order_relaxed);
  OutOfCoreBytesIn.fetch_add(In, std::memory_order_relaxed);
  OutOfCoreBytesOut.fetch_add(Out, std::memory_order_relaxed);
}

void KernelCounters::countLeast(uint64_t In, uint64_t Out) {
  LeastBytesIn.fetch_add(In, std::memory_order_relaxed);
  LeastBytesOut.fetch_add(Out, std::memory_order_relaxed);
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
    return std::pair(P.Param, std::string_view(nameOf(P.Why)));
  });
}

static void insertOnce(std::vector<int> &List, int New) {
  insertOnce(List, New, [](int Param) { return Param; });
}

void KernelCounters::noteInPlace(int Param, LaunchReason Why) {
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

void KernelCounters::setMeasured(std::vector<MeasuredDivision> Rows) {
  MutexLock Guard(Lock);
  Measured = std::move(Rows);
}

std::vector<MeasuredDivision> KernelCounters::measured() const {
  MutexLock Guard(Lock);
  return Measured;
}

KernelCounters &Report::kernel(const GridspanKernel *Kernel) {
  MutexLock Guard(Lock);
  Entry *&Known = ByKernel[Kernel];
  if (Known)
    return Known->Counters;
  auto New = std::make_unique<Entry>();
  if (!Kernel) {
    New->Name = "(functions without a descriptor)";
    New->Refusal = nameOf(LaunchReason::NoDescriptor);
    New->RefusalText = "not compiled with Gridspan";
  } else {
    New->Name = Kernel->Name;
    if (const GridspanModule *Module = Registry::get().moduleOf(Kernel))
      New->Source = Module->Name;
    if (Kernel->Refusal)
      New->Refusal = Kernel->Refusal;
    else if (Kernel->Flags & GridspanNotAnalysed)
      New->Refusal = nameOf(LaunchReason::NotAnalysed);
    else if (!maySplit(*Kernel))
      New->Refusal = nameOf(LaunchReason::NoTiledClone);
    if (Kernel->RefusalText)
      New->RefusalText = Kernel->RefusalText;
    if (const GridspanCpuKernel *Cpu = Kernel->Cpu; Cpu && Cpu->WhyFibers) {
      New->WhyFibers = Cpu->WhyFibers;
      New->WhyFibersText = Cpu->WhyFibersText;
    }
  }
  Known = New.get();
  Entries.push_back(std::move(New));
  return Known->Counters;
}

void Report::forget(const GridspanModule &Module) {
  MutexLock Guard(Lock);
  for (uint32_t I = 0; I != Module.NumKernels; ++I)
    ByKernel.erase(&Module.Kernels[I]);
}

static CopyRecord recordOf(const CopyCounters &C) {
  return {C.Count.load(), C.Bytes.load()};
}

/// Adds a kernel's counters to the line that it has in the report.
static void addTo(KernelRecord &Line, const KernelCounters &C) {
#define GRIDSPAN_SUM(Name, Key) Line.Name += C.Name.load();
#define GRIDSPAN_MOST(Type, None, Name, Key)                                   \
  Line.Name = std::max<Type>(Line.Name, C.Name.load());
#define GRIDSPAN_LAST(Type, None, Name, Key)                                   \
  if (const Type Last = C.Name.load(); Last != None)                           \
    Line.Name = Last;
#define GRIDSPAN_WHY(Name, Key)                                                \
  if (const LaunchReason Why = C.Name.load(); Why != LaunchReason::None)       \
    Line.Name = Why == LaunchReason::KernelRefused ? Line.Refusal : nameOf(Why);
#include "runtime/report/Counters.def"
  for (const InPlaceParam &P : C.inPlace())
    insertOnce(Line.InPlace, P);
  for (int Param : C.packed())
    insertOnce(Line.Packed, Param);
  for (MeasuredDivision &Row : C.measured())
    Line.Measured.push_back(std::move(Row));
  if (LaunchHistogram Common = C.Shapes.commonest();
      Common.Launches > Line.Common.Launches)
    Line.Common = std::move(Common);
}

ReportRecord Report::record() const {
  ReportRecord Out;
  MutexLock Guard(Lock);
  for (const std::unique_ptr<Entry> &E : Entries) {
    const std::string Name = demangled(E->Name.c_str());
    auto It = std::find_if(Out.Kernels.begin(), Out.Kernels.end(),
                           [&](const KernelRecord &R) {
                             return R.Name == Name && R.Source == E->Source;
                           });
    if (It == Out.Kernels.end())
      It = Out.Kernels.insert(Out.Kernels.end(), KernelRecord());
    It->Name = Name;
    It->Source = E->Source;
    if (It->Refusal.empty()) {
      It->Refusal = E->Refusal;
      It->RefusalText = E->RefusalText;
    }
    if (It->WhyFibers.empty()) {
      It->WhyFibers = E->WhyFibers;
      It->WhyFibersText = E->WhyFibersText;
    }
    addTo(*It, E->Counters);
  }
  for (unsigned I = 0; I != NumCopyDirections; ++I)
    Out.Copies[I] = recordOf(Copies[I]);
#define GRIDSPAN_COPIES(Name, Key, Title) Out.Name = recordOf(Name);
#include "runtime/report/Counters.def"
  Out.Calls = Calls.record();
  return Out;
}

} // namespace gridspan
