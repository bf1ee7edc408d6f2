//===- BackendConformance.cpp - The contract of every backend -------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tests of the interface's promises, on whatever backend they are instantiated
// with: memory at chosen addresses, streams and events, work in their order.
//
//===----------------------------------------------------------------------===//

#include "test/unit/runtime/backend/BackendConformance.h"
#include "runtime/backend/IndexTable.h"
#include "runtime/backend/RecordForm.h"
#include "runtime/backend/Reduction.h"
#include "runtime/backend/cpu/CpuTexture.h"
#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstring>
#include <cuda_runtime_api.h>
#include <future>
#include <limits>
#include <mutex>
#include <thread>

namespace gridspan {

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(BackendConformance);

struct BackendConformance::Gate {
  std::mutex Lock;
  std::condition_variable Opened;
  bool Open = false;
};

void BackendConformance::SetUp() {
  B = GetParam().Make();
  if (!B)
    GTEST_SKIP() << "no such devices here";
  Blocker = std::make_shared<Gate>();
}

void BackendConformance::TearDown() {
  if (!B)
    return;
  release();
  for (unsigned D = 0; D < numDevices(); ++D)
    EXPECT_EQ(B->synchronizeDevice(static_cast<int>(D)), cudaSuccess);
  for (Mapping &M : Mappings) {
    EXPECT_EQ(B->unmap(M.Address, M.Memory->bytes()), cudaSuccess);
    B->release(M.Address, M.Memory->bytes());
  }
}

std::byte *BackendConformance::allocate(Location Where, uint64_t Count) {
  Mapping M = {};
  EXPECT_EQ(B->createPages(Where, Count * page(), M.Memory), cudaSuccess);
  EXPECT_EQ(B->reserve(Count * page(), M.Address), cudaSuccess);
  EXPECT_EQ(B->map(M.Address, *M.Memory, 0, Count * page()), cudaSuccess);
  Mappings.push_back(std::move(M));
  return static_cast<std::byte *>(Mappings.back().Address);
}

std::unique_ptr<Stream> BackendConformance::stream(int Device,
                                                   StreamKind Kind) {
  std::unique_ptr<Stream> S;
  EXPECT_EQ(B->createStream(Device, Kind, 0, S), cudaSuccess);
  return S;
}

std::unique_ptr<Event> BackendConformance::event(int Device, unsigned Flags) {
  std::unique_ptr<Event> E;
  EXPECT_EQ(B->createEvent(Device, Flags, E), cudaSuccess);
  return E;
}

void BackendConformance::block(Stream &S) {
  EXPECT_EQ(B->hostFunction(S,
                            [G = Blocker] {
                              std::unique_lock Guard(G->Lock);
                              G->Opened.wait(Guard, [&] { return G->Open; });
                            }),
            cudaSuccess);
}

void BackendConformance::release() {
  std::unique_lock Guard(Blocker->Lock);
  Blocker->Open = true;
  Blocker->Opened.notify_all();
}

std::vector<unsigned char>
BackendConformance::read(Stream &S, const void *Address, size_t Bytes) {
  std::vector<unsigned char> Out(Bytes);
  EXPECT_EQ(B->copy(S, Out.data(), Address, Bytes), cudaSuccess);
  EXPECT_EQ(B->synchronize(S), cudaSuccess);
  return Out;
}

using Bytes = std::vector<unsigned char>;

//===--- System and memory ----------------------------------------------===//

TEST_P(BackendConformance, OtherProcessesCanMapPages) {
  std::unique_ptr<Pages> Ordinary;
  SharedPages None;
  ASSERT_EQ(B->createPages(0, page(), Ordinary), cudaSuccess);
  EXPECT_EQ(B->exportPages(*Ordinary, None), cudaErrorNotSupported);
  for (unsigned D = 0; D < numDevices(); ++D) {
    const auto Device = static_cast<int>(D);
    const size_t Size = 3 * page();
    std::unique_ptr<Pages> Own, Other;
    const cudaError_t Error = B->createShareablePages(Device, Size, Own);
    if (Error == cudaErrorNotSupported)
      GTEST_SKIP() << "the system has no files for memory of devices";
    ASSERT_EQ(Error, cudaSuccess);
    SharedPages Shared;
    ASSERT_EQ(B->exportPages(*Own, Shared), cudaSuccess);
    EXPECT_EQ(Shared.Bytes, Size);
    // The other process, as far as a process can tell.
    ASSERT_EQ(B->importPages(Shared, Other), cudaSuccess);
    // What is shared names the GPU, which may stand for several devices.
    const std::vector<int> &Gpus = GetParam().Gpus;
    if (Gpus.empty())
      EXPECT_EQ(Other->location(), Device);
    else
      EXPECT_EQ(Gpus.at(Other->location()), Gpus.at(Device));
    EXPECT_EQ(Other->bytes(), Size);
    void *First = nullptr, *Second = nullptr;
    ASSERT_EQ(B->reserve(Size, First), cudaSuccess);
    ASSERT_EQ(B->reserve(Size, Second), cudaSuccess);
    ASSERT_EQ(B->map(First, *Own, 0, Size), cudaSuccess);
    ASSERT_EQ(B->map(Second, *Other, 0, Size), cudaSuccess);
    std::unique_ptr<Stream> S = stream(Device);
    ASSERT_EQ(B->fill(*S, First, 7, Size), cudaSuccess);
    EXPECT_EQ(read(*S, Second, Size), Bytes(Size, 7));
    // What has been exported lives as long as somebody has it.
    ASSERT_EQ(B->unmap(First, Size), cudaSuccess);
    Own.reset();
    EXPECT_EQ(read(*S, Second, Size), Bytes(Size, 7));
    ASSERT_EQ(B->unmap(Second, Size), cudaSuccess);
    B->release(First, Size);
    B->release(Second, Size);
    Shared.Device.fill(std::byte(0xff));
    EXPECT_EQ(B->importPages(Shared, Other), cudaErrorInvalidDevice);
  }
}

TEST_P(BackendConformance, DescribesTheSystem) {
  const SystemInfo &S = B->system();
  ASSERT_GE(numDevices(), 1u);
  EXPECT_TRUE(page() && (page() & (page() - 1)) == 0);
  EXPECT_EQ(S.PeerBandwidth.size(), numDevices());
  EXPECT_GT(S.FanOutSeconds.size(), numDevices());
  for (const DeviceInfo &D : S.Devices) {
    EXPECT_FALSE(D.Name.empty());
    EXPECT_GT(D.MemoryBytes, 0u);
    EXPECT_GT(D.MemoryBandwidth, 0);
    EXPECT_GT(D.InstructionRate, 0);
    EXPECT_GT(D.HostToDevice, 0);
    EXPECT_GT(D.DeviceToHost, 0);
  }
}

TEST_P(BackendConformance, ReservationsDoNotOverlap) {
  void *A = nullptr, *C = nullptr;
  ASSERT_EQ(B->reserve(4 * page(), A), cudaSuccess);
  ASSERT_EQ(B->reserve(4 * page(), C), cudaSuccess);
  auto X = reinterpret_cast<uintptr_t>(A), Y = reinterpret_cast<uintptr_t>(C);
  EXPECT_TRUE(X + 4 * page() <= Y || Y + 4 * page() <= X);
  EXPECT_EQ(X % page(), 0u);
  B->release(A, 4 * page());
  B->release(C, 4 * page());
}

TEST_P(BackendConformance, ReservesChosenAddresses) {
  // Where no process has anything of its own.
  auto *At = reinterpret_cast<std::byte *>(0x7d0000000000);
  const size_t Page = page();
  const cudaError_t First = B->reserveAt(At, Page);
  if (First == cudaErrorNotSupported)
    GTEST_SKIP() << "addresses cannot be chosen";
  ASSERT_EQ(First, cudaSuccess);
  EXPECT_EQ(B->reserveAt(At, Page), cudaErrorMemoryAllocation);
  ASSERT_EQ(B->reserveAt(At + Page, 2 * Page), cudaSuccess);
  EXPECT_EQ(B->reserveAt(At + 2 * Page, 2 * Page), cudaErrorMemoryAllocation);
  std::unique_ptr<Pages> P;
  ASSERT_EQ(B->createPages(0, 2 * Page, P), cudaSuccess);
  ASSERT_EQ(B->map(At + Page, *P, 0, 2 * Page), cudaSuccess);
  std::unique_ptr<Stream> S = stream(0);
  ASSERT_EQ(B->fill(*S, At + Page, 5, 2 * Page), cudaSuccess);
  EXPECT_EQ(read(*S, At + Page, 2 * Page), Bytes(2 * Page, 5));
  ASSERT_EQ(B->unmap(At + Page, 2 * Page), cudaSuccess);
  B->release(At + Page, 2 * Page);
  ASSERT_EQ(B->reserveAt(At + 2 * Page, 2 * Page), cudaSuccess);
  B->release(At + 2 * Page, 2 * Page);
  // Longer than a unit, and directly behind another range.
  const size_t Long = Backend::ReservationUnit + Page;
  B->release(At, Page);
  ASSERT_EQ(B->reserveAt(At, Long), cudaSuccess);
  ASSERT_EQ(B->reserveAt(At + Long, Page), cudaSuccess);
  B->release(At, Long);
  B->release(At + Long, Page);
}

TEST_P(BackendConformance, PagesKnowWhereTheyAre) {
  for (int D = Host; D < static_cast<int>(numDevices()); ++D) {
    std::unique_ptr<Pages> P;
    ASSERT_EQ(B->createPages(D, 2 * page(), P), cudaSuccess);
    EXPECT_EQ(P->location(), D);
    EXPECT_EQ(P->bytes(), 2 * page());
  }
}

TEST_P(BackendConformance, UnifiedMemoryIsEverybodys) {
  const uint64_t Size = 4 * page();
  void *Address = nullptr;
  const cudaError_t Error = B->unifiedAlloc(Size, Address);
  if (Error == cudaErrorNotSupported)
    GTEST_SKIP() << "no unified memory here";
  ASSERT_EQ(Error, cudaSuccess);
  auto *P = static_cast<unsigned char *>(Address);
  EXPECT_EQ(std::count(P, P + Size, 0), static_cast<ptrdiff_t>(Size));
  EXPECT_FALSE(B->isPageable(P, Size));
  const int Last = static_cast<int>(numDevices()) - 1;
  size_t Before = 0, During = 0, Total = 0;
  B->memoryInfo(Last, Before, Total);
  ASSERT_EQ(B->preferHome(P, Size, Host, Last), cudaSuccess);
  B->memoryInfo(Last, During, Total);
  EXPECT_LE(During, Before);
  EXPECT_EQ(B->preferHome(P, Total + page(), Host, Last),
            cudaErrorMemoryAllocation);
  for (int D = 0; D <= Last; ++D) {
    std::unique_ptr<Stream> S = stream(D);
    EXPECT_EQ(B->advise(P, Size, cudaMemAdviseSetReadMostly, Host),
              cudaSuccess);
    EXPECT_EQ(B->advise(P, Size, cudaMemAdviseUnsetReadMostly, Host),
              cudaSuccess);
    EXPECT_EQ(B->prefetch(*S, P, Size, D), cudaSuccess);
    ASSERT_EQ(B->fill(*S, P, D + 1, Size), cudaSuccess);
    ASSERT_EQ(B->synchronize(*S), cudaSuccess);
    EXPECT_EQ(std::count(P, P + Size, D + 1), static_cast<ptrdiff_t>(Size));
    P[Size - 1] = 77;
    EXPECT_EQ(read(*S, P + Size - 2, 2),
              (Bytes{static_cast<unsigned char>(D + 1), 77}));
    EXPECT_EQ(B->prefetch(*S, P, Size, Host), cudaSuccess);
    EXPECT_EQ(B->synchronize(*S), cudaSuccess);
  }
  EXPECT_EQ(B->preferHome(P, Size, Last, Host), cudaSuccess);
  EXPECT_EQ(B->unifiedFree(P), cudaSuccess);
}

TEST_P(BackendConformance, MemoryIsAccounted) {
  size_t Before = 0, During = 0, After = 0, Total = 0;
  const uint64_t Size = 16 * page();
  B->memoryInfo(0, Before, Total);
  EXPECT_LE(Before, Total);
  {
    std::unique_ptr<Pages> P;
    ASSERT_EQ(B->createPages(0, Size, P), cudaSuccess);
    B->memoryInfo(0, During, Total);
  }
  B->memoryInfo(0, After, Total);
  EXPECT_LE(During + Size, Before);
  EXPECT_GE(After, During + Size);
}

TEST_P(BackendConformance, TooMuchMemoryIsAnError) {
  std::unique_ptr<Pages> P;
  size_t Free = 0, Total = 0;
  B->memoryInfo(0, Free, Total);
  EXPECT_EQ(B->createPages(0, (Total / page() + 1) * page(), P),
            cudaErrorMemoryAllocation);
  EXPECT_EQ(P, nullptr);
}

TEST_P(BackendConformance, HostPagesAreTheHosts) {
  auto S = stream(0);
  auto *M = reinterpret_cast<unsigned char *>(allocate(Host));
  M[0] = 7;
  M[page() - 1] = 9;
  EXPECT_EQ(read(*S, M, 1)[0], 7);
  EXPECT_EQ(read(*S, M + page() - 1, 1)[0], 9);
}

TEST_P(BackendConformance, DevicesReachHostPagesThatAreForThem) {
  for (unsigned D = 0; D < numDevices(); ++D) {
    const auto Device = static_cast<int>(D);
    auto S = stream(Device);
    std::unique_ptr<Pages> P;
    void *Address = nullptr;
    ASSERT_EQ(B->reserve(page(), Address), cudaSuccess);
    ASSERT_EQ(B->createHostPagesFor(Device, page(), P), cudaSuccess);
    EXPECT_TRUE(P->location() == Host || P->location() == Device);
    ASSERT_EQ(B->map(Address, *P, 0, page()), cudaSuccess);
    ASSERT_EQ(B->fill(*S, Address, static_cast<int>(D + 3), page()),
              cudaSuccess);
    EXPECT_EQ(read(*S, Address, page()),
              Bytes(page(), static_cast<unsigned char>(D + 3)));
    ASSERT_EQ(B->unmap(Address, page()), cudaSuccess);
    B->release(Address, page());
  }
}

TEST_P(BackendConformance, OneRangeMayHavePagesEverywhere) {
  const unsigned N = numDevices();
  void *Address = nullptr;
  ASSERT_EQ(B->reserve(N * page(), Address), cudaSuccess);
  auto *At = static_cast<std::byte *>(Address);
  std::vector<std::unique_ptr<Pages>> Memory(N);
  for (unsigned D = 0; D < N; ++D) {
    ASSERT_EQ(B->createPages(static_cast<int>(D), page(), Memory[D]),
              cudaSuccess);
    ASSERT_EQ(B->map(At + D * page(), *Memory[D], 0, page()), cudaSuccess);
  }
  // Each by its own device, as there may be no peer access.
  for (unsigned D = 0; D < N; ++D) {
    auto S = stream(static_cast<int>(D));
    ASSERT_EQ(B->fill(*S, At + D * page(), static_cast<int>(D + 1), page()),
              cudaSuccess);
    EXPECT_EQ(read(*S, At + D * page(), page()),
              Bytes(page(), static_cast<unsigned char>(D + 1)));
  }
  ASSERT_EQ(B->unmap(At, N * page()), cudaSuccess);
  B->release(Address, N * page());
}

TEST_P(BackendConformance, PagesKeepTheirContentsWhenRemapped) {
  auto S = stream(0);
  std::unique_ptr<Pages> P;
  void *A = nullptr, *C = nullptr;
  ASSERT_EQ(B->createPages(0, 2 * page(), P), cudaSuccess);
  ASSERT_EQ(B->reserve(2 * page(), A), cudaSuccess);
  ASSERT_EQ(B->map(A, *P, 0, 2 * page()), cudaSuccess);
  auto *At = static_cast<std::byte *>(A);
  ASSERT_EQ(B->fill(*S, At, 1, page()), cudaSuccess);
  ASSERT_EQ(B->fill(*S, At + page(), 2, page()), cudaSuccess);
  ASSERT_EQ(B->synchronize(*S), cudaSuccess);
  ASSERT_EQ(B->unmap(A, 2 * page()), cudaSuccess);
  B->release(A, 2 * page());
  ASSERT_EQ(B->reserve(2 * page(), C), cudaSuccess);
  ASSERT_EQ(B->map(C, *P, 0, 2 * page()), cudaSuccess);
  EXPECT_EQ(read(*S, C, 1), Bytes{1});
  EXPECT_EQ(read(*S, static_cast<std::byte *>(C) + page(), 1), Bytes{2});
  ASSERT_EQ(B->unmap(C, 2 * page()), cudaSuccess);
  B->release(C, 2 * page());
}

//===--- Indices --------------------------------------------------------===//

namespace {
/// Makes Count integers, some near the ends of their type, and the bounds of
/// each PerLeaf of them.
template <typename Int> struct Integers {
  std::vector<Int> Values;
  std::vector<IndexBounds> Bounds;

  Integers(size_t Count, size_t PerLeaf) : Bounds((Count - 1) / PerLeaf + 1) {
    using Limits = std::numeric_limits<Int>;
    for (size_t I = 0; I < Count; ++I)
      Values.push_back(I % 577 == 3   ? Limits::min()
                       : I % 991 == 5 ? Limits::max()
                                      : static_cast<Int>(I * 37 - 4000));
    scanIndices(Values.data(), Count, sizeof(Int), PerLeaf, Bounds.data());
  }
};
} // namespace

TEST_P(BackendConformance, BoundsOfIndices) {
  auto S = stream(0);
  void *Pinned = nullptr;
  ASSERT_EQ(B->hostAlloc(1 << 20, 0, Pinned), cudaSuccess);
  auto Check = [&]<typename Int>(Int, size_t Count, size_t PerLeaf,
                                 Location Where) {
    const Integers<Int> Want(Count, PerLeaf);
    std::byte *M = allocate(Where);
    // Starts within a page.
    std::byte *At = M + 16 * sizeof(Int);
    ASSERT_LE(16 * sizeof(Int) + Count * sizeof(Int), page());
    ASSERT_EQ(B->copy(*S, At, Want.Values.data(), Count * sizeof(Int)),
              cudaSuccess);
    ASSERT_EQ(B->indexBounds(*S, At, Count, sizeof(Int), PerLeaf,
                             static_cast<IndexBounds *>(Pinned)),
              cudaSuccess);
    ASSERT_EQ(B->synchronize(*S), cudaSuccess);
    EXPECT_EQ(std::memcmp(Pinned, Want.Bounds.data(),
                          Want.Bounds.size() * sizeof(IndexBounds)),
              0)
        << sizeof(Int) << " bytes, " << Count << " by " << PerLeaf << " at "
        << Where;
  };
  const auto Last = static_cast<Location>(numDevices() - 1);
  for (Location Where : {Location(0), Last}) {
    if (Where != 0 && !(B->system().PeerBandwidth[0][Where] > 0))
      continue;
    for (size_t PerLeaf : {1u, 64u, 4096u}) {
      Check(int8_t(), 401, PerLeaf, Where);
      Check(int16_t(), 400, PerLeaf, Where);
      Check(int32_t(), 401, PerLeaf, Where);
      Check(int64_t(), 400, PerLeaf, Where);
    }
    Check(int32_t(), 1, 64, Where);
  }
  EXPECT_EQ(B->hostFree(Pinned), cudaSuccess);
}

TEST_P(BackendConformance, BoundsOfIndicesAreInStreamOrder) {
  auto S = stream(0);
  auto *M = allocate(0);
  void *Pinned = nullptr;
  ASSERT_EQ(B->hostAlloc(sizeof(IndexBounds), 0, Pinned), cudaSuccess);
  auto *Bounds = static_cast<IndexBounds *>(Pinned);
  *Bounds = {};
  // The first use may wait for the device.
  ASSERT_EQ(B->indexBounds(*S, M, 64, 4, 64, Bounds), cudaSuccess);
  ASSERT_EQ(B->synchronize(*S), cudaSuccess);
  ASSERT_EQ(B->fill(*S, M, 0, 256), cudaSuccess);
  block(*S);
  ASSERT_EQ(B->fill(*S, M, 1, 256), cudaSuccess);
  ASSERT_EQ(B->indexBounds(*S, M, 64, 4, 64, Bounds), cudaSuccess);
  ASSERT_EQ(B->fill(*S, M, 2, 256), cudaSuccess);
  EXPECT_EQ(B->query(*S), cudaErrorNotReady);
  release();
  ASSERT_EQ(B->synchronize(*S), cudaSuccess);
  EXPECT_EQ(Bounds->Min, 0x01010101);
  EXPECT_EQ(Bounds->Max, 0x01010101);
  EXPECT_EQ(B->hostFree(Pinned), cudaSuccess);
}

//===--- Reductions -----------------------------------------------------===//

namespace {

/// Values of an operation's type, with its identity and its limits.
template <typename T>
std::vector<T> valuesToReduce(size_t Count, T Identity, unsigned Seed) {
  std::vector<T> Out(Count);
  for (size_t I = 0; I < Count; ++I)
    Out[I] = I % 5 == Seed ? Identity : static_cast<T>((I + Seed) * 977 % 4099);
  if constexpr (std::is_integral_v<T>) {
    Out[0] = std::numeric_limits<T>::min();
    Out[1] = std::numeric_limits<T>::max();
    Out[2] = static_cast<T>(-7);
  }
  return Out;
}

cudaError_t combineOne(Backend &B, Stream &S, GridspanReduction Kind,
                       void *Into, const void *From, uint64_t Count) {
  return B.combine(S, Kind, Into, {&From, 1}, Count);
}

constexpr GridspanReduction AllReductions[] = {
#define GRIDSPAN_REDUCTION(Kind, Name, Type, Identity, Combined)               \
  GridspanReduction::Kind,
#include "gridspan/Reductions.def"
};

} // namespace

TEST_P(BackendConformance, FillsIdentities) {
  const auto Last = static_cast<int>(numDevices() - 1);
  for (const int Device : {0, Last}) {
    auto S = stream(Device);
    auto *M = allocate(Device);
    for (const GridspanReduction Kind : AllReductions) {
      const unsigned Size = elementBytes(Kind);
      const uint64_t Count = page() / Size / 2 - 3;
      ASSERT_EQ(B->fill(*S, M, 0x5a, page()), cudaSuccess);
      ASSERT_EQ(B->fillIdentity(*S, Kind, M + Size, Count), cudaSuccess);
      Bytes Want(page(), 0x5a);
      fillIdentityOnHost(Kind, Want.data() + Size, Count);
      EXPECT_EQ(read(*S, M, page()), Want) << static_cast<int>(Kind);
    }
    EXPECT_EQ(B->fillIdentity(*S, GridspanReduction::None, M, 1),
              cudaErrorInvalidValue);
    EXPECT_EQ(B->fillIdentity(*S, GridspanReduction::AddU32, M, 0),
              cudaSuccess);
  }
}

TEST_P(BackendConformance, CombinesByEveryOperation) {
  const auto Last = static_cast<int>(numDevices() - 1);
  // Into its own memory, from its own and from another device's.
  for (const int From : {0, Last}) {
    if (From != 0 && !(B->system().PeerBandwidth[0][From] > 0))
      continue;
    auto S = stream(0);
    auto *Into = allocate(0);
    auto *Part = allocate(From);
    auto Check = [&]<typename T>(GridspanReduction Kind, T Identity,
                                 auto Combine) {
      // Not a multiple of what a block does.
      const size_t Count = std::min<size_t>(page() / sizeof(T) - 1, 70001);
      std::vector<T> Want = valuesToReduce<T>(Count, Identity, 0);
      const std::vector<T> With = valuesToReduce<T>(Count, Identity, 1);
      const size_t Size = Count * sizeof(T);
      ASSERT_EQ(B->copy(*S, Into + sizeof(T), Want.data(), Size), cudaSuccess);
      ASSERT_EQ(B->copy(*S, Part, With.data(), Size), cudaSuccess);
      ASSERT_EQ(combineOne(*B, *S, Kind, Into + sizeof(T), Part, Count),
                cudaSuccess);
      for (size_t I = 0; I < Count; ++I)
        Want[I] = Combine(Want[I], With[I]);
      Bytes Wanted(Size);
      std::memcpy(Wanted.data(), Want.data(), Size);
      EXPECT_EQ(read(*S, Into + sizeof(T), Size), Wanted)
          << static_cast<int>(Kind) << " from " << From;
      // More than go into one kernel, of the same copy.
      const std::vector<const void *> Many(11, Part);
      ASSERT_EQ(B->combine(*S, Kind, Into + sizeof(T), Many, Count),
                cudaSuccess);
      for (size_t N = 0; N != Many.size(); ++N)
        for (size_t I = 0; I < Count; ++I)
          Want[I] = Combine(Want[I], With[I]);
      std::memcpy(Wanted.data(), Want.data(), Size);
      EXPECT_EQ(read(*S, Into + sizeof(T), Size), Wanted)
          << static_cast<int>(Kind) << " from all of " << From;
    };
#define GRIDSPAN_REDUCTION(Kind, Name, Type, Identity, Combined)               \
  Check(GridspanReduction::Kind, static_cast<Type>(Identity),                  \
        [](Type A, Type B) -> Type { return Combined; });
#include "gridspan/Reductions.def"
    EXPECT_EQ(combineOne(*B, *S, GridspanReduction::None, Into, Part, 1),
              cudaErrorInvalidValue);
    EXPECT_EQ(combineOne(*B, *S, GridspanReduction::AddU32, Into, Part, 0),
              cudaSuccess);
  }
}

TEST_P(BackendConformance, ConvertsRecords) {
  // Words of 8, 4, 2 and 1 bytes; records that a warp's worth of does not fit
  // into shared memory; a part of a record at the end.
  const RecordForm Forms[] = {{24, {0, 8}},
                              {28, {0, 4, 16, 20}},
                              {6, {0, 2, 4}},
                              {7, {0, 1, 3}},
                              {2000, {0, 4, 1996}}};
  auto S = stream(0);
  for (const RecordForm &Form : Forms)
    for (const uint64_t Size :
         {uint64_t(1), uint64_t(Form.RecordBytes) * 300, uint64_t(100003)}) {
      const uint64_t Room = Form.roomFor(Size) * Form.RecordBytes;
      auto *Records = allocate(0, Size / page() + 1);
      auto *Fields = allocate(0, Room / page() + 1);
      Bytes Contents(Size), Want(Room);
      for (uint64_t I = 0; I != Size; ++I)
        Contents[I] = static_cast<unsigned char>(I * 31 + I / 255);
      ASSERT_EQ(B->copy(*S, Records, Contents.data(), Size), cudaSuccess);
      ASSERT_EQ(B->fill(*S, Fields, 0, Room), cudaSuccess);
      ASSERT_EQ(B->convertRecords(*S, Form, FormDirection::ToFields, Records,
                                  Fields, Size),
                cudaSuccess);
      Bytes Source = Contents;
      convertRecordsOnHost(Form, FormDirection::ToFields,
                           reinterpret_cast<std::byte *>(Source.data()),
                           reinterpret_cast<std::byte *>(Want.data()), Size);
      EXPECT_EQ(read(*S, Fields, Room), Want) << Form.RecordBytes;
      ASSERT_EQ(B->fill(*S, Records, 0, Size), cudaSuccess);
      ASSERT_EQ(B->convertRecords(*S, Form, FormDirection::ToRecords, Records,
                                  Fields, Size),
                cudaSuccess);
      EXPECT_EQ(read(*S, Records, Size), Contents) << Form.RecordBytes;
    }
}

TEST_P(BackendConformance, CombinesMoreThanThreadsAtATime) {
  size_t Free = 0, Total = 0;
  B->memoryInfo(0, Free, Total);
  const uint64_t Pages =
      std::min<uint64_t>((uint64_t(40) << 20) / page() + 1, Free / 3 / page());
  auto S = stream(0);
  auto *Into = allocate(0, Pages), *Part = allocate(0, Pages);
  const uint64_t Count = Pages * page() / 4;
  ASSERT_EQ(B->fill(*S, Into, 1, Pages * page()), cudaSuccess);
  ASSERT_EQ(B->fill(*S, Part, 2, Pages * page()), cudaSuccess);
  ASSERT_EQ(combineOne(*B, *S, GridspanReduction::AddU32, Into, Part, Count),
            cudaSuccess);
  const Bytes Got = read(*S, Into, Pages * page());
  EXPECT_EQ(std::count(Got.begin(), Got.end(), 3),
            static_cast<ptrdiff_t>(Got.size()));
  ASSERT_EQ(B->fillIdentity(*S, GridspanReduction::AndB32, Into, Count),
            cudaSuccess);
  const Bytes Filled = read(*S, Into, Pages * page());
  EXPECT_EQ(std::count(Filled.begin(), Filled.end(), 0xff),
            static_cast<ptrdiff_t>(Filled.size()));
}

TEST_P(BackendConformance, CombinesInStreamOrderAndAtomically) {
  const auto Last = static_cast<int>(numDevices() - 1);
  if (Last != 0 && !(B->system().PeerAtomics && B->system().allReachAll()))
    GTEST_SKIP() << "no atomics between devices";
  auto S = stream(0), T = stream(Last);
  auto *Into = allocate(0), *Part = allocate(Last);
  constexpr unsigned Rounds = 50;
  const uint64_t Count = std::min<uint64_t>(page() / 4, 4096);
  ASSERT_EQ(B->fill(*S, Into, 0, page()), cudaSuccess);
  ASSERT_EQ(B->fill(*T, Part, 0, page()), cudaSuccess);
  // Both streams use what the other one has filled.
  ASSERT_EQ(B->synchronize(*S), cudaSuccess);
  ASSERT_EQ(B->synchronize(*T), cudaSuccess);
  // The first use may wait for the device.
  ASSERT_EQ(combineOne(*B, *S, GridspanReduction::AddU32, Into, Part, Count),
            cudaSuccess);
  ASSERT_EQ(combineOne(*B, *T, GridspanReduction::AddU32, Into, Part, Count),
            cudaSuccess);
  ASSERT_EQ(B->synchronize(*S), cudaSuccess);
  ASSERT_EQ(B->synchronize(*T), cudaSuccess);
  block(*T);
  ASSERT_EQ(B->fill(*T, Part, 1, page()), cudaSuccess);
  auto Filled = event(Last);
  ASSERT_EQ(B->record(*Filled, *T), cudaSuccess);
  ASSERT_EQ(B->wait(*S, *Filled), cudaSuccess);
  for (unsigned I = 0; I < Rounds; ++I)
    for (Stream *On : {S.get(), T.get()})
      ASSERT_EQ(
          combineOne(*B, *On, GridspanReduction::AddU32, Into, Part, Count),
          cudaSuccess);
  EXPECT_EQ(B->query(*S), cudaErrorNotReady);
  release();
  ASSERT_EQ(B->synchronize(*T), cudaSuccess);
  const Bytes Got = read(*S, Into, Count * 4);
  const auto *Sums = reinterpret_cast<const uint32_t *>(Got.data());
  EXPECT_EQ(std::count(Sums, Sums + Count, 2 * Rounds * 0x01010101u),
            static_cast<ptrdiff_t>(Count));
}

//===--- Host memory ----------------------------------------------------===//

TEST_P(BackendConformance, PinnedMemory) {
  void *P = nullptr;
  ASSERT_EQ(B->hostAlloc(5000, cudaHostAllocDefault, P), cudaSuccess);
  static_cast<char *>(P)[4999] = 1;
  EXPECT_TRUE(B->isPinned(P, 5000));
  EXPECT_TRUE(B->isPinned(static_cast<char *>(P) + 100, 4900));
  int OnTheStack = 0;
  EXPECT_FALSE(B->isPinned(&OnTheStack, sizeof(OnTheStack)));
  EXPECT_EQ(B->hostFree(P), cudaSuccess);
  EXPECT_FALSE(B->isPinned(P, 1));
  EXPECT_EQ(B->hostFree(P), cudaErrorInvalidValue);
  EXPECT_EQ(B->hostFree(&OnTheStack), cudaErrorInvalidValue);
}

TEST_P(BackendConformance, PageableMemoryIsWhatNobodyHasTold) {
  std::vector<char> Ordinary(1 << 16);
  EXPECT_TRUE(B->isPageable(Ordinary.data(), Ordinary.size()));
  ASSERT_EQ(B->hostRegister(Ordinary.data(), Ordinary.size(),
                            cudaHostRegisterDefault),
            cudaSuccess);
  EXPECT_FALSE(B->isPageable(Ordinary.data(), Ordinary.size()));
  EXPECT_EQ(B->hostUnregister(Ordinary.data()), cudaSuccess);
  EXPECT_TRUE(B->isPageable(Ordinary.data(), 1));
  void *Pinned = nullptr;
  ASSERT_EQ(B->hostAlloc(5000, cudaHostAllocDefault, Pinned), cudaSuccess);
  EXPECT_FALSE(B->isPageable(static_cast<char *>(Pinned) + 1, 4999));
  EXPECT_EQ(B->hostFree(Pinned), cudaSuccess);
  for (Location Where : {0, Host}) {
    std::unique_ptr<Pages> P;
    void *A = nullptr;
    ASSERT_EQ(B->reserve(page(), A), cudaSuccess);
    ASSERT_EQ(B->createPages(Where, page(), P), cudaSuccess);
    ASSERT_EQ(B->map(A, *P, 0, page()), cudaSuccess);
    EXPECT_FALSE(B->isPageable(static_cast<char *>(A) + 1, page() - 1));
    ASSERT_EQ(B->unmap(A, page()), cudaSuccess);
    B->release(A, page());
  }
}

TEST_P(BackendConformance, TooMuchPinnedMemoryIsAnError) {
  void *P = nullptr;
  EXPECT_EQ(B->hostAlloc(size_t(1) << 60, cudaHostAllocDefault, P),
            cudaErrorMemoryAllocation);
}

TEST_P(BackendConformance, RegisteredMemory) {
  std::vector<char> Memory(1 << 16);
  EXPECT_EQ(B->hostUnregister(Memory.data()), cudaErrorHostMemoryNotRegistered);
  ASSERT_EQ(
      B->hostRegister(Memory.data(), Memory.size(), cudaHostRegisterDefault),
      cudaSuccess);
  EXPECT_TRUE(B->isPinned(Memory.data(), Memory.size()));
  EXPECT_EQ(
      B->hostRegister(Memory.data(), Memory.size(), cudaHostRegisterDefault),
      cudaErrorHostMemoryAlreadyRegistered);
  EXPECT_EQ(B->hostUnregister(Memory.data()), cudaSuccess);
  EXPECT_FALSE(B->isPinned(Memory.data(), 1));
}

//===--- Streams and events ---------------------------------------------===//

TEST_P(BackendConformance, StreamsAreAsynchronous) {
  auto S = stream(0);
  block(*S);
  EXPECT_EQ(B->query(*S), cudaErrorNotReady);
  release();
  EXPECT_EQ(B->synchronize(*S), cudaSuccess);
  EXPECT_EQ(B->query(*S), cudaSuccess);
}

TEST_P(BackendConformance, StreamsKnowTheirDevice) {
  for (unsigned D = 0; D < numDevices(); ++D)
    EXPECT_EQ(stream(static_cast<int>(D))->device(), static_cast<int>(D));
}

TEST_P(BackendConformance, StreamsRunInOrder) {
  auto S = stream(0);
  std::vector<int> Order;
  for (int I = 0; I < 50; ++I)
    ASSERT_EQ(B->hostFunction(*S, [&Order, I] { Order.push_back(I); }),
              cudaSuccess);
  ASSERT_EQ(B->synchronize(*S), cudaSuccess);
  ASSERT_EQ(Order.size(), 50u);
  EXPECT_TRUE(std::is_sorted(Order.begin(), Order.end()));
}

TEST_P(BackendConformance, NonBlockingStreamsDoNotWaitForEachOther) {
  auto Slow = stream(0), Fast = stream(0);
  auto *M = allocate(0);
  block(*Slow);
  // A kernel, as host functions of all streams may run one after the other.
  ASSERT_EQ(B->fill(*Fast, M, 1, page()), cudaSuccess);
  EXPECT_EQ(B->synchronize(*Fast), cudaSuccess);
  EXPECT_EQ(B->query(*Slow), cudaErrorNotReady);
  release();
}

TEST_P(BackendConformance, StreamsWaitForWords) {
  auto Waiting = stream(0), Free = stream(0);
  void *Memory = nullptr;
  ASSERT_EQ(B->hostAlloc(sizeof(uint64_t), 0, Memory), cudaSuccess);
  auto &Word = *static_cast<uint64_t *>(Memory);
  Word = 6;
  if (!B->system().StreamsWaitForWords) {
    EXPECT_EQ(B->waitForWord(*Waiting, &Word, 5), cudaErrorNotSupported);
  } else {
    EXPECT_EQ(B->waitForWord(*Waiting, &Word, 5), cudaSuccess);
    EXPECT_EQ(B->synchronize(*Waiting), cudaSuccess);
    EXPECT_EQ(B->waitForWord(*Waiting, &Word, uint64_t(1) << 40), cudaSuccess);
    bool Ran = false;
    EXPECT_EQ(B->hostFunction(*Free, [&] { Ran = true; }), cudaSuccess);
    EXPECT_EQ(B->synchronize(*Free), cudaSuccess);
    EXPECT_TRUE(Ran);
    EXPECT_EQ(B->query(*Waiting), cudaErrorNotReady);
    std::atomic_ref(Word).store(uint64_t(1) << 40);
    EXPECT_EQ(B->synchronize(*Waiting), cudaSuccess);
  }
  EXPECT_EQ(B->hostFree(Memory), cudaSuccess);
}

TEST_P(BackendConformance, TheLegacyStreamWaitsForBlockingStreams) {
  auto Legacy = stream(0, StreamKind::LegacyDefault);
  auto Blocking = stream(0, StreamKind::Blocking);
  block(*Blocking);
  auto *M = allocate(0);
  ASSERT_EQ(B->fill(*Legacy, M, 1, page()), cudaSuccess);
  EXPECT_EQ(B->query(*Legacy), cudaErrorNotReady);
  release();
  EXPECT_EQ(B->synchronize(*Legacy), cudaSuccess);
  EXPECT_EQ(B->query(*Blocking), cudaSuccess);
}

TEST_P(BackendConformance, BlockingStreamsWaitForTheLegacyStream) {
  auto Legacy = stream(0, StreamKind::LegacyDefault);
  auto Blocking = stream(0, StreamKind::Blocking);
  auto Free = stream(0, StreamKind::NonBlocking);
  block(*Legacy);
  auto *M = allocate(0), *N = allocate(0);
  ASSERT_EQ(B->fill(*Blocking, M, 1, page()), cudaSuccess);
  ASSERT_EQ(B->fill(*Free, N, 1, page()), cudaSuccess);
  EXPECT_EQ(B->synchronize(*Free), cudaSuccess);
  EXPECT_EQ(B->query(*Blocking), cudaErrorNotReady);
  release();
  EXPECT_EQ(B->synchronize(*Blocking), cudaSuccess);
}

TEST_P(BackendConformance, DefaultStreamsOfOtherThreads) {
  std::unique_ptr<Stream> Theirs;
  std::promise<void> Blocked, Given, Ended;
  bool IsDone = false, WasDone = false;
  // Their stream is theirs as long as the thread lives.
  std::thread Other([&] {
    Theirs = stream(0, StreamKind::PerThreadDefault);
    block(*Theirs);
    Blocked.set_value();
    Given.get_future().wait();
    EXPECT_EQ(B->synchronize(*Theirs), cudaSuccess);
    WasDone = IsDone;
    Ended.get_future().wait();
  });
  Blocked.get_future().wait();
  auto Mine = stream(0), Free = stream(0);
  auto Own = stream(0, StreamKind::PerThreadDefault);
  auto E = event(0, cudaEventDisableTiming);
  EXPECT_FALSE(B->isCapturing(*Theirs));
  EXPECT_EQ(B->query(*Theirs), cudaErrorNotReady);
  EXPECT_EQ(B->record(*E, *Theirs), cudaSuccess);
  EXPECT_EQ(B->wait(*Mine, *E), cudaSuccess);
  EXPECT_EQ(B->query(*Mine), cudaErrorNotReady);
  EXPECT_EQ(B->query(*Free), cudaSuccess);
  EXPECT_EQ(B->hostFunction(*Theirs, [&] { IsDone = true; }), cudaSuccess);
  Given.set_value();
  release();
  EXPECT_EQ(B->synchronize(*Theirs), cudaSuccess);
  EXPECT_TRUE(IsDone);
  EXPECT_EQ(B->query(*Theirs), cudaSuccess);
  EXPECT_EQ(B->synchronize(*Mine), cudaSuccess);
  EXPECT_EQ(B->synchronize(*Own), cudaSuccess);
  Ended.set_value();
  Other.join();
  EXPECT_TRUE(WasDone);
}

TEST_P(BackendConformance, EventsOrderStreamsOfAllDevices) {
  auto First = stream(0);
  auto Second = stream(static_cast<int>(numDevices()) - 1);
  auto E = event(0, cudaEventDisableTiming);
  std::vector<int> Order;
  block(*First);
  ASSERT_EQ(B->hostFunction(*First, [&] { Order.push_back(1); }), cudaSuccess);
  ASSERT_EQ(B->record(*E, *First), cudaSuccess);
  ASSERT_EQ(B->wait(*Second, *E), cudaSuccess);
  ASSERT_EQ(B->hostFunction(*Second, [&] { Order.push_back(2); }), cudaSuccess);
  EXPECT_EQ(B->query(*Second), cudaErrorNotReady);
  EXPECT_EQ(B->query(*E), cudaErrorNotReady);
  release();
  EXPECT_EQ(B->synchronize(*Second), cudaSuccess);
  EXPECT_EQ(Order, (std::vector<int>{1, 2}));
  EXPECT_EQ(B->query(*E), cudaSuccess);
}

TEST_P(BackendConformance, AWaitIsForWhatTheEventHeldThen) {
  auto First = stream(0), Second = stream(0);
  auto E = event(0, cudaEventDisableTiming);
  ASSERT_EQ(B->record(*E, *First), cudaSuccess);
  ASSERT_EQ(B->wait(*Second, *E), cudaSuccess);
  block(*First);
  ASSERT_EQ(B->record(*E, *First),
            cudaSuccess); // Second does not wait for this one
  EXPECT_EQ(B->synchronize(*Second), cudaSuccess);
  EXPECT_EQ(B->query(*E), cudaErrorNotReady);
  release();
}

TEST_P(BackendConformance, AnEventMayGoBeforeItsWaiters) {
  auto First = stream(0), Second = stream(0);
  bool Ran = false;
  block(*First);
  {
    auto E = event(0, cudaEventDisableTiming);
    ASSERT_EQ(B->record(*E, *First), cudaSuccess);
    ASSERT_EQ(B->wait(*Second, *E), cudaSuccess);
  }
  ASSERT_EQ(B->hostFunction(*Second, [&] { Ran = true; }), cudaSuccess);
  EXPECT_EQ(B->query(*Second), cudaErrorNotReady);
  release();
  EXPECT_EQ(B->synchronize(*Second), cudaSuccess);
  EXPECT_TRUE(Ran);
}

TEST_P(BackendConformance, AnEventNeverRecordedIsNoWait) {
  auto S = stream(0);
  auto E = event(0);
  EXPECT_EQ(B->wait(*S, *E), cudaSuccess);
  EXPECT_EQ(B->synchronize(*S), cudaSuccess);
  EXPECT_EQ(B->query(*E), cudaSuccess);
  EXPECT_EQ(B->synchronize(*E), cudaSuccess);
}

TEST_P(BackendConformance, ElapsedTime) {
  auto S = stream(0);
  auto From = event(0), To = event(0), Never = event(0);
  auto Untimed = event(0, cudaEventDisableTiming);
  float Ms = -1;
  EXPECT_EQ(B->elapsed(*From, *To, Ms), cudaErrorInvalidResourceHandle);
  ASSERT_EQ(B->record(*From, *S), cudaSuccess);
  block(*S);
  ASSERT_EQ(B->record(*To, *S), cudaSuccess);
  ASSERT_EQ(B->record(*Untimed, *S), cudaSuccess);
  EXPECT_EQ(B->elapsed(*From, *To, Ms), cudaErrorNotReady);
  release();
  ASSERT_EQ(B->synchronize(*S), cudaSuccess);
  EXPECT_EQ(B->elapsed(*From, *To, Ms), cudaSuccess);
  EXPECT_GE(Ms, 0);
  EXPECT_EQ(B->elapsed(*From, *Never, Ms), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(B->elapsed(*From, *Untimed, Ms), cudaErrorInvalidResourceHandle);
}

TEST_P(BackendConformance, SynchronizingADeviceWaitsForAllItsStreams) {
  auto S = stream(0), T = stream(0, StreamKind::Blocking);
  int Ran = 0;
  std::mutex Lock;
  auto Count = [&] {
    std::unique_lock Guard(Lock);
    ++Ran;
  };
  for (int I = 0; I < 10; ++I) {
    ASSERT_EQ(B->hostFunction(*S, Count), cudaSuccess);
    ASSERT_EQ(B->hostFunction(*T, Count), cudaSuccess);
  }
  EXPECT_EQ(B->synchronizeDevice(0), cudaSuccess);
  EXPECT_EQ(Ran, 20);
}

TEST_P(BackendConformance, DestroyingAStreamWaitsForItsWork) {
  bool Ran = false;
  {
    auto S = stream(0);
    ASSERT_EQ(B->hostFunction(*S, [&] { Ran = true; }), cudaSuccess);
  }
  EXPECT_TRUE(Ran);
}

//===--- Copies ---------------------------------------------------------===//

TEST_P(BackendConformance, CopiesBetweenAllPlaces) {
  const int N = static_cast<int>(numDevices());
  for (int From = Host; From < N; ++From)
    for (int To = Host; To < N; ++To) {
      auto S = stream(std::max(0, To));
      auto *Src = allocate(From), *Dst = allocate(To);
      const int Value = 10 * (From + 2) + To + 2;
      auto Filler = stream(std::max(0, From));
      ASSERT_EQ(B->fill(*Filler, Src, Value, page()), cudaSuccess);
      ASSERT_EQ(B->synchronize(*Filler), cudaSuccess);
      ASSERT_EQ(B->fill(*S, Dst, 0, page()), cudaSuccess);
      ASSERT_EQ(B->copy(*S, Dst + 1, Src + 3, page() - 5), cudaSuccess);
      Bytes Expected(page(), 0);
      std::fill(Expected.begin() + 1, Expected.end() - 4,
                static_cast<unsigned char>(Value));
      EXPECT_EQ(read(*S, Dst, page()), Expected) << From << " to " << To;
    }
}

TEST_P(BackendConformance, StreamsOfAnyDeviceWorkOnAllPlaces) {
  const int N = static_cast<int>(numDevices());
  const size_t Width = 1000, Rows = page() / 2048;
  for (int D = 0; D < N; ++D)
    for (int Where = Host; Where < N; ++Where) {
      auto S = stream(D);
      auto *M = allocate(Where);
      ASSERT_EQ(B->fill(*S, M, 5, page()), cudaSuccess);
      const Bytes In(page(), static_cast<unsigned char>(D + 7));
      ASSERT_EQ(B->copy(*S, M + 1, In.data(), 1), cudaSuccess);
      ASSERT_EQ(B->copy2D(*S, M + 1024, 2048, In.data(), Width, Width, Rows),
                cudaSuccess);
      Bytes Expected(page(), 5);
      Expected[1] = In[0];
      for (size_t Row = 0; Row < Rows; ++Row)
        std::fill_n(Expected.begin() + 1024 + 2048 * Row, Width, In[0]);
      EXPECT_EQ(read(*S, M, page()), Expected)
          << "device " << D << ", place " << Where;
    }
}

TEST_P(BackendConformance, PageableSourcesMayChangeAfterTheCall) {
  auto S = stream(0);
  for (size_t Size : {size_t(100), size_t(1) << 20}) {
    auto *M = allocate(0, (Size + page() - 1) / page());
    Bytes Source(Size, 1);
    ASSERT_EQ(B->copy(*S, M, Source.data(), Size), cudaSuccess);
    std::fill(Source.begin(), Source.end(), 2);
    EXPECT_EQ(read(*S, M, Size), Bytes(Size, 1));
  }
}

TEST_P(BackendConformance, CopiesOfPinnedMemoryAreInStreamOrder) {
  auto S = stream(0);
  auto *M = allocate(0);
  void *P = nullptr;
  ASSERT_EQ(B->hostAlloc(page(), cudaHostAllocDefault, P), cudaSuccess);
  auto *Source = static_cast<unsigned char *>(P);
  Source[0] = 1;
  block(*S);
  ASSERT_EQ(B->copy(*S, M, Source, page()), cudaSuccess);
  EXPECT_EQ(B->query(*S), cudaErrorNotReady);
  Source[0] = 2; // the copy has not run
  release();
  EXPECT_EQ(read(*S, M, 1), Bytes{2});
  EXPECT_EQ(B->hostFree(P), cudaSuccess);
}

TEST_P(BackendConformance, Copies2D) {
  auto S = stream(static_cast<int>(numDevices()) - 1);
  auto *M = allocate(static_cast<int>(numDevices()) - 1);
  ASSERT_EQ(B->fill(*S, M, 0, page()), cudaSuccess);
  Bytes Source(5 * 10);
  for (size_t I = 0; I < Source.size(); ++I)
    Source[I] = static_cast<unsigned char>(I + 1);
  ASSERT_EQ(B->copy2D(*S, M, 16, Source.data(), 10, 7, 5), cudaSuccess);
  Bytes Got = read(*S, M, 5 * 16);
  for (size_t Row = 0; Row < 5; ++Row)
    for (size_t Column = 0; Column < 16; ++Column)
      EXPECT_EQ(Got[16 * Row + Column],
                Column < 7 ? Source[10 * Row + Column] : 0);
  Bytes Back(5 * 9, 0);
  ASSERT_EQ(B->copy2D(*S, Back.data(), 9, M, 16, 7, 5), cudaSuccess);
  ASSERT_EQ(B->synchronize(*S), cudaSuccess);
  for (size_t Row = 0; Row < 5; ++Row)
    for (size_t Column = 0; Column < 9; ++Column)
      EXPECT_EQ(Back[9 * Row + Column],
                Column < 7 ? Source[10 * Row + Column] : 0);
}

/// What is read is what was written before the event, and it is written in the
/// order of the stream.
TEST_P(BackendConformance, CopiesBehindEvents) {
  const int Last = static_cast<int>(numDevices()) - 1;
  auto Writer = stream(0), S = stream(Last);
  auto *From = allocate(0), *To = allocate(Last);
  std::unique_ptr<Event> Written;
  ASSERT_EQ(B->createEvent(0, cudaEventDisableTiming, Written), cudaSuccess);
  for (unsigned char I = 1; I != 20; ++I) {
    ASSERT_EQ(B->fill(*Writer, From, I, page()), cudaSuccess);
    ASSERT_EQ(B->record(*Written, *Writer), cudaSuccess);
    ASSERT_EQ(B->fill(*S, To, 0, page()), cudaSuccess);
    Event *const Behind[] = {Written.get()};
    ASSERT_EQ(B->copyBehind(*S, Behind, To, 16, From, 16, 7, 5), cudaSuccess);
    ASSERT_EQ(B->copyBehind(*S, Behind, To + 128, 9, From, 9, 9, 1),
              cudaSuccess);
    ASSERT_EQ(B->copyBehind(*S, Behind, To, 16, From, 16, 0, 5), cudaSuccess);
    const Bytes Got = read(*S, To, 256);
    for (size_t At = 0; At != 256; ++At)
      EXPECT_EQ(Got[At], At < 80 && At % 16 < 7      ? I
                         : At >= 128 && At < 128 + 9 ? I
                                                     : 0)
          << At;
  }
}

TEST_P(BackendConformance, CopiesOfNothing) {
  auto S = stream(0);
  auto *M = allocate(0);
  EXPECT_EQ(B->copy(*S, M, M, 0), cudaSuccess);
  EXPECT_EQ(B->copy2D(*S, M, 8, M, 8, 0, 3), cudaSuccess);
  EXPECT_EQ(B->copy2D(*S, M, 8, M, 8, 3, 0), cudaSuccess);
  EXPECT_EQ(B->synchronize(*S), cudaSuccess);
}

//===--- Functions and properties ---------------------------------------===//

TEST_P(BackendConformance, UnknownFunctionsAreErrors) {
  static const char NotAFunction = 0;
  const LaunchTarget Target = {nullptr, &NotAFunction};
  cudaFuncAttributes Attributes;
  int Blocks = 0;
  // CUDA 13 takes an unknown stub for a handle.
  auto IsUnknown = [](cudaError_t Error) {
    return Error == cudaErrorInvalidDeviceFunction ||
           Error == cudaErrorInvalidResourceHandle;
  };
  EXPECT_PRED1(IsUnknown, B->functionAttributes(Target, Attributes));
  EXPECT_PRED1(IsUnknown, B->occupancy(Target, 128, 0, 0, Blocks));
  auto S = stream(0);
  LaunchShape Shape;
  EXPECT_PRED1(IsUnknown, B->launch(*S, Target, Shape, nullptr, nullptr));
}

TEST_P(BackendConformance, UnknownSymbolsAreErrors) {
  static const char NotASymbol = 0;
  void *Address = nullptr;
  size_t Size = 0;
  EXPECT_EQ(B->symbol(0, &NotASymbol, Address, Size), cudaErrorInvalidSymbol);
}

TEST_P(BackendConformance, PropertiesAndAttributesAgree) {
  for (int D = 0; D < static_cast<int>(numDevices()); ++D) {
    cudaDeviceProp P;
    int Value = 0;
    ASSERT_EQ(B->properties(D, P), cudaSuccess);
    EXPECT_EQ(P.warpSize, 32);
    EXPECT_GT(P.multiProcessorCount, 0);
    EXPECT_GT(P.name[0], 0);
    ASSERT_EQ(B->attribute(D, cudaDevAttrWarpSize, Value), cudaSuccess);
    EXPECT_EQ(Value, 32);
    ASSERT_EQ(B->attribute(D, cudaDevAttrMaxThreadsPerBlock, Value),
              cudaSuccess);
    EXPECT_EQ(Value, P.maxThreadsPerBlock);
    ASSERT_EQ(B->attribute(D, cudaDevAttrMultiProcessorCount, Value),
              cudaSuccess);
    EXPECT_EQ(Value, P.multiProcessorCount);
    EXPECT_NE(B->attribute(D, static_cast<cudaDeviceAttr>(100000), Value),
              cudaSuccess);
  }
}

/// An object of device 0 as the program would make it.
class ProgramTexture {
public:
  ProgramTexture(bool IsCpu, const cudaResourceDesc &Resource) : IsCpu(IsCpu) {
    Own.Resource = Resource;
    cudaTextureDesc Desc = {};
    Desc.addressMode[0] = cudaAddressModeClamp;
    if (IsCpu)
      Handle = reinterpret_cast<cudaTextureObject_t>(&Own);
    else
      EXPECT_EQ(cudaCreateTextureObject(&Handle, &Resource, &Desc, nullptr),
                cudaSuccess);
  }
  ~ProgramTexture() {
    if (!IsCpu)
      EXPECT_EQ(cudaDestroyTextureObject(Handle), cudaSuccess);
  }
  ProgramTexture(const ProgramTexture &) = delete;
  ProgramTexture &operator=(const ProgramTexture &) = delete;

  const bool IsCpu;
  CpuTexture Own;
  cudaTextureObject_t Handle = 0;
};

TEST_P(BackendConformance, EveryDeviceHasObjectsOfMemory) {
  auto S = stream(0);
  ASSERT_EQ(B->synchronize(*S), cudaSuccess); // device 0 becomes current
  cudaResourceDesc R = {};
  R.resType = cudaResourceTypeLinear;
  R.res.linear.devPtr = allocate(0);
  R.res.linear.desc = {32, 0, 0, 0, cudaChannelFormatKindFloat};
  R.res.linear.sizeInBytes = 256;
  const ProgramTexture T(B->name() != std::string("cuda"), R);
  for (int D = 0; D < static_cast<int>(numDevices()); ++D) {
    std::unique_ptr<ArrayCopy> Array;
    const cudaError_t Error = B->createArray(D, T.Handle, Array);
    EXPECT_EQ(Array, nullptr);
    if (D && Error == cudaErrorNotSupported)
      continue; // another machine's
    EXPECT_EQ(Error, cudaErrorInvalidValue);
    if (D && !B->system().allReachAll())
      continue;
    std::unique_ptr<TextureCopy> Copy;
    ASSERT_EQ(B->createTexture(D, T.Handle, nullptr, Copy), cudaSuccess);
    EXPECT_NE(Copy->handle(), 0U);
  }
}

TEST_P(BackendConformance, EveryDeviceHasCopiesOfArrays) {
  auto First = stream(0);
  ASSERT_EQ(B->synchronize(*First), cudaSuccess); // device 0 becomes current
  constexpr size_t Width = 64;
  const bool IsCpu = B->name() != std::string("cuda");
  cudaResourceDesc R = {};
  R.resType = cudaResourceTypeArray;
  const cudaChannelFormatDesc Float = {32, 0, 0, 0, cudaChannelFormatKindFloat};
  std::byte *Texels = allocate(0);
  ASSERT_EQ(B->fill(*First, Texels, 7, Width * 4), cudaSuccess);
  ASSERT_EQ(B->synchronize(*First), cudaSuccess);
  if (!IsCpu)
    ASSERT_EQ(cudaMallocArray(&R.res.array.array, &Float, Width, 0, 0),
              cudaSuccess);
  {
    ProgramTexture T(IsCpu, R);
    T.Own.Array = Texels;
    T.Own.ArrayBytes = Width * 4;
    T.Own.Levels.push_back({Texels + 128, Width * 4, Width * 4, Width / 2});
    for (int D = 0; D < static_cast<int>(numDevices()); ++D) {
      auto S = stream(D);
      std::unique_ptr<ArrayCopy> Array;
      std::unique_ptr<TextureCopy> Copy;
      const cudaError_t Error = B->createArray(D, T.Handle, Array);
      if (D && Error == cudaErrorNotSupported)
        continue; // another machine's
      ASSERT_EQ(Error, cudaSuccess);
      EXPECT_EQ(Array->bytes(), Width * 4);
      // Neither goes without the other.
      EXPECT_EQ(B->createTexture(D, T.Handle, nullptr, Copy),
                cudaErrorInvalidValue);
      ASSERT_EQ(B->createTexture(D, T.Handle, Array.get(), Copy), cudaSuccess);
      EXPECT_NE(Copy->handle(), 0U);
      ASSERT_EQ(B->copyArray(*S, *Array, T.Handle), cudaSuccess);
      ASSERT_EQ(B->synchronize(*S), cudaSuccess);
      if (!IsCpu)
        continue;
      const auto &Object =
          *reinterpret_cast<const CpuTexture *>(Copy->handle());
      EXPECT_NE(Object.Array, Texels);
      EXPECT_EQ(Object.Levels[0].Data, Object.Array + 128);
      EXPECT_EQ(read(*S, Object.Array, Width * 4), Bytes(Width * 4, 7));
    }
  }
  if (!IsCpu)
    EXPECT_EQ(cudaFreeArray(R.res.array.array), cudaSuccess);
}

TEST_P(BackendConformance, NoErrorIsLeft) {
  EXPECT_EQ(B->vendorError(true), cudaSuccess);
  EXPECT_GT(B->driverVersion(), 0);
}

} // namespace gridspan
