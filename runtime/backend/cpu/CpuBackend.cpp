//===- CpuBackend.cpp - Memory, streams and events of CPU devices ---------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Memory, streams and events. CpuBackendWork.cpp has the work in the streams.
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/cpu/CpuBackend.h"
#include "runtime/backend/cpu/CpuProperties.h"
#include "runtime/backend/cpu/KernelRunner.h"
#include "runtime/support/HostMemoryOps.h"
#include "runtime/support/ProcessLimits.h"
#include <algorithm>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

namespace gridspan {

// Rough numbers of one core. Devices share the machine's memory, but the
// planner shall choose homes as it would on GPUs, so other devices count as
// distant.
static constexpr double CoreBandwidth = 1e10;
static constexpr double CoreRate = 2e9;
static constexpr double PeerBandwidth = 4e9;
static constexpr double FanOutPerDevice = 2e-6;

static uint64_t physicalMemory() {
  return static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) *
         static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

/// Returns the threads of a device; processors that N devices cannot share
/// evenly go to the first ones.
static unsigned threadsOf(unsigned Device, const CpuBackendOptions &Options) {
  if (Options.ThreadsPerDevice)
    return Options.ThreadsPerDevice;
  const unsigned Processors = allowedProcessors(), N = Options.NumDevices;
  return std::max(1U, Processors / N + (Device < Processors % N));
}

CpuBackend::CpuBackend(const CpuBackendOptions &Options)
    : HasUnified(Options.UnifiedMemory),
      SharesAddresses(Options.SharesAddresses), Speeds(Options.Speeds) {
  allowVectors(Options.Vectors);
  const unsigned N = Options.NumDevices;
  System.PageSize = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  const uint64_t Total = physicalMemory();
  uint64_t Memory =
      Options.MemoryPerDevice ? Options.MemoryPerDevice : Total / 2 / N;
  Memory =
      std::max(System.PageSize, Memory / System.PageSize * System.PageSize);
  for (unsigned I = 0; I != N; ++I) {
    const unsigned Threads = threadsOf(I, Options);
    System.Devices.push_back({fmt::format("CPU device {}", I), Memory,
                              CoreBandwidth, CoreRate * Threads, CoreBandwidth,
                              CoreBandwidth});
    Workers.push_back(std::make_shared<WorkerPool>(Threads));
    Memories.push_back(
        std::make_shared<CpuMemory>(static_cast<Location>(I), Memory));
    Groups.push_back(std::make_shared<CpuStreamGroup>(Error));
    Readers.push_back(std::make_unique<CpuStream>(
        Groups.back(), static_cast<int>(I), StreamKind::NonBlocking));
  }
  HostPages = std::make_shared<CpuMemory>(Host, Total);
  const double Peer = Options.PeerAccess ? PeerBandwidth : 0;
  System.PeerBandwidth.assign(N, std::vector<double>(N, Peer));
  if (!Options.PeerAccess && N > 1)
    Reach = std::make_shared<ReachMap>();
  System.PeerAtomics = Options.PeerAccess;
  System.TimesTell = !Speeds.empty();
  System.TimesKey = fmt::format("CPU {}, memory {}, peers {}, speeds {}", N,
                                Options.MemoryPerDevice, Options.PeerAccess,
                                fmt::join(Speeds, " "));
  System.FindsFreed = true;
  System.FanOutSeconds.assign(N + 1, 0);
  for (unsigned I = 2; I <= N; ++I)
    System.FanOutSeconds[I] = FanOutPerDevice * I;
}

CpuBackend::~CpuBackend() = default;

//===--- Address space --------------------------------------------------===//

/// Beside an allocation there could be the host's memory, such as a stack. An
/// access that is a little outside is to fault, and not to change that.
static constexpr size_t GuardBytes = 64 << 10;
/// The most ranges that have that. It is a mapping of its own, of which Linux
/// allows a process 65530.
static constexpr size_t MostGuarded = 8192;

cudaError_t CpuBackend::reserve(size_t Bytes, void *&Address) {
  if (Bytes > SIZE_MAX - 2 * GuardBytes)
    return cudaErrorMemoryAllocation;
  WriterLock Guard(ReservedLock);
  const size_t Beside = Reserved.size() < MostGuarded ? GuardBytes : 0;
  void *Begin = nullptr;
  if (cudaError_t Error = reserveAddresses(Bytes + 2 * Beside, Begin))
    return Error;
  Address = static_cast<char *>(Begin) + Beside;
  Reserved[reinterpret_cast<uintptr_t>(Address)] = {Bytes, Beside};
  return cudaSuccess;
}

cudaError_t CpuBackend::reserveAt(void *Address, size_t Bytes) {
  if (!SharesAddresses)
    if (cudaError_t Error = reserveAddressesAt(Address, Bytes))
      return Error;
  WriterLock Guard(ReservedLock);
  Reserved[reinterpret_cast<uintptr_t>(Address)] = {Bytes, 0};
  return cudaSuccess;
}

void CpuBackend::release(void *Address, size_t Bytes) {
  size_t Beside = 0;
  {
    WriterLock Guard(ReservedLock);
    if (auto It = Reserved.find(reinterpret_cast<uintptr_t>(Address));
        It != Reserved.end()) {
      Beside = It->second.GuardBytes;
      Reserved.erase(It);
    }
  }
  if (!SharesAddresses)
    releaseAddresses(static_cast<char *>(Address) - Beside, Bytes + 2 * Beside);
}

bool CpuBackend::isReserved(const void *Address) const {
  auto At = reinterpret_cast<uintptr_t>(Address);
  ReaderLock Guard(ReservedLock);
  auto It = Reserved.upper_bound(At);
  return It != Reserved.begin() &&
         At - std::prev(It)->first < std::prev(It)->second.Bytes;
}

cudaError_t CpuBackend::createPages(Location Where, size_t Bytes,
                                    std::unique_ptr<Pages> &Out) {
  return (Where == Host ? HostPages : Memories[Where])->create(Bytes, Out);
}

cudaError_t CpuBackend::map(void *Address, Pages &P, size_t Offset,
                            size_t Bytes) {
  if (Reach)
    Reach->map(Address, Bytes, P.location());
  return static_cast<CpuPages &>(P).mapAt(Address, Offset, Bytes);
}

cudaError_t CpuBackend::unmap(void *Address, size_t Bytes) {
  if (Reach)
    Reach->unmap(Address, Bytes);
  return unmapPages(Address, Bytes);
}

void CpuBackend::memoryInfo(Location Where, size_t &Free, size_t &Total) {
  (Where == Host ? HostPages : Memories[Where])->info(Free, Total);
}

/// Returns a name of a device that is no GPU's, and the same in all processes.
static std::array<std::byte, 16> nameOfDevice(int Device) {
  std::array<std::byte, 16> Out = {};
  const std::string Text = fmt::format("cpu {}", Device);
  std::memcpy(Out.data(), Text.data(), std::min(Text.size(), Out.size()));
  return Out;
}

cudaError_t CpuBackend::createShareablePages(int Device, size_t Bytes,
                                             std::unique_ptr<Pages> &Out) {
  return Memories[Device]->createShareable(Bytes, Out);
}

cudaError_t CpuBackend::exportPages(const Pages &P, SharedPages &Out) {
  Out.Device = nameOfDevice(P.location());
  return static_cast<const CpuPages &>(P).exportTo(Out);
}

cudaError_t CpuBackend::importPages(const SharedPages &From,
                                    std::unique_ptr<Pages> &Out) {
  for (unsigned D = 0; D != System.numDevices(); ++D)
    if (From.Device == nameOfDevice(static_cast<int>(D)))
      return CpuMemory::open(static_cast<int>(D), From, Out);
  return cudaErrorInvalidDevice;
}

//===--- Unified memory -------------------------------------------------===//

cudaError_t CpuBackend::unifiedAlloc(size_t Bytes, void *&Out) {
  if (!HasUnified)
    return cudaErrorNotSupported;
  const size_t Page = System.PageSize;
  const size_t Size = (Bytes + Page - 1) / Page * Page;
  if (Size < Bytes || !(Out = reserveHostMemory(Size)))
    return cudaErrorMemoryAllocation;
  WriterLock Guard(ReservedLock);
  Reserved[reinterpret_cast<uintptr_t>(Out)] = {Size, 0};
  return cudaSuccess;
}

cudaError_t CpuBackend::unifiedFree(void *Address) {
  size_t Bytes;
  {
    WriterLock Guard(ReservedLock);
    auto It = Reserved.find(reinterpret_cast<uintptr_t>(Address));
    if (It == Reserved.end())
      return cudaErrorInvalidValue;
    Bytes = It->second.Bytes;
    Reserved.erase(It);
  }
  releaseHostMemory(Address, Bytes);
  return cudaSuccess;
}

cudaError_t CpuBackend::preferHome(void *Address, size_t Bytes, Location From,
                                   Location To) {
  if (To != Host)
    if (cudaError_t Error = Memories[To]->claim(Bytes))
      return Error;
  if (From != Host)
    Memories[From]->disclaim(Bytes);
  return cudaSuccess;
}

//===--- Host memory ----------------------------------------------------===//

cudaError_t CpuBackend::hostAlloc(size_t Bytes, unsigned Flags, void *&Out) {
  return Pinned.allocate(Bytes, Out);
}

cudaError_t CpuBackend::hostFree(void *Address) { return Pinned.free(Address); }

cudaError_t CpuBackend::hostRegister(void *Address, size_t Bytes,
                                     unsigned Flags) {
  return Pinned.add(Address, Bytes);
}

cudaError_t CpuBackend::hostUnregister(void *Address) {
  return Pinned.remove(Address);
}

bool CpuBackend::isPinned(const void *Address, size_t Bytes) {
  return Pinned.contains(Address, Bytes);
}

bool CpuBackend::isPageable(const void *Address, size_t Bytes) {
  return !isReserved(Address) && !isPinned(Address, Bytes) &&
         !Images.contains(Address, Bytes);
}

//===--- Streams and events ---------------------------------------------===//

cudaError_t CpuBackend::createStream(int Device, StreamKind Kind, int Priority,
                                     std::unique_ptr<Stream> &Out) {
  Out = std::make_unique<CpuStream>(Groups[Device], Device, Kind);
  return cudaSuccess;
}

cudaError_t CpuBackend::synchronize(Stream &S) {
  cpu(S).end().wait();
  return *Error;
}

cudaError_t CpuBackend::query(Stream &S) {
  if (!cpu(S).idle())
    return cudaErrorNotReady;
  return *Error;
}

cudaError_t CpuBackend::synchronizeDevice(int Device) {
  for (const QueuePoint &Point : Groups[Device]->ends())
    Point.wait();
  return *Error;
}

cudaError_t CpuBackend::createEvent(int Device, unsigned Flags,
                                    std::unique_ptr<Event> &Out) {
  if (!(Flags & cudaEventInterprocess)) {
    Out = std::make_unique<CpuEvent>(Flags);
    return cudaSuccess;
  }
  std::shared_ptr<SharedSignal> Signal = SharedSignal::create();
  if (!Signal)
    return cudaErrorOperatingSystem;
  Out = std::make_unique<CpuEvent>(Flags, std::move(Signal));
  return cudaSuccess;
}

cudaError_t CpuBackend::exportEvent(const Event &E, FileDescriptor &Out) {
  const auto &Signal = static_cast<const CpuEvent &>(E).signal();
  if (!Signal)
    return cudaErrorInvalidResourceHandle;
  Out = FileDescriptor(fcntl(Signal->file().get(), F_DUPFD_CLOEXEC, 0));
  return Out ? cudaSuccess : cudaErrorOperatingSystem;
}

cudaError_t CpuBackend::importEvent(FileDescriptor From,
                                    std::unique_ptr<Event> &Out) {
  std::shared_ptr<SharedSignal> Signal = SharedSignal::open(std::move(From));
  if (!Signal)
    return cudaErrorInvalidValue;
  Out = std::make_unique<CpuEvent>(
      cudaEventInterprocess | cudaEventDisableTiming, std::move(Signal));
  return cudaSuccess;
}

cudaError_t CpuBackend::record(Event &E, Stream &S) {
  cpu(E).record(cpu(S));
  return cudaSuccess;
}

cudaError_t CpuBackend::wait(Stream &S, Event &E) {
  cpu(E).holdBack(cpu(S));
  return cudaSuccess;
}

cudaError_t CpuBackend::synchronize(Event &E) {
  cpu(E).wait();
  return *Error;
}

cudaError_t CpuBackend::query(Event &E) {
  return cpu(E).reached() ? Error->load() : cudaErrorNotReady;
}

cudaError_t CpuBackend::elapsed(Event &From, Event &To, float &Ms) {
  return cpu(To).elapsedSince(cpu(From), Ms);
}

std::unique_ptr<Backend> createCpuBackend(const CpuBackendOptions &Options,
                                          std::string &Message) {
  if (Options.NumDevices == 0) {
    Message = "no CPU devices were asked for";
    return nullptr;
  }
  return std::make_unique<CpuBackend>(Options);
}

} // namespace gridspan
