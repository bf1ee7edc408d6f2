//===- LaunchGroupsTest.cpp - Launches of libraries in chains -------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pieces of data larger than the devices are brought to one of three parts of a
// work space, go through a kernel that may not be split, and are put away, as
// in a sort of such data (include/gridspan/algorithm/Sorter.h).
//
//===----------------------------------------------------------------------===//

#include "gridspan/algorithm/Operands.h"
#include "runtime/backend/ForwardingBackend.h"
#include "runtime/support/ThreadSafety.h"
#include "test/unit/runtime/TestRuntime.h"
#include <atomic>
#include <chrono>
#include <functional>
#include <numeric>
#include <thread>

using namespace gridspan;

namespace {

constexpr int Piece = 1 << 12, Pieces = 40, N = Piece * Pieces;

/// Notes launches and copies, with the events behind them. A launch of
/// waitForFlag() keeps its stream busy, and no thread of the device.
class NotingBackend : public ForwardingBackend {
public:
  explicit NotingBackend(std::unique_ptr<Backend> Inner)
      : ForwardingBackend(std::move(Inner)) {
    It = this;
  }
  ~NotingBackend() override { It = nullptr; }
  static inline NotingBackend *It = nullptr;

  cudaError_t launch(Stream &S, const LaunchTarget &Target,
                     const LaunchShape &Shape, void *const *Args,
                     const GridspanTile *Tile) override {
    const std::string Name = Target.Kernel->Name;
    if (Name.find("waitForFlag") != std::string::npos)
      return hostFunction(
          S, [Flag = *static_cast<int **>(Args[0])] { waitFor(Flag); });
    const cudaError_t Error =
        ForwardingBackend::launch(S, Target, Shape, Args, Tile);
    if (Name.find("beyond") != std::string::npos)
      note(S, *static_cast<char **>(Args[1]), Shape.Grid.x);
    return Error;
  }
  cudaError_t copy(Stream &S, void *Dst, const void *Src,
                   size_t Bytes) override {
    const cudaError_t Error = ForwardingBackend::copy(S, Dst, Src, Bytes);
    note(S, static_cast<char *>(Dst), Bytes);
    return Error;
  }
  cudaError_t record(Event &E, Stream &S) override {
    const cudaError_t Error = ForwardingBackend::record(E, S);
    MutexLock Guard(Lock);
    for (Work &W : All)
      if (W.S == &S && !W.Behind)
        W.Behind = &E;
    return Error;
  }
  using ForwardingBackend::synchronize;
  cudaError_t synchronize(Event &E) override {
    ++Waits;
    return ForwardingBackend::synchronize(E);
  }

  /// Returns the blocks, or bytes, of work that has written [From, To) and is
  /// over.
  uint64_t done(const float *From, const float *To) {
    MutexLock Guard(Lock);
    uint64_t Sum = 0;
    for (const Work &W : All)
      if (W.To >= reinterpret_cast<const char *>(From) &&
          W.To < reinterpret_cast<const char *>(To) && W.Behind &&
          ForwardingBackend::query(*W.Behind) == cudaSuccess)
        Sum += W.Amount;
    return Sum;
  }
  void clear() {
    MutexLock Guard(Lock);
    All.clear();
    Waits = 0;
  }
  unsigned waits() const { return Waits; }

private:
  struct Work {
    Stream *S;
    const char *To;
    uint64_t Amount;
    Event *Behind;
  };
  static void waitFor(const int *Flag) {
    while (!__atomic_load_n(Flag, __ATOMIC_ACQUIRE))
      std::this_thread::yield();
  }
  void note(Stream &S, const char *To, uint64_t Amount) {
    MutexLock Guard(Lock);
    All.push_back({&S, To, Amount, nullptr});
  }

  Mutex Lock;
  std::vector<Work> All GUARDED_BY(Lock);
  std::atomic<unsigned> Waits{0};
};

class LaunchGroups : public testing::TestWithParam<unsigned> {
protected:
  void make() {
    // As memory for a library is.
    __gridspan_choose_device(0);
    for (float *&W : Work)
      W = toDevice(std::vector<float>(Piece, 0));
    __gridspan_choose_device(GridspanAnyDevice);
    std::vector<float> Values(N);
    std::iota(Values.begin(), Values.end(), 0.0f);
    X = toDevice(Values);
    Y = toDevice(std::vector<float>(N, -1));
  }

  static cudaError_t beyond(const float *From, float *To) {
    return launch(fake::beyond(), Piece / 256, 256, 0, nullptr, From, To, Piece,
                  0);
  }
  /// Out[i] = In[i / 2] + In[i], as a library would do it.
  static cudaError_t group(const float *In, float *Out, int *Flag = nullptr) {
    GridspanOperand Of[2] = {};
    Of[0].Address = const_cast<float *>(In);
    Of[1].Address = Out;
    Of[0].Bytes = Of[1].Bytes = Piece * sizeof(float);
    if (cudaError_t Error = __gridspan_begin_group(Of, 2, nullptr))
      return Error;
    cudaError_t Error = cudaSuccess;
    if (Flag)
      Error = launch(fake::waitForFlag(), 1, 1, 0, nullptr, Flag);
    if (!Error)
      Error =
          __gridspan_cudaMemsetAsync(Out, 0, Piece * sizeof(float), nullptr);
    if (!Error)
      Error = launch(fake::lookBack(), Piece / 256, 256, 0, nullptr, In, Out,
                     Piece);
    const cudaError_t Ending = __gridspan_end_group();
    return Error ? Error : Ending;
  }
  /// Flags, if there are any, are what each piece's group waits for.
  cudaError_t run(int *Flags = nullptr) {
    std::array<float *, 3> W = Work;
    for (int P = 0; P < Pieces; ++P) {
      if (cudaError_t Error = beyond(X + P * Piece, W[0]))
        return Error;
      if (cudaError_t Error = group(W[0], W[1], Flags ? Flags + P : nullptr))
        return Error;
      if (cudaError_t Error = beyond(W[1], Y + P * Piece))
        return Error;
      W = {W[2], W[0], W[1]};
    }
    return cudaSuccess;
  }
  void expectResults() {
    const std::vector<float> Out = fromDevice(Y, N);
    for (int I = 0; I < N; ++I) {
      const int In = I % Piece, First = I - In;
      ASSERT_EQ(Out[I], float(First + In / 2 + I + 3)) << I;
    }
  }
  uint64_t groups() { return R.kernel("library call").ChainedLaunches; }

  TestRuntime R{GetParam(), Schedule::Static, 1 << 18};
  float *X = nullptr, *Y = nullptr;
  std::array<float *, 3> Work = {};
};

bool soon(const std::function<bool()> &Is) {
  const auto End = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!Is() && std::chrono::steady_clock::now() < End)
    std::this_thread::yield();
  return Is();
}

} // namespace

INSTANTIATE_TEST_SUITE_P(Devices, LaunchGroups, testing::Values(1, 2));

TEST_P(LaunchGroups, AreMembersOfAChain) {
  make();
  ASSERT_EQ(run(), cudaSuccess);
  EXPECT_EQ(R.kernel("beyond").OutOfCoreLaunches, 0u);
  expectResults();
  EXPECT_EQ(groups(), unsigned(Pieces));
  EXPECT_EQ(R.kernel("beyond").ChainedLaunches, 2u * Pieces);
  EXPECT_EQ(R.kernel("lookBack").Launches, unsigned(Pieces));
  // Again, with what is on the devices.
  ASSERT_EQ(run(), cudaSuccess);
  expectResults();
}

TEST_P(LaunchGroups, RunByThemselvesWithoutAChain) {
  R.withoutChains();
  make();
  ASSERT_EQ(run(), cudaSuccess);
  expectResults();
  // Nothing waits that they could run with.
  make();
  ASSERT_EQ(group(Work[0], Work[1]), cudaSuccess);
  EXPECT_EQ(fromDevice(Work[1], Piece), std::vector<float>(Piece, 0));
}

TEST_P(LaunchGroups, FallApartWhereTheThreadDoesSomethingElse) {
  make();
  ASSERT_EQ(beyond(X, Work[0]), cudaSuccess);
  GridspanOperand Of = {};
  Of.Address = Work[0];
  Of.Bytes = Piece * sizeof(float);
  ASSERT_EQ(__gridspan_begin_group(&Of, 1, nullptr), cudaSuccess);
  ASSERT_EQ(launch(fake::lookBack(), Piece / 256, 256, 0, nullptr,
                   static_cast<const float *>(Work[0]), Work[1], Piece),
            cudaSuccess);
  // It sees what was launched, and what waited for others.
  EXPECT_EQ(fromDevice(Work[1], Piece)[7], 1 + 3 + 1 + 7);
  ASSERT_EQ(launch(fake::lookBack(), Piece / 256, 256, 0, nullptr,
                   static_cast<const float *>(Work[1]), Work[2], Piece),
            cudaSuccess);
  EXPECT_EQ(__gridspan_end_group(), cudaSuccess);
  EXPECT_EQ(fromDevice(Work[2], Piece)[1], 2 + 3);
  EXPECT_EQ(__gridspan_end_group(), cudaSuccess); // there is none
  GridspanOperand TooMany[9] = {};
  EXPECT_EQ(__gridspan_begin_group(TooMany, 9, nullptr), cudaErrorInvalidValue);
}

TEST_P(LaunchGroups, HaveEventsBehindThem) {
  make();
  cudaEvent_t E = nullptr;
  ASSERT_EQ(__gridspan_cudaEventCreate(&E), cudaSuccess);
  ASSERT_EQ(beyond(X, Work[0]), cudaSuccess);
  ASSERT_EQ(group(Work[0], Work[1]), cudaSuccess);
  ASSERT_EQ(__gridspan_cudaEventRecord(E, nullptr), cudaSuccess);
  ASSERT_EQ(beyond(Work[1], Y), cudaSuccess);
  ASSERT_EQ(__gridspan_cudaEventSynchronize(E), cudaSuccess);
  EXPECT_EQ(groups(), 1u);
  EXPECT_EQ(fromDevice(Y, Piece)[9], 1 + 4 + 1 + 9 + 1);
  EXPECT_EQ(__gridspan_cudaEventDestroy(E), cudaSuccess);
}

/// While a piece is in its group, the next one comes, and the one before it
/// leaves. The host waits for none of it.
TEST_P(LaunchGroups, OverlapWithTheCopiesOfOtherPieces) {
  R.wrapBackend<NotingBackend>();
  make();
  std::vector<int> Flags(Pieces, 0);
  ASSERT_EQ(run(Flags.data()), cudaSuccess);
  NotingBackend &B = *NotingBackend::It;
  B.clear();
  bool ComesAhead = false, ComesBeside = false, LeavesBeside = false;
  unsigned Waits = 0;
  std::thread Observer([&] {
    constexpr uint64_t Blocks = Piece / 256;
    const auto Came = [&](int Part) {
      return soon([&, Part] {
        return B.done(Work[Part], Work[Part] + Piece) >= Blocks;
      });
    };
    ComesAhead = Came(2);
    Waits = B.waits();
    for (int P = 0; P < Pieces; ++P) {
      __atomic_store_n(&Flags[P], 1, __ATOMIC_RELEASE);
      if (P != 0)
        continue;
      // Piece 1 is in its group now, which ends later.
      ComesBeside = Came(1);
      LeavesBeside =
          soon([&] { return B.done(Y, Y + Piece) >= Piece * sizeof(float); });
      Waits = B.waits();
    }
  });
  expectResults();
  Observer.join();
  EXPECT_TRUE(ComesAhead);
  EXPECT_TRUE(ComesBeside);
  EXPECT_TRUE(LeavesBeside);
  // Frames at the seam between devices are in no ring.
  if (GetParam() == 1)
    EXPECT_EQ(Waits, 0u);
}

/// Pieces come and leave by copies, of memory that is pinned.
TEST_P(LaunchGroups, AreBetweenCopiesWithoutFrames) {
  make();
  const auto RunByCopies = [&] {
    std::array<float *, 3> W = Work;
    for (int P = 0; P < Pieces; ++P) {
      ASSERT_EQ(__gridspan_cudaMemcpyAsync(W[0], X + P * Piece,
                                           Piece * sizeof(float),
                                           cudaMemcpyDefault, nullptr),
                cudaSuccess);
      ASSERT_EQ(group(W[0], W[1]), cudaSuccess);
      ASSERT_EQ(__gridspan_cudaMemcpyAsync(Y + P * Piece, W[1],
                                           Piece * sizeof(float),
                                           cudaMemcpyDefault, nullptr),
                cudaSuccess);
      W = {W[2], W[0], W[1]};
    }
  };
  const auto Expect = [&] {
    const std::vector<float> Out = fromDevice(Y, N);
    for (int I = 0; I < N; ++I)
      ASSERT_EQ(Out[I], float(I - I % Piece + I % Piece / 2 + I)) << I;
  };
  const auto OnDevices = [&](const float *Of) {
    const auto Memory = R->memory().find(Of);
    const std::vector<PagedMemory::Frame> &Frames = Memory->Paged->Frames;
    return std::count_if(Frames.begin(), Frames.end(),
                         [](const auto &F) { return F.Device != nullptr; });
  };
  const auto PinAtHome = [&](const float *Of) {
    PlacementWriter Placement(R->memory().placementLock());
    const auto Memory = R->memory().find(Of);
    ASSERT_EQ(R->memory().pager().deviceAccess(*Memory, 0, Memory->bytes(),
                                               /*Writes=*/true),
              cudaSuccess);
  };
  const auto InPlace = [&] {
    std::vector<std::string> Out;
    for (const InPlaceParam &P : R.kernel("cudaMemcpy").InPlace)
      Out.emplace_back(nameOf(P.Why));
    return Out;
  };
  // Something is not pinned: frames.
  RunByCopies();
  Expect();
  EXPECT_EQ(groups(), unsigned(Pieces));
  EXPECT_EQ(InPlace(), std::vector<std::string>());

  PinAtHome(X);
  PinAtHome(Y);
  ASSERT_EQ(OnDevices(X), 0);
  const KernelRecord Before = R.kernel("cudaMemcpy");
  RunByCopies();
  Expect();
  EXPECT_EQ(groups(), 2U * Pieces);
  EXPECT_EQ(OnDevices(X), 0);
  EXPECT_EQ(OnDevices(Y), 0);
  EXPECT_EQ(InPlace(),
            std::vector<std::string>({"copied-directly", "copied-directly"}));
  const KernelRecord Copies = R.kernel("cudaMemcpy");
  EXPECT_EQ(Copies.ChainedLaunches, 4U * Pieces);
  EXPECT_EQ(Copies.OutOfCoreBytesIn - Before.OutOfCoreBytesIn,
            N * sizeof(float));
  EXPECT_EQ(Copies.OutOfCoreBytesOut - Before.OutOfCoreBytesOut,
            N * sizeof(float));

  // A launch of the same chain has frames of X, so that copies have, too.
  RunByCopies();
  ASSERT_EQ(beyond(X, Work[0]), cudaSuccess);
  Expect();
  EXPECT_EQ(groups(), 3U * Pieces);
  EXPECT_EQ(R.kernel("beyond").ChainedLaunches, 1U);
  EXPECT_EQ(fromDevice(Work[0], Piece)[5], 6);
}

/// Where each device has a work space of its own, its pieces come and leave
/// while another one's wait.
TEST_P(LaunchGroups, OfSeveralDevicesDoNotWaitForEachOther) {
  const int Devices = static_cast<int>(GetParam());
  if (Devices == 1)
    GTEST_SKIP() << "there is one device";
  R.wrapBackend<NotingBackend>();
  make();
  std::vector<std::array<float *, 3>> Parts = {Work};
  for (int D = 1; D < Devices; ++D) {
    __gridspan_choose_device(D);
    Parts.emplace_back();
    for (float *&W : Parts.back())
      W = toDevice(std::vector<float>(Piece, 0));
  }
  const int Each = Pieces / Devices;
  std::vector<int> Flags(Pieces, 0);
  for (int I = 0; I < Each; ++I)
    for (int D = 0; D < Devices; ++D) {
      const int P = D * Each + I;
      std::array<float *, 3> &W = Parts[D];
      __gridspan_choose_device(D);
      ASSERT_EQ(beyond(X + P * Piece, W[0]), cudaSuccess);
      ASSERT_EQ(group(W[0], W[1], D == 0 ? &Flags[P] : nullptr), cudaSuccess);
      ASSERT_EQ(beyond(W[1], Y + P * Piece), cudaSuccess);
      W = {W[2], W[0], W[1]};
    }
  __gridspan_choose_device(GridspanAnyDevice);
  NotingBackend &B = *NotingBackend::It;
  B.clear();
  bool Leaves = true;
  unsigned Waits = 0;
  std::thread Observer([&] {
    for (int D = 1; D < Devices; ++D) {
      const float *const First = Y + D * Each * Piece;
      Leaves &= soon([&] {
        return B.done(First + Piece, First + 3 * Piece) >=
               Piece * sizeof(float);
      });
    }
    Waits = B.waits();
    for (int &Flag : Flags)
      __atomic_store_n(&Flag, 1, __ATOMIC_RELEASE);
  });
  expectResults();
  Observer.join();
  EXPECT_TRUE(Leaves);
  EXPECT_EQ(Waits, 0u);
  EXPECT_EQ(groups(), unsigned(Pieces));
  EXPECT_EQ(R.kernel("beyond").ChainedLaunches, 2u * Pieces);
}
