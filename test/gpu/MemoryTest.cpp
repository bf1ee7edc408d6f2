//===- MemoryTest.cpp - Pages on GPUs and on the host ---------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/memory/MemoryManager.h"
#include "test/gpu/GpuTest.h"
#include <cstdlib>
#include <cuda_runtime_api.h>
#include <fmt/format.h>

using namespace gridspan;

namespace {

class GpuMemoryTest : public GpuTest {};

TEST_F(GpuMemoryTest, SystemIsDescribed) {
  const SystemInfo &S = backend().system();
  EXPECT_GE(S.PageSize, 4096u);
  EXPECT_EQ(S.PageSize & (S.PageSize - 1), 0u);
  ASSERT_EQ(S.FanOutSeconds.size(), numDevices() + 1);
  ASSERT_EQ(S.PeerBandwidth.size(), numDevices());
  for (const DeviceInfo &D : S.Devices) {
    EXPECT_GT(D.MemoryBytes, uint64_t(1) << 28);
    EXPECT_GT(D.MemoryBandwidth, 1e10);
    EXPECT_GT(D.InstructionRate, 1e10);
    EXPECT_GT(D.HostToDevice, 1e8);
    EXPECT_GT(D.DeviceToHost, 1e8);
    fmt::print(
        "{}: {:.1f} GiB, {:.0f} GB/s, {:.2f} Tinst/s, {} SMs, host {:.1f} "
        "GB/s in, {:.1f} out\n",
        D.Name, D.MemoryBytes / 1073741824.0, D.MemoryBandwidth / 1e9,
        D.InstructionRate / 1e12, D.Multiprocessors, D.HostToDevice / 1e9,
        D.DeviceToHost / 1e9);
  }
  for (unsigned I = 0; I < numDevices(); ++I)
    for (unsigned J = 0; J < numDevices(); ++J)
      if (I != J)
        fmt::print("GPU {} reads GPU {}: {:.0f} GB/s\n", I, J,
                   S.PeerBandwidth[I][J] / 1e9);
  for (unsigned N = 2; N <= numDevices(); ++N)
    fmt::print("splitting over {} adds {:.1f} us\n", N,
               S.FanOutSeconds[N] * 1e6);
  EXPECT_GT(S.PageMoveSeconds, 1e-7);
  EXPECT_LT(S.PageMoveSeconds, 1e-2);
  fmt::print("page {} KiB, {:.1f} us for another home, peer atomics {}\n",
             S.PageSize / 1024, S.PageMoveSeconds * 1e6, S.PeerAtomics);
}

TEST_F(GpuMemoryTest, ASecondBackendReadsTheCachedMeasurements) {
  std::string Message;
  auto Again = createCudaBackend({gpusUnderTest()}, Message);
  ASSERT_NE(Again, nullptr) << Message;
  EXPECT_EQ(Again->system().FanOutSeconds, backend().system().FanOutSeconds);
  EXPECT_EQ(Again->system().PeerBandwidth, backend().system().PeerBandwidth);
  EXPECT_EQ(Again->system().PageMoveSeconds,
            backend().system().PageMoveSeconds);
}

TEST_F(GpuMemoryTest, CopiesStraddleAllPlaces) {
  SpreadRange From(backend()), To(backend());
  ASSERT_NO_FATAL_FAILURE(From.create(everywhere(), 1));
  std::vector<Location> Backwards = everywhere();
  std::reverse(Backwards.begin(), Backwards.end());
  ASSERT_NO_FATAL_FAILURE(To.create(Backwards, 1));

  size_t Words = From.size() / 4;
  std::vector<unsigned> In = pattern(Words);
  store(From.words(), In);
  EXPECT_EQ(fetch(From.words(), Words), In);
  // From one striped range to another, not aligned to anything.
  ASSERT_OK(backend().fill(stream(0), To.bytes(), 0xff, To.size()));
  ASSERT_OK(backend().copy(stream(0), To.words() + 3, From.words() + 1,
                           (Words - 7) * 4));
  std::vector<unsigned> Expected(Words, 0xffffffffu);
  std::copy(In.begin() + 1, In.end() - 6, Expected.begin() + 3);
  EXPECT_EQ(fetch(To.words(), Words), Expected);
}

TEST_F(GpuMemoryTest, EveryDeviceCopiesEverything) {
  SpreadRange R(backend());
  ASSERT_NO_FATAL_FAILURE(R.create(everywhere(), 1));
  size_t Words = R.size() / 4;
  std::vector<unsigned> In = pattern(Words);
  for (unsigned I = 0; I < numDevices(); ++I) {
    In[0] = I;
    ASSERT_OK(backend().copy(stream(I), R.words(), In.data(), Words * 4));
    ASSERT_OK(backend().synchronize(stream(I)));
    EXPECT_EQ(fetch(R.words(), Words, I), In) << "device " << I;
  }
}

TEST_F(GpuMemoryTest, TwoDimensionalCopiesStraddle) {
  SpreadRange R(backend());
  ASSERT_NO_FATAL_FAILURE(R.create(everywhere(), 1));
  constexpr size_t Pitch = 3000, Width = 1204, Gap = 64;
  size_t Height = (R.size() - Width) / Pitch;
  std::vector<unsigned> In = pattern(Height * Width / 4);
  ASSERT_OK(backend().fill(stream(0), R.bytes(), 0, R.size()));
  ASSERT_OK(backend().copy2D(stream(0), R.bytes() + Gap, Pitch, In.data(),
                             Width, Width, Height));
  std::vector<unsigned> Out(In.size());
  ASSERT_OK(backend().copy2D(stream(0), Out.data(), Width, R.bytes() + Gap,
                             Pitch, Width, Height));
  ASSERT_OK(backend().synchronize(stream(0)));
  EXPECT_EQ(Out, In);
  std::vector<unsigned> Edge = fetch(R.bytes() + Gap + Width, 1);
  EXPECT_EQ(Edge[0], 0u) << "wrote between rows";
}

TEST_F(GpuMemoryTest, WithoutPeersCopiesGoThroughTheHost) {
  if (numDevices() < 2)
    GTEST_SKIP() << "one device";
  std::string Message;
  std::unique_ptr<Backend> B =
      createCudaBackend({gpusUnderTest(), 0, false}, Message);
  ASSERT_TRUE(B) << Message;
  // More than all buffers hold, so that they are used again.
  SpreadRange From(*B), To(*B);
  const size_t PagesEach = (size_t(40) << 20) / B->system().PageSize;
  ASSERT_NO_FATAL_FAILURE(From.create({0}, PagesEach));
  ASSERT_NO_FATAL_FAILURE(To.create({1}, PagesEach));
  std::unique_ptr<Stream> S[2];
  for (int I = 0; I < 2; ++I)
    ASSERT_OK(B->createStream(I, StreamKind::NonBlocking, 0, S[I]));
  const size_t Words = From.size() / 4;
  std::vector<unsigned> Out(Words);
  // In the order of a stream of either end.
  for (unsigned I = 0; I < 2; ++I) {
    std::vector<unsigned> In = pattern(Words);
    In[0] = I;
    ASSERT_OK(B->copy(*S[0], From.words(), In.data(), From.size()));
    ASSERT_OK(B->synchronize(*S[0]));
    ASSERT_OK(B->fill(*S[1], To.bytes(), 0, To.size()));
    ASSERT_OK(B->synchronize(*S[1]));
    ASSERT_OK(
        B->copy(*S[I], To.words() + 3, From.words() + 1, 4 * (Words - 7)));
    ASSERT_OK(B->synchronize(*S[I]));
    ASSERT_OK(B->copy(*S[1], Out.data(), To.bytes(), To.size()));
    ASSERT_OK(B->synchronize(*S[1]));
    std::vector<unsigned> Expected(Words);
    std::copy(In.begin() + 1, In.end() - 6, Expected.begin() + 3);
    EXPECT_EQ(Out, Expected) << "stream of device " << I;
    // Rows, both narrow and wider than a buffer.
    for (size_t Width : {size_t(1204), size_t(9) << 20}) {
      const size_t Pitch = Width + 4096, Height = (From.size() - Width) / Pitch;
      ASSERT_OK(B->fill(*S[1], To.bytes(), 0, To.size()));
      ASSERT_OK(B->synchronize(*S[1]));
      ASSERT_OK(B->copy2D(*S[I], To.bytes(), Pitch, From.bytes(), Pitch, Width,
                          Height));
      ASSERT_OK(B->synchronize(*S[I]));
      ASSERT_OK(B->copy(*S[1], Out.data(), To.bytes(), To.size()));
      ASSERT_OK(B->synchronize(*S[1]));
      for (size_t W = 0; W < Words; ++W) {
        const bool InRow = 4 * W % Pitch < Width && 4 * W / Pitch < Height;
        ASSERT_EQ(Out[W], InRow ? In[W] : 0) << "word " << W;
      }
    }
  }
}

TEST_F(GpuMemoryTest, TheHostReadsAndWritesHostPages) {
  SpreadRange R(backend());
  ASSERT_NO_FATAL_FAILURE(R.create({Host}, 1));
  R.words()[5] = 42;
  EXPECT_EQ(fetch(R.words() + 5, 1)[0], 42u);
  store(R.words() + 6, {43});
  EXPECT_EQ(R.words()[6], 43u);
}

TEST_F(GpuMemoryTest, KernelsReachPagesEverywhere) {
  SpreadRange R(backend());
  ASSERT_NO_FATAL_FAILURE(R.create(everywhere(), 2));
  size_t Words = R.size() / 4;
  ASSERT_OK(backend().fill(stream(0), R.bytes(), 0, R.size()));
  ASSERT_OK(backend().synchronize(stream(0)));
  unsigned Sum = 0;
  for (unsigned I = 0; I < numDevices(); ++I) {
    unsigned *P = R.words();
    unsigned V = I + 1;
    Sum += V;
    ASSERT_OK(launch(stream(I), AddKernel, dim3((Words + 255) / 256), dim3(256),
                     {&P, &Words, &V}));
    ASSERT_OK(backend().synchronize(stream(I)));
  }
  std::vector<unsigned> Expected(Words);
  for (size_t I = 0; I < Words; ++I)
    Expected[I] = Sum + numDevices() * unsigned(I);
  EXPECT_EQ(fetch(R.words(), Words), Expected);
}

TEST_F(GpuMemoryTest, APartIsReplacedAndTheRestKeepsItsContents) {
  Backend &B = backend();
  size_t Page = B.system().PageSize;
  for (Location Home : everywhere()) {
    SpreadRange R(B);
    ASSERT_NO_FATAL_FAILURE(R.create({Home}, 6));
    size_t PageWords = Page / 4, Words = 6 * PageWords;
    std::vector<unsigned> In = pattern(Words);
    store(R.words(), In);

    // Pages 2 and 3 go elsewhere and come back, together with page 1.
    ASSERT_OK(B.unmap(R.bytes() + 2 * Page, 2 * Page));
    std::unique_ptr<Pages> Other;
    ASSERT_OK(B.createPages(numDevices() - 1, 2 * Page, Other));
    ASSERT_OK(B.map(R.bytes() + 2 * Page, *Other, 0, 2 * Page));
    std::vector<unsigned> Middle(2 * PageWords, 99);
    store(R.bytes() + 2 * Page, Middle);
    std::copy(Middle.begin(), Middle.end(), In.begin() + 2 * PageWords);
    EXPECT_EQ(fetch(R.words(), Words), In) << "home " << Home;

    ASSERT_OK(B.unmap(R.bytes() + Page, 3 * Page));
    ASSERT_OK(B.map(R.bytes() + Page, R.pages(0), Page, 3 * Page));
    for (size_t I = 2 * PageWords; I < 4 * PageWords; ++I)
      In[I] = unsigned(3 * I);
    EXPECT_EQ(fetch(R.words(), Words), In) << "home " << Home;
  }
}

TEST_F(GpuMemoryTest, PagesAreMappedTwice) {
  Backend &B = backend();
  size_t Page = B.system().PageSize;
  SpreadRange R(B);
  ASSERT_NO_FATAL_FAILURE(R.create({0}, 4));
  void *Second = nullptr;
  ASSERT_OK(B.reserve(2 * Page, Second));
  ASSERT_OK(B.map(Second, R.pages(0), Page, 2 * Page));
  store(R.bytes() + Page, {5, 6, 7});
  EXPECT_EQ(fetch(Second, 3), (std::vector<unsigned>{5, 6, 7}));
  ASSERT_OK(B.unmap(Second, 2 * Page));
  B.release(Second, 2 * Page);
  EXPECT_EQ(fetch(R.bytes() + Page, 3), (std::vector<unsigned>{5, 6, 7}));
}

TEST_F(GpuMemoryTest, MappingDoesNotWaitForARunningKernel) {
  Backend &B = backend();
  void *Flag = nullptr;
  ASSERT_OK(B.hostAlloc(4, 0, Flag));
  auto *Value = static_cast<volatile int *>(Flag);
  *Value = 0;
  ASSERT_OK(launch(stream(0), WaitKernel, dim3(1), dim3(1), {&Flag}));
  {
    // A kernel that waits for us would make this hang, were it waited for.
    SpreadRange R(B);
    ASSERT_NO_FATAL_FAILURE(R.create(everywhere(), 1));
    EXPECT_EQ(B.query(stream(0)), cudaErrorNotReady);
  }
  EXPECT_EQ(B.query(stream(0)), cudaErrorNotReady);
  *Value = 1;
  ASSERT_OK(B.synchronize(stream(0)));
  ASSERT_OK(B.hostFree(Flag));
}

TEST_F(GpuMemoryTest, TheCapBoundsEachDevice) {
  CudaBackendOptions Options;
  Options.Devices = gpusUnderTest();
  size_t Page = backend().system().PageSize;
  Options.MemoryPerDevice = 4 * Page;
  std::string Message;
  auto Capped = createCudaBackend(Options, Message);
  ASSERT_NE(Capped, nullptr) << Message;
  size_t Free, Total;
  Capped->memoryInfo(0, Free, Total);
  EXPECT_EQ(Total, 4 * Page);
  EXPECT_EQ(Free, 4 * Page);
  std::unique_ptr<Pages> A, Over;
  ASSERT_OK(Capped->createPages(0, 3 * Page, A));
  EXPECT_EQ(Capped->createPages(0, 2 * Page, Over), cudaErrorMemoryAllocation);
  Capped->memoryInfo(0, Free, Total);
  EXPECT_EQ(Free, Page);
  A.reset();
  EXPECT_OK(Capped->createPages(0, 4 * Page, Over));
}

TEST_F(GpuMemoryTest, TooMuchIsOutOfMemoryAndHarmless) {
  std::unique_ptr<Pages> P;
  size_t Free, Total;
  backend().memoryInfo(0, Free, Total);
  size_t Page = backend().system().PageSize;
  EXPECT_EQ(backend().createPages(0, Total / Page * Page + (64 * Page), P),
            cudaErrorMemoryAllocation);
  size_t FreeAfter;
  backend().memoryInfo(0, FreeAfter, Total);
  EXPECT_EQ(FreeAfter, Free);
}

TEST_F(GpuMemoryTest, FreedRangesAreReusedAndHoldNewContents) {
  MemoryManager M(backend(), [](uint64_t) { return true; });
  constexpr uint64_t Bytes = uint64_t(64) << 20;
  void *First = nullptr;
  for (unsigned Round = 0; Round != 5; ++Round) {
    const Expected<void *> P = M.allocate(Bytes, AllocationKind::Device);
    ASSERT_OK(P.error());
    First = First ? First : *P;
    EXPECT_EQ(*P, First);
    ASSERT_OK(backend().fill(stream(0), *P, static_cast<int>(Round), Bytes));
    EXPECT_EQ(fetch(static_cast<std::byte *>(*P) + Bytes - 4, 1)[0],
              Round * 0x01010101u);
    EXPECT_OK(M.free(*P));
    // It is mapped, but no memory that CUDA knows.
    EXPECT_NE(cudaFree(*P), cudaSuccess);
    cudaGetLastError();
  }
  EXPECT_EQ(M.ranges().Mapped, 1U);
  EXPECT_EQ(M.ranges().Reused, 4U);
}

TEST_F(GpuMemoryTest, KeptRangesGiveWay) {
  MemoryManager M(backend(), [](uint64_t) { return false; });
  const MemoryManager::DeviceBytes Before = M.info();
  const size_t Page = backend().system().PageSize;
  const uint64_t Memory = backend().system().Devices[0].MemoryBytes;
  const uint64_t Bytes = Memory / 32 / Page * Page;
  std::vector<void *> All;
  for (unsigned I = 0; I != 4; ++I) {
    const Expected<void *> P = M.allocate(Bytes, AllocationKind::Device);
    ASSERT_OK(P.error());
    All.push_back(*P);
  }
  for (void *P : All)
    EXPECT_OK(M.free(P));
  // All but what the driver keeps for its own tables.
  EXPECT_GT(M.info().Free + (Bytes / 8), Before.Free);
  size_t Free = 0, Total = 0;
  backend().memoryInfo(0, Free, Total);
  EXPECT_LT(Free + 3 * Bytes, Before.Total);
  // As much as device 0 has is there although some is kept.
  const uint64_t Most = Memory / 16 * 15 / Page * Page;
  const Expected<void *> P = M.allocate(Most, AllocationKind::Device);
  ASSERT_OK(P.error());
  EXPECT_EQ(M.find(*P)->Homes.bytesAt(0, Most, 0), Most);
  EXPECT_GT(M.ranges().Unmapped, 0U);
  EXPECT_OK(M.free(*P));
  M.releaseKept();
  backend().memoryInfo(0, Free, Total);
  EXPECT_GT(Free + (Bytes / 8), Before.Total / numDevices() / 2);
}

TEST_F(GpuMemoryTest, PinnedMemoryIsKnown) {
  Backend &B = backend();
  void *P = nullptr;
  ASSERT_OK(B.hostAlloc(1 << 16, 0, P));
  EXPECT_TRUE(B.isPinned(P, 1 << 16));
  EXPECT_TRUE(B.isPinned(static_cast<char *>(P) + 100, 1000));
  EXPECT_FALSE(B.isPinned(P, size_t(1) << 30));
  ASSERT_OK(B.hostFree(P));

  std::vector<char> Plain(1 << 20);
  EXPECT_FALSE(B.isPinned(Plain.data(), Plain.size()));
  ASSERT_OK(B.hostRegister(Plain.data(), Plain.size(), 0));
  EXPECT_TRUE(B.isPinned(Plain.data(), Plain.size()));
  ASSERT_OK(B.hostUnregister(Plain.data()));
  EXPECT_FALSE(B.isPinned(Plain.data(), Plain.size()));
}

TEST_F(GpuMemoryTest, HostMemoryErrorsAreCudas) {
  Backend &B = backend();
  std::vector<char> Plain(1 << 16);
  EXPECT_EQ(B.hostUnregister(Plain.data()), cudaErrorHostMemoryNotRegistered);
  EXPECT_EQ(B.hostFree(Plain.data()), cudaErrorInvalidValue);
  void *P = nullptr;
  EXPECT_EQ(B.hostAlloc(size_t(1) << 60, 0, P), cudaErrorMemoryAllocation);
  EXPECT_EQ(B.vendorError(true), cudaSuccess);
}

} // namespace
