//===- PageableCopyTest.cpp - Copies of pageable memory by several --------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//===----------------------------------------------------------------------===//

#include "runtime/copy/PageableCopy.h"
#include "runtime/backend/ForwardingBackend.h"
#include "runtime/support/NonTemporalCopy.h"
#include "test/unit/runtime/TestRuntime.h"
#include <algorithm>
#include <dirent.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace gridspan;

//===--- Dividing -------------------------------------------------------===//

static std::vector<std::vector<size_t>> divided(size_t Width, size_t Height,
                                                size_t Bytes) {
  std::vector<std::byte> Memory(20000);
  std::byte *Dst = Memory.data();
  std::vector<std::vector<size_t>> Shapes;
  for (const CopyRect &P :
       divideRect({Dst, 1000, Dst, 2000, Width, Height, 1}, Bytes)) {
    EXPECT_EQ(P.Where, 1);
    const size_t To = P.Dst - Dst, From = P.Src - Dst;
    EXPECT_EQ(To / 1000, From / 2000);
    EXPECT_EQ(To % 1000, From % 2000);
    Shapes.push_back({To / 1000, To % 1000, P.Width, P.Height});
  }
  return Shapes;
}

using Shapes = std::vector<std::vector<size_t>>;

TEST(DivideRect, OneRowIsCutIntoColumns) {
  EXPECT_EQ(divided(250, 1, 100),
            (Shapes{{0, 0, 100, 1}, {0, 100, 100, 1}, {0, 200, 50, 1}}));
}

TEST(DivideRect, ShortRowsStayWhole) {
  EXPECT_EQ(divided(40, 5, 100),
            (Shapes{{0, 0, 40, 2}, {2, 0, 40, 2}, {4, 0, 40, 1}}));
  EXPECT_EQ(divided(100, 2, 100), (Shapes{{0, 0, 100, 1}, {1, 0, 100, 1}}));
}

TEST(DivideRect, LongRowsAreCutOneByOne) {
  EXPECT_EQ(
      divided(150, 2, 100),
      (Shapes{
          {0, 0, 100, 1}, {0, 100, 50, 1}, {1, 0, 100, 1}, {1, 100, 50, 1}}));
}

TEST(DivideRect, NothingIsNoPart) {
  EXPECT_EQ(divided(0, 3, 100), Shapes());
  EXPECT_EQ(divided(3, 0, 100), Shapes());
}

//===--- Streaming stores -----------------------------------------------===//

TEST(NonTemporalCopy, CopiesAnyPartAndNothingElse) {
  std::vector<std::byte> Src(1000), Expected;
  for (size_t I = 0; I < Src.size(); ++I)
    Src[I] = std::byte(I * 7 + 1);
  for (size_t To : {0, 1, 63, 64, 65})
    for (size_t From : {0, 1, 17, 64})
      for (size_t Bytes : {0, 1, 15, 63, 64, 127, 128, 129, 700}) {
        std::vector<std::byte> Dst(1000);
        Expected = Dst;
        std::copy_n(Src.begin() + From, Bytes, Expected.begin() + To);
        nonTemporalCopy(Dst.data() + To, Src.data() + From, Bytes);
        ASSERT_EQ(Dst, Expected) << To << " " << From << " " << Bytes;
      }
}

//===--- Copying --------------------------------------------------------===//

namespace {

constexpr size_t Buffer = 4096;

/// Counts what passes through pinned buffers, and fails on demand.
class CountingBackend : public ForwardingBackend {
public:
  using ForwardingBackend::ForwardingBackend;
  cudaError_t hostAlloc(size_t Bytes, unsigned Flags, void *&Out) override {
    if (HostAllocsLeft-- <= 0)
      return cudaErrorMemoryAllocation;
    return inner().hostAlloc(Bytes, Flags, Out);
  }
  cudaError_t unifiedAlloc(size_t, void *&) override {
    return cudaErrorNotSupported;
  }
  cudaError_t copy(Stream &S, void *Dst, const void *Src,
                   size_t Bytes) override {
    ++Copies;
    if (CopiesLeft-- <= 0)
      return cudaErrorUnknown;
    return inner().copy(S, Dst, Src, Bytes);
  }
  std::atomic<int> Copies{0};
  std::atomic<int> HostAllocsLeft{1000};
  std::atomic<int> CopiesLeft{1000000};
};

/// Devices whose large copies of pageable memory are staged by Threads.
class StagedRuntime {
public:
  StagedRuntime(unsigned Devices, unsigned Threads) {
    fake::module();
    Config C;
    C.Kind = DeviceKind::Cpu;
    C.NumCpuDevices = Devices;
    C.Sched = Schedule::Static;
    C.CopyThreads = Threads;
    C.CopyBufferBytes = Buffer;
    std::string Message;
    auto Counting =
        std::make_unique<CountingBackend>(createBackend(C, Message));
    B = Counting.get();
    Runtime::replace(std::make_unique<Runtime>(C, std::move(Counting)));
    (void)__gridspan_cudaGetLastError();
  }
  ~StagedRuntime() { Runtime::replace(nullptr); }
  StagedRuntime(const StagedRuntime &) = delete;
  StagedRuntime &operator=(const StagedRuntime &) = delete;
  CountingBackend *B;
};

std::vector<unsigned> numbers(size_t Count, unsigned Seed = 1) {
  std::vector<unsigned> Out(Count);
  for (size_t I = 0; I < Count; ++I)
    Out[I] = static_cast<unsigned>(I * 2654435761U) ^ Seed;
  return Out;
}

size_t threadsOfProcess() {
  size_t Count = 0;
  DIR *D = opendir("/proc/self/task");
  while (const dirent *E = readdir(D))
    Count += E->d_name[0] != '.';
  closedir(D);
  return Count;
}

/// A thread that was joined is listed until the kernel has taken it down.
size_t threadsOnceAtMost(size_t Expected) {
  for (int Tries = 0; threadsOfProcess() > Expected && Tries < 5000; ++Tries)
    usleep(1000);
  return threadsOfProcess();
}

} // namespace

TEST(PageableCopy, RoundTripsOnAnyNumberOfDevicesAndThreads) {
  for (unsigned Devices : {1U, 2U, 3U, 4U})
    for (unsigned Threads : {1U, 2U, 5U, 16U}) {
      StagedRuntime R(Devices, Threads);
      const std::vector<unsigned> In = numbers(300001);
      unsigned *D = toDevice(In);
      EXPECT_GE(R.B->Copies, static_cast<int>(300001 * 4 / Buffer));
      EXPECT_EQ(fromDevice(D, In.size()), In);
      // Parts that begin and end anywhere.
      EXPECT_EQ(fromDevice(D + 12345, 200000),
                std::vector<unsigned>(In.begin() + 12345, In.begin() + 212345));
    }
}

TEST(PageableCopy, SmallCopiesAndPinnedOnesAreTheDrivers) {
  StagedRuntime R(1, 4);
  std::vector<unsigned char> Small(2 * Buffer - 1);
  (void)toDevice(Small);
  EXPECT_EQ(R.B->Copies, 1);
  void *Pinned = nullptr, *D = nullptr;
  ASSERT_EQ(__gridspan_cudaMallocHost(&Pinned, 10 * Buffer), cudaSuccess);
  ASSERT_EQ(__gridspan_cudaMalloc(&D, 10 * Buffer), cudaSuccess);
  EXPECT_EQ(__gridspan_cudaMemcpy(D, Pinned, 10 * Buffer, cudaMemcpyDefault),
            cudaSuccess);
  EXPECT_EQ(R.B->Copies, 2);
  EXPECT_EQ(__gridspan_cudaFreeHost(Pinned), cudaSuccess);
}

TEST(PageableCopy, TheSourceMayBeWrittenOnReturn) {
  StagedRuntime R(2, 4);
  const std::vector<unsigned> In = numbers(100000);
  unsigned *D = toDevice(In);
  for (unsigned Round = 1; Round < 10; ++Round) {
    std::vector<unsigned> Source = numbers(100000, Round);
    const std::vector<unsigned> Expected = Source;
    ASSERT_EQ(__gridspan_cudaMemcpyAsync(D, Source.data(), 400000,
                                         cudaMemcpyHostToDevice, nullptr),
              cudaSuccess);
    std::fill(Source.begin(), Source.end(), 0);
    EXPECT_EQ(fromDevice(D, 100000), Expected);
  }
}

TEST(PageableCopy, IsInTheOrderOfTheStream) {
  StagedRuntime R(2, 4);
  const size_t N = 100000;
  std::vector<float> X(N, 1), Y(N, 2), Out(N);
  float *DX = toDevice(X), *DY = toDevice(Y);
  GridspanKernel K = fake::module().Kernels[0];
  for (int Round = 0; Round < 5; ++Round) {
    ASSERT_EQ(launch(K, dim3((N + 255) / 256), dim3(256), 0, nullptr, 1.0f,
                     static_cast<const float *>(DX), DY, static_cast<int>(N)),
              cudaSuccess);
    ASSERT_EQ(__gridspan_cudaMemcpyAsync(Out.data(), DY, N * sizeof(float),
                                         cudaMemcpyDeviceToHost, nullptr),
              cudaSuccess);
    // Pageable destinations are complete on return.
    EXPECT_EQ(Out, std::vector<float>(N, 3.0f + static_cast<float>(Round)));
  }
}

TEST(PageableCopy, TwoDimensions) {
  for (unsigned Devices : {1U, 3U})
    for (size_t Width : {size_t(7), size_t(700), 2 * Buffer + 5}) {
      StagedRuntime R(Devices, 3);
      const size_t Height = 4 * Buffer / Width + 61, HostPitch = Width + 9;
      void *D = nullptr;
      size_t Pitch = 0;
      ASSERT_EQ(__gridspan_cudaMallocPitch(&D, &Pitch, Width, Height),
                cudaSuccess);
      ASSERT_EQ(__gridspan_cudaMemset(D, 0, Pitch * Height), cudaSuccess);
      std::vector<unsigned char> In(HostPitch * Height), Out(In.size(), 0);
      for (size_t I = 0; I < In.size(); ++I)
        In[I] = static_cast<unsigned char>(I * 31 / 7 + 1);
      const int Before = R.B->HostAllocsLeft;
      ASSERT_EQ(__gridspan_cudaMemcpy2D(D, Pitch, In.data(), HostPitch, Width,
                                        Height, cudaMemcpyHostToDevice),
                cudaSuccess);
      EXPECT_LT(R.B->HostAllocsLeft, Before) << "was not staged";
      ASSERT_EQ(__gridspan_cudaMemcpy2D(Out.data(), HostPitch, D, Pitch, Width,
                                        Height, cudaMemcpyDeviceToHost),
                cudaSuccess);
      for (size_t I = 0; I < In.size(); ++I)
        ASSERT_EQ(Out[I], I % HostPitch < Width ? In[I] : 0) << I;
    }
}

TEST(PageableCopy, PagesOnTheHostAreCopiedDirectly) {
  StagedRuntime R(2, 4);
  void *M = nullptr;
  ASSERT_EQ(__gridspan_cudaMallocManaged(&M, 400000, cudaMemAttachGlobal),
            cudaSuccess);
  const std::vector<unsigned> In = numbers(100000);
  EXPECT_EQ(__gridspan_cudaMemcpy(M, In.data(), 400000, cudaMemcpyHostToDevice),
            cudaSuccess);
  EXPECT_EQ(fromDevice(static_cast<unsigned *>(M), 100000), In);
  EXPECT_EQ(R.B->Copies, 0);
}

TEST(PageableCopy, SeveralThreadsOfTheProgram) {
  StagedRuntime R(2, 6);
  std::vector<std::thread> Threads;
  for (unsigned T = 0; T < 6; ++T)
    Threads.emplace_back([T] {
      const std::vector<unsigned> In = numbers(60000, T);
      for (int Round = 0; Round < 5; ++Round) {
        unsigned *D = toDevice(In);
        EXPECT_EQ(fromDevice(D, In.size()), In);
        EXPECT_EQ(__gridspan_cudaFree(D), cudaSuccess);
      }
    });
  for (std::thread &T : Threads)
    T.join();
}

TEST(PageableCopy, WithoutPinnedMemoryTheDriverCopies) {
  const std::vector<unsigned> In = numbers(100000);
  for (int Left : {0, 1, 2, 3}) {
    StagedRuntime R(2, 4);
    R.B->HostAllocsLeft = Left;
    unsigned *D = toDevice(In);
    EXPECT_EQ(fromDevice(D, In.size()), In);
  }
}

TEST(PageableCopy, BuffersArePinnedAsCopiesPayForThem) {
  StagedRuntime R(1, 4);
  constexpr size_t Count = 6 * Buffer / sizeof(unsigned);
  const std::vector<unsigned> In = numbers(Count);
  const int Before = R.B->HostAllocsLeft;
  auto Pinned = [&] { return Before - R.B->HostAllocsLeft; };
  unsigned *D = toDevice(In);
  EXPECT_EQ(Pinned(), 1);
  EXPECT_EQ(fromDevice(D, Count), In);
  EXPECT_EQ(Pinned(), 1);
  EXPECT_EQ(fromDevice(D, Count), In);
  EXPECT_EQ(Pinned(), 2) << "18 buffers were copied";
  for (int I = 0; I != 10; ++I)
    EXPECT_EQ(fromDevice(D, Count), In);
  EXPECT_EQ(Pinned(), 4);
}

TEST(PageableCopy, ErrorsOfCopiesAreReported) {
  const std::vector<unsigned> In = numbers(100000);
  std::vector<unsigned> Out(In.size());
  for (int Left : {0, 1, 7, 50}) {
    StagedRuntime R(2, 4);
    unsigned *D = toDevice(In);
    R.B->CopiesLeft = Left;
    EXPECT_EQ(
        __gridspan_cudaMemcpy(D, In.data(), 400000, cudaMemcpyHostToDevice),
        cudaErrorUnknown);
    R.B->CopiesLeft = Left;
    EXPECT_EQ(
        __gridspan_cudaMemcpy(Out.data(), D, 400000, cudaMemcpyDeviceToHost),
        cudaErrorUnknown);
    // The lanes still work.
    R.B->CopiesLeft = 1000000;
    ASSERT_EQ(
        __gridspan_cudaMemcpy(D, In.data(), 400000, cudaMemcpyHostToDevice),
        cudaSuccess);
    EXPECT_EQ(fromDevice(D, In.size()), In);
  }
}

TEST(PageableCopy, LeavesNoThreadsBehind) {
  StagedRuntime R(1, 4);
  const std::vector<unsigned> In = numbers(100000);
  const size_t Before = threadsOfProcess();
  unsigned *D = toDevice(In);
  for (int I = 0; I < 20; ++I)
    EXPECT_EQ(fromDevice(D, In.size()), In);
  // On the CPU device each stream that has had work has a thread: those of the
  // lanes, of which not all need have had a part of a copy, and the program's.
  constexpr size_t Queues = 4 + 1;
  EXPECT_LE(threadsOnceAtMost(Before + Queues), Before + Queues);
  // So that a forked process, which has one thread, just ends.
  const pid_t Child = fork();
  if (Child == 0)
    _exit(0);
  int Status = -1;
  EXPECT_EQ(waitpid(Child, &Status, 0), Child);
  EXPECT_EQ(Status, 0);
}
