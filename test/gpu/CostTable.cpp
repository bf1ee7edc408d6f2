//===- CostTable.cpp - Costs of the CUDA backend's operations -------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prints microseconds per call and asserts nothing. For tuning the launch path
// and the sizes of pages, and the cost of a split launch before any kernel
// runs.
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/CreateBackend.h"
#include "runtime/backend/cuda/OpenDevices.h"
#include "runtime/copy/PageableCopy.h"
#include "runtime/memory/MemoryManager.h"
#include "test/gpu/TestKernels.h"
#include <chrono>
#include <cuda_runtime_api.h>
#include <fmt/format.h>
#include <functional>

using namespace gridspan;

namespace {

double now() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

class CostTable {
public:
  explicit CostTable(Backend &B) : B(B), Count(B.system().numDevices()) {
    for (int I = 0; I < Count; ++I) {
      check(B.createStream(I, StreamKind::NonBlocking, 0,
                           Streams.emplace_back()));
      check(B.createEvent(I, cudaEventDisableTiming, Events.emplace_back()));
    }
  }

  void launches();
  void queues();
  void splits();
  void pages();
  void allocations();
  void ranges();
  void pageable();

private:
  static void check(cudaError_t E) {
    if (!E)
      return;
    fmt::print("error {}: {}\n", static_cast<int>(E), cudaGetErrorString(E));
    exit(1);
  }
  void synchronizeAll() {
    for (int I = 0; I < Count; ++I)
      check(B.synchronizeDevice(I));
  }
  /// Prints the best of three runs of Times calls.
  double seconds(int Times, const std::function<void()> &Call) {
    double Best = 1e30;
    for (int R = 0; R < 4; ++R) {
      synchronizeAll();
      double Begin = now();
      for (int I = 0; I < Times; ++I)
        Call();
      synchronizeAll();
      if (R)
        Best = std::min(Best, (now() - Begin) / Times);
    }
    return Best;
  }
  void line(const std::string &What, int Times,
            const std::function<void()> &Call) {
    fmt::print("{:<52}{:>10.2f} us\n", What, seconds(Times, Call) * 1e6);
  }
  void launchEmpty(int Device, const GridspanTile *Tile) {
    LaunchShape Shape;
    Shape.Grid = Shape.Block = dim3(1);
    check(B.launch(*Streams[Device], {&EmptyKernel, EmptyKernel.HostStub},
                   Shape, nullptr, Tile));
  }
  void split(int Devices, bool FirstDeviceFirst);

  Backend &B;
  int Count;
  std::vector<std::unique_ptr<Stream>> Streams;
  std::vector<std::unique_ptr<Event>> Events;
};

void CostTable::launches() {
  cudaStream_t S = Streams[0]->native();
  line("launch, CUDA runtime", 20000, [&] {
    check(cudaLaunchKernel(EmptyKernel.HostStub, dim3(1), dim3(1), nullptr, 0,
                           S));
  });
  line("launch, backend", 20000, [&] { launchEmpty(0, nullptr); });
  GridspanTile T = {{0, 0, 0}, {1, 1, 1}};
  line("launch of a clone, backend", 20000, [&] { launchEmpty(0, &T); });
  line("launch and wait, CUDA runtime", 2000, [&] {
    check(cudaLaunchKernel(EmptyKernel.HostStub, dim3(1), dim3(1), nullptr, 0,
                           S));
    check(cudaStreamSynchronize(S));
  });
  line("launch and wait, backend", 2000, [&] {
    launchEmpty(0, nullptr);
    check(B.synchronize(*Streams[0]));
  });
  if (Count > 1)
    line("launch on another device, backend", 20000,
         [&] { launchEmpty(1, nullptr); });
}

void CostTable::queues() {
  line("isCapturing", 20000, [&] { B.isCapturing(*Streams[0]); });
  line("event record", 20000,
       [&] { check(B.record(*Events[0], *Streams[0])); });
  line("stream wait for own event", 20000,
       [&] { check(B.wait(*Streams[0], *Events[0])); });
  if (Count > 1)
    line("record, and wait on another device", 10000, [&] {
      check(B.record(*Events[0], *Streams[0]));
      check(B.wait(*Streams[1], *Events[0]));
    });
}

/// Splits a launch as the executor does.
void CostTable::split(int Devices, bool FirstDeviceFirst) {
  GridspanTile T = {{0, 0, 0}, {1, 1, 1}};
  check(B.record(*Events[0], *Streams[0]));
  if (FirstDeviceFirst)
    launchEmpty(0, &T);
  for (int I = 1; I < Devices; ++I) {
    check(B.wait(*Streams[I], *Events[0]));
    launchEmpty(I, &T);
    check(B.record(*Events[I], *Streams[I]));
  }
  if (!FirstDeviceFirst)
    launchEmpty(0, &T);
  for (int I = 1; I < Devices; ++I)
    check(B.wait(*Streams[0], *Events[I]));
}

void CostTable::splits() {
  for (int N = 2; N <= Count; ++N) {
    line(fmt::format("split launch over {}, others first", N), 5000,
         [&] { split(N, false); });
    line(fmt::format("split launch over {}, device 0 first", N), 5000,
         [&] { split(N, true); });
    line(fmt::format("split launch over {} and wait", N), 500, [&] {
      split(N, false);
      check(B.synchronize(*Streams[0]));
    });
  }
}

void CostTable::pages() {
  for (Location Where : {0, Host})
    for (size_t MiB : {2, 64, 512}) {
      size_t Bytes = MiB << 20;
      double Create = 0, Map = 0, Unmap = 0, Free = 0;
      int Times = 5;
      void *Address;
      check(B.reserve(Bytes, Address));
      for (int I = 0; I < Times; ++I) {
        std::unique_ptr<Pages> P;
        double T0 = now();
        check(B.createPages(Where, Bytes, P));
        double T1 = now();
        check(B.map(Address, *P, 0, Bytes));
        double T2 = now();
        check(B.unmap(Address, Bytes));
        double T3 = now();
        P.reset();
        double T4 = now();
        Create += T1 - T0, Map += T2 - T1, Unmap += T3 - T2, Free += T4 - T3;
      }
      B.release(Address, Bytes);
      fmt::print("{:>4} MiB on {:<7} create {:>8.0f}  map {:>7.0f}  unmap "
                 "{:>7.0f}  free {:>7.0f} us\n",
                 MiB, Where == Host ? "host" : "device", Create / Times * 1e6,
                 Map / Times * 1e6, Unmap / Times * 1e6, Free / Times * 1e6);
    }
}

/// Maps 8 GiB at once and in small ranges.
void CostTable::allocations() {
  constexpr size_t Total = size_t(8) << 30;
  void *P;
  line("cudaMalloc and cudaFree of 8 GiB", 1, [&] {
    check(cudaMalloc(&P, Total));
    check(cudaFree(P));
  });
  for (size_t MiB : {64, 512, 8192}) {
    size_t Piece = MiB << 20;
    line(fmt::format("8 GiB in pages of {} MiB", MiB), 1, [&] {
      void *Address;
      check(B.reserve(Total, Address));
      std::vector<std::unique_ptr<Pages>> Held;
      for (size_t At = 0; At < Total; At += Piece) {
        check(B.createPages(0, Piece, Held.emplace_back()));
        check(B.map(static_cast<char *>(Address) + At, *Held.back(), 0, Piece));
      }
      for (size_t At = 0; At < Total; At += Piece)
        check(B.unmap(static_cast<char *>(Address) + At, Piece));
      Held.clear();
      B.release(Address, Total);
    });
  }
}

} // namespace

/// Times pageable copies by the driver and by PageableCopy.
void CostTable::pageable() {
  constexpr size_t MiB = size_t(1) << 20, Most = 1024 * MiB;
  void *Address = nullptr;
  std::unique_ptr<Pages> P;
  check(B.reserve(Most, Address));
  check(B.createPages(0, Most, P));
  check(B.map(Address, *P, 0, Most));
  auto *OnDevice = static_cast<std::byte *>(Address);
  std::vector<std::byte> OnHost(Most, std::byte(1));
  using Copy = std::function<void(std::byte *, const std::byte *, PageableEnd)>;
  auto Line = [&](const std::string &What, size_t Bytes, const Copy &Do) {
    const int Times = static_cast<int>(std::max<size_t>(1, 64 * MiB / Bytes));
    const double In = seconds(Times, [&] {
      Do(OnDevice, OnHost.data(), PageableEnd::Source);
      check(B.synchronize(*Streams[0]));
    });
    const double Out = seconds(Times, [&] {
      Do(OnHost.data(), OnDevice, PageableEnd::Destination);
      check(B.synchronize(*Streams[0]));
    });
    const auto Size = static_cast<double>(Bytes);
    fmt::print("{:<40}{:>6} MiB{:>7.1f} in{:>7.1f} out GB/s\n", What,
               Bytes / MiB, Size / In * 1e-9, Size / Out * 1e-9);
  };
  const size_t Sizes[] = {MiB,      4 * MiB,   8 * MiB, 16 * MiB,
                          32 * MiB, 128 * MiB, Most};
  for (size_t Bytes : Sizes)
    Line("pageable, driver", Bytes,
         [&](std::byte *Dst, const std::byte *Src, PageableEnd) {
           check(B.copy(*Streams[0], Dst, Src, Bytes));
         });
  auto ByThreads = [&](unsigned Threads, size_t Buffer, size_t Bytes) {
    PageableCopy S(B, {Threads, Threads, Buffer, 1});
    Line(fmt::format("pageable, {} threads, buffers of {} MiB", Threads,
                     Buffer / MiB),
         Bytes, [&](std::byte *Dst, const std::byte *Src, PageableEnd End) {
           check(S.copy({{Dst, 0, Src, 0, Bytes, 1, 0}}, End, *Streams[0])
                     .value_or(cudaErrorNotSupported));
         });
  };
  for (unsigned Threads : {2U, 4U, 8U, 16U})
    for (size_t Buffer : {2 * MiB, 4 * MiB, 8 * MiB})
      ByThreads(Threads, Buffer, Most);
  for (size_t Bytes : Sizes)
    ByThreads(8, 4 * MiB, Bytes);
  check(B.unmap(Address, Most));
  B.release(Address, Most);
}

/// Compares cudaMalloc and cudaFree with those of ranges that are kept, and of
/// ranges that are mapped each time.
void CostTable::ranges() {
  MemoryManager M(B, [this](uint64_t) { return Count > 1; });
  auto Once = [&](uint64_t Bytes) {
    const Expected<void *> P = M.allocate(Bytes, AllocationKind::Device);
    check(P.error());
    check(M.free(*P));
  };
  for (size_t MiB : {1, 4, 16, 64}) {
    const size_t Bytes = MiB << 20;
    line(fmt::format("cudaMalloc and cudaFree of {} MiB", MiB), 50, [&] {
      void *P;
      check(cudaMalloc(&P, Bytes));
      check(cudaFree(P));
    });
    line("  in a range that was kept", 50, [&] { Once(Bytes); });
    line("  in a range that is mapped each time", 10, [&] {
      Once(Bytes);
      M.releaseKept();
    });
  }
}

/// Prints what the start of a program costs before its first call is served.
static void start() {
  auto Line = [](const std::string &What, double Begin) {
    fmt::print("{:<52}{:>10.0f} us\n", What, (now() - Begin) * 1e6);
  };
  std::string Message;
  std::vector<std::string> Notes;
  bool Defective = false;
  double Begin = now();
  const cuda::Driver *D = cuda::Driver::get(Message, Defective);
  if (!D)
    return;
  Line("start of the driver", Begin);
  int Gpus = 0;
  D->cuDeviceGetCount(&Gpus);
  for (int I = 0; I < Gpus; ++I) {
    Begin = now();
    const cuda::DeviceList Opened =
        cuda::openDevices(*D, {I}, false, Message, Notes);
    Line(fmt::format("context of GPU {}", I), Begin);
  }
  if (Gpus < 2)
    return;
  Begin = now();
  const cuda::DeviceList Opened =
      cuda::openDevices(*D, {}, false, Message, Notes);
  Line(fmt::format("contexts of all {} at one time", Gpus), Begin);
}

int main() {
  start();
  double Begin = now();
  std::string Message;
  auto B = createCudaBackend({}, Message);
  if (!B) {
    fmt::print("{}\n", Message);
    return 0;
  }
  fmt::print("{:<52}{:>10.0f} us\n", "start of the backend",
             (now() - Begin) * 1e6);
  Begin = now();
  createCudaBackend({}, Message);
  fmt::print("{:<52}{:>10.0f} us\n", "start with cached measurements",
             (now() - Begin) * 1e6);
  CostTable Costs(*B);
  Costs.launches();
  Costs.queues();
  Costs.splits();
  Costs.pages();
  Costs.allocations();
  Costs.ranges();
  Costs.pageable();
  return 0;
}
