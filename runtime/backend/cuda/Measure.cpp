//===- Measure.cpp - Rates of the GPUs and of their links -----------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rates are those of large copies, the best of a few, as a disturbance only
// makes a copy slower. The cost of splitting is measured as the executor
// splits: an event on the launch's stream, a wait, a launch and an event on
// each further device, and waits for those. The kernel is empty, there are many
// launches in a row, and the time of as many plain launches is taken off. The
// cost of another home for pages is measured as pages move: the driver maps and
// unmaps them twice.
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/cuda/Measure.h"
#include "runtime/backend/cuda/Queues.h"
#include <algorithm>
#include <chrono>
#include <functional>
#include <limits>

namespace gridspan::cuda {
namespace {

constexpr size_t LocalBytes = size_t(256) << 20;
constexpr size_t LinkBytes = size_t(64) << 20;
constexpr int Repetitions = 3;
constexpr int FanOutLaunches = 200;

/// Seconds in which a multiprocessor starts a block, on compute capability 9.0
/// (bench/model/machine.cu). The driver knows of no such number.
constexpr double MultiprocessorBlockSeconds = 79.2e-9;

/// Instructions of one thread that a multiprocessor starts in a cycle: four
/// schedulers with 32 threads each, from compute capability 5.0 on but for 6.0.
constexpr double IssueSlotsPerCycle = 4 * 32;

/// A kernel that the driver compiles for any GPU.
constexpr char EmptyKernel[] = ".version 7.0\n"
                               ".target sm_70\n"
                               ".address_size 64\n"
                               ".visible .entry empty() { ret; }\n";

/// Pages mapped at an address of their own.
class Buffer {
public:
  static std::unique_ptr<Buffer> create(Memory &M, Location Where,
                                        size_t Bytes) {
    std::unique_ptr<Buffer> B(new Buffer(M, Bytes));
    if (M.createPages(Where, Bytes, B->Held))
      return nullptr;
    if (M.reserve(Bytes, B->Address))
      return nullptr;
    if (M.map(B->Address, static_cast<CudaPages &>(*B->Held), 0, Bytes))
      return nullptr;
    B->Mapped = true;
    return B;
  }
  ~Buffer() {
    if (Mapped)
      M.unmap(Address, Bytes);
    if (Address)
      M.release(Address, Bytes);
  }
  CUdeviceptr get() const { return toDevicePtr(Address); }

private:
  Buffer(Memory &M, size_t Bytes) : M(M), Bytes(Bytes) {}
  Memory &M;
  size_t Bytes;
  std::unique_ptr<Pages> Held;
  void *Address = nullptr;
  bool Mapped = false;
};

class PinnedBuffer {
public:
  PinnedBuffer(const Driver &D, size_t Bytes) : D(D) {
    if (D.cuMemHostAlloc(&Address, Bytes, CU_MEMHOSTALLOC_PORTABLE))
      Address = nullptr;
  }
  ~PinnedBuffer() {
    if (Address)
      D.cuMemFreeHost(Address);
  }
  PinnedBuffer(const PinnedBuffer &) = delete;
  PinnedBuffer &operator=(const PinnedBuffer &) = delete;
  void *get() const { return Address; }

private:
  const Driver &D;
  void *Address = nullptr;
};

class Measurement {
public:
  Measurement(const DeviceList &Devices, Memory &M)
      : Devices(Devices), D(Devices[0]->driver()), M(M) {
    Streams.resize(Devices.size());
    for (size_t I = 0, E = Devices.size(); I != E; ++I)
      if (CudaStream::create(Devices, I, StreamKind::NonBlocking, 0,
                             Streams[I]))
        Usable = false;
  }

  // Each returns true if it could be measured.
  bool local(int I, DeviceInfo &Info);
  bool link(int Reader, int Owner, double &Rate);
  bool hostLinks(int I, DeviceInfo &Info);
  bool fanOut(std::vector<double> &Seconds);
  bool pageMove(double &Seconds);

  bool Usable = true;

private:
  bool rate(int I, double Bytes, double &Rate,
            const std::function<CUresult(CUstream)> &Work);
  bool remap(void *Address, double &Seconds);
  double splitSeconds(unsigned Count, const std::vector<CUfunction> &Empty);

  const DeviceList &Devices;
  const Driver &D;
  Memory &M;
  std::vector<std::unique_ptr<Stream>> Streams;
};

/// Sets Rate to the bytes per second of Work on device I.
bool Measurement::rate(int I, double Bytes, double &Rate,
                       const std::function<CUresult(CUstream)> &Work) {
  CurrentDevice Scope(Devices, I);
  std::unique_ptr<Event> From, To;
  if (CudaEvent::create(Devices, I, 0, From) ||
      CudaEvent::create(Devices, I, 0, To))
    return false;
  CUstream S = Streams[I]->native();
  double Best = 0;
  // The first one warms up.
  for (int R = 0; R <= Repetitions; ++R) {
    float Ms = 0;
    if (D.cuEventRecord(From->native(), S) || Work(S) ||
        D.cuEventRecord(To->native(), S) || D.cuStreamSynchronize(S) ||
        D.cuEventElapsedTime(&Ms, From->native(), To->native()))
      return false;
    if (R > 0 && Ms > 0)
      Best = std::max(Best, Bytes / (Ms * 1e-3));
  }
  if (Best <= 0)
    return false;
  Rate = Best;
  return true;
}

bool Measurement::local(int I, DeviceInfo &Info) {
  auto From = Buffer::create(M, I, LocalBytes);
  auto To = Buffer::create(M, I, LocalBytes);
  if (!From || !To)
    return false;
  // Read once, written once.
  return rate(I, 2.0 * LocalBytes, Info.MemoryBandwidth, [&](CUstream S) {
    return D.cuMemcpyAsync(To->get(), From->get(), LocalBytes, S);
  });
}

bool Measurement::link(int Reader, int Owner, double &Rate) {
  auto From = Buffer::create(M, Owner, LinkBytes);
  auto To = Buffer::create(M, Reader, LinkBytes);
  if (!From || !To)
    return false;
  return rate(Reader, LinkBytes, Rate, [&](CUstream S) {
    return D.cuMemcpyAsync(To->get(), From->get(), LinkBytes, S);
  });
}

bool Measurement::hostLinks(int I, DeviceInfo &Info) {
  auto OnDevice = Buffer::create(M, I, LinkBytes);
  PinnedBuffer OnHost(D, LinkBytes);
  if (!OnDevice || !OnHost.get())
    return false;
  CUdeviceptr HostPtr = toDevicePtr(OnHost.get());
  bool In = rate(I, LinkBytes, Info.HostToDevice, [&](CUstream S) {
    return D.cuMemcpyAsync(OnDevice->get(), HostPtr, LinkBytes, S);
  });
  bool Out = rate(I, LinkBytes, Info.DeviceToHost, [&](CUstream S) {
    return D.cuMemcpyAsync(HostPtr, OnDevice->get(), LinkBytes, S);
  });
  return In && Out;
}

/// Returns the seconds of a launch that is split over the first Count devices;
/// 0 on an error.
double Measurement::splitSeconds(unsigned Count,
                                 const std::vector<CUfunction> &Empty) {
  std::vector<std::unique_ptr<Event>> Done(Count);
  for (unsigned I = 0; I != Count; ++I)
    if (CudaEvent::create(Devices, I, CU_EVENT_DISABLE_TIMING, Done[I]))
      return 0;
  CurrentDevice Scope(Devices, 0);
  CUstream Main = Streams[0]->native();
  CUresult Bad = CUDA_SUCCESS;
  auto Check = [&](CUresult R) { Bad = R != CUDA_SUCCESS ? R : Bad; };
  auto Launch = [&](unsigned I) {
    Check(D.cuLaunchKernel(Empty[I], 1, 1, 1, 1, 1, 1, 0, Streams[I]->native(),
                           nullptr, nullptr));
  };
  auto Split = [&] {
    if (Count > 1)
      Check(D.cuEventRecord(Done[0]->native(), Main));
    for (unsigned I = 1; I != Count; ++I) {
      CurrentDevice Other(Devices, I);
      CUstream S = Streams[I]->native();
      Check(D.cuStreamWaitEvent(S, Done[0]->native(), 0));
      Launch(I);
      Check(D.cuEventRecord(Done[I]->native(), S));
    }
    Launch(0);
    for (unsigned I = 1; I != Count; ++I)
      Check(D.cuStreamWaitEvent(Main, Done[I]->native(), 0));
  };
  double Best = std::numeric_limits<double>::max();
  for (int R = 0; R != Repetitions; ++R) {
    auto Begin = std::chrono::steady_clock::now();
    for (int L = 0; L != FanOutLaunches; ++L)
      Split();
    Check(D.cuStreamSynchronize(Main));
    std::chrono::duration<double> Took =
        std::chrono::steady_clock::now() - Begin;
    Best = std::min(Best, Took.count() / FanOutLaunches);
  }
  return Bad == CUDA_SUCCESS ? Best : 0;
}

bool Measurement::fanOut(std::vector<double> &Seconds) {
  CurrentDevice Scope(Devices, 0);
  CUlibrary Library;
  if (D.cuLibraryLoadData(&Library, EmptyKernel, nullptr, nullptr, 0, nullptr,
                          nullptr, 0) != CUDA_SUCCESS)
    return false;
  std::vector<CUfunction> Empty(Devices.size());
  CUkernel Kernel;
  bool Ok = D.cuLibraryGetKernel(&Kernel, Library, "empty") == CUDA_SUCCESS;
  for (size_t I = 0, E = Devices.size(); Ok && I != E; ++I) {
    CurrentDevice Other(Devices, I);
    Ok = D.cuKernelGetFunction(&Empty[I], Kernel) == CUDA_SUCCESS;
  }
  double Plain = Ok ? splitSeconds(1, Empty) : 0;
  for (unsigned N = 2; Plain > 0 && N < Seconds.size(); ++N) {
    double Split = splitSeconds(N, Empty);
    Ok &= Split > 0;
    if (Split > 0)
      Seconds[N] = std::max(0.0, Split - Plain);
  }
  for (const auto &S : Streams)
    D.cuStreamSynchronize(S->native());
  D.cuLibraryUnload(Library);
  return Ok && Plain > 0;
}

/// Sets Seconds to what new pages take that are mapped at Address twice, once
/// to be filled and once instead of those that were there, and are released.
bool Measurement::remap(void *Address, double &Seconds) {
  const auto Begin = std::chrono::steady_clock::now();
  {
    std::unique_ptr<Pages> Held;
    if (M.createPages(static_cast<Location>(Devices.size()) - 1, LinkBytes,
                      Held))
      return false;
    for (int Times = 0; Times != 2; ++Times)
      if (M.map(Address, static_cast<CudaPages &>(*Held), 0, LinkBytes) ||
          M.unmap(Address, LinkBytes))
        return false;
  }
  const std::chrono::duration<double> Took =
      std::chrono::steady_clock::now() - Begin;
  Seconds = Took.count();
  return true;
}

/// Sets Seconds to what another home for a page of a large part takes, besides
/// the copy of its bytes.
bool Measurement::pageMove(double &Seconds) {
  void *Address = nullptr;
  if (M.reserve(LinkBytes, Address))
    return false;
  double Best = std::numeric_limits<double>::max(), Took = 0;
  bool Ok = true;
  for (int R = 0; Ok && R <= Repetitions; ++R) {
    Ok = remap(Address, Took);
    Best = std::min(Best, Took);
  }
  M.release(Address, LinkBytes);
  if (Ok)
    Seconds = Best / (static_cast<double>(LinkBytes) /
                      static_cast<double>(M.pageSize()));
  return Ok;
}

} // namespace

SystemInfo describe(const DeviceList &Devices, const Memory &M) {
  SystemInfo Info;
  Info.PageSize = M.pageSize();
  for (size_t I = 0, E = Devices.size(); I != E; ++I) {
    const Device &Dev = *Devices[I];
    DeviceInfo DI;
    DI.Name = Dev.name();
    size_t Free, Total;
    M.info(I, Free, Total);
    DI.MemoryBytes = Free;
    DI.Multiprocessors =
        std::max(1, Dev.attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT));
    DI.ThreadsPerMultiprocessor = std::max(
        1, Dev.attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR));
    DI.BlocksPerMultiprocessor = std::max(
        1, Dev.attribute(CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR));
    DI.BlockSeconds = MultiprocessorBlockSeconds / DI.Multiprocessors;
    // Until it is measured: PCI Express 3 x16.
    DI.HostToDevice = DI.DeviceToHost = 12e9;
    Info.Devices.push_back(std::move(DI));
  }
  // Until it is measured: the driver's calls at 1 to 2 us each.
  for (size_t N = 0; N <= Devices.size(); ++N)
    Info.FanOutSeconds.push_back(N < 2 ? 0 : 7e-6 * (N - 1));
  return Info;
}

/// Asks for the clocks of a device, which takes the driver half a millisecond
/// each.
static void rateByClocks(const Device &Dev, DeviceInfo &Info) {
  Info.InstructionRate = Info.Multiprocessors * IssueSlotsPerCycle *
                         (Dev.attribute(CU_DEVICE_ATTRIBUTE_CLOCK_RATE) * 1e3);
  // Two transfers per cycle of the memory's clock.
  Info.MemoryBandwidth =
      2.0 * Dev.attribute(CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE) * 1e3 *
      Dev.attribute(CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH) / 8;
}

bool measure(const DeviceList &Devices, Memory &M,
             const std::vector<std::vector<bool>> &MayAccess,
             SystemInfo &Info) {
  int Count = Devices.size();
  for (int I = 0; I != Count; ++I)
    rateByClocks(*Devices[I], Info.Devices[I]);
  Measurement Run(Devices, M);
  if (!Run.Usable)
    return false;
  bool All = true;
  for (int I = 0; I != Count; ++I) {
    All &= Run.local(I, Info.Devices[I]);
    All &= Run.hostLinks(I, Info.Devices[I]);
  }
  for (int I = 0; I != Count; ++I)
    for (int J = 0; J != Count; ++J)
      if (I != J && MayAccess[I][J])
        All &= Run.link(I, J, Info.PeerBandwidth[I][J]);
  All &= Run.pageMove(Info.PageMoveSeconds);
  return Run.fanOut(Info.FanOutSeconds) && All;
}

} // namespace gridspan::cuda
