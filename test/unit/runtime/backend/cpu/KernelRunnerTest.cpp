//===- KernelRunnerTest.cpp - Blocks on CPU devices -----------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loops, barriers, warps and several blocks at once.
//
//===----------------------------------------------------------------------===//

#include "runtime/support/WorkerPool.h"
#include "test/unit/runtime/backend/cpu/HandwrittenKernels.h"
#include <atomic>
#include <numeric>
#include <thread>

using namespace gridspan;
using testing::Each;

namespace {

//===--- Loops ----------------------------------------------------------===//

void countThreads(const GridspanCpuBlock *B, void *const *Args,
                  const GridspanCpuThreads *T) {
  int *Out = output(Args);
  const uint32_t Block =
      B->BlockIdxX + B->GridDimX * (B->BlockIdxY + B->GridDimY * B->BlockIdxZ);
  EXPECT_EQ(Out[1], int(Block)) << "blocks run in ascending order";
  ++Out[1];
  Out[0] += (T->HiX - T->LoX) * (T->HiY - T->LoY) * (T->HiZ - T->LoZ);
}

TEST(KernelRunnerTest, RunsEachBlockOnceInOrder) {
  int Out[2] = {};
  Runner Run(countThreads, Out);
  EXPECT_EQ(Run(dim3(3, 4, 5), dim3(7, 2, 3)), cudaSuccess);
  EXPECT_EQ(Out[0], 60 * 42);
  EXPECT_EQ(Out[1], 60);
}

/// Notes in the block's place which of two codes has run it.
template <int Which>
void noteCode(const GridspanCpuBlock *B, void *const *Args,
              const GridspanCpuThreads *) {
  output(Args)[B->BlockIdxX] += Which;
}

// Blocks of a sample run the clone, also where the tile begins elsewhere; and a
// clone that waits for warps, in fibers.
TEST(KernelRunnerTest, RunsTheKernelWhereItsCloneDoesNotRecord) {
  for (uint32_t Flags : {0u, uint32_t(GridspanCpuNeedsFibers)}) {
    int Out[12] = {};
    Runner Run(noteCode<1>, Out);
    Runner Clone(noteCode<100>, Out, Flags);
    Clone.L.Sample = {Run.L.Kernel, Run.L.Code, 5, 2};
    EXPECT_EQ(Clone(dim3(12), dim3(1)), cudaSuccess);
    EXPECT_THAT(Out,
                testing::ElementsAre(100, 1, 1, 1, 1, 100, 1, 1, 1, 1, 1, 1));
    std::fill(std::begin(Out), std::end(Out), 0);
    Clone.L.Grid = dim3(4);
    Clone.L.Tile = {{3, 0, 0}, {12, 1, 1}};
    EXPECT_EQ(runKernel(Clone.L), cudaSuccess);
    EXPECT_THAT(Out,
                testing::ElementsAre(1, 1, 100, 1, 0, 0, 0, 0, 0, 0, 0, 0));
  }
}

void trapInLoop(const GridspanCpuBlock *B, void *const *Args,
                const GridspanCpuThreads *) {
  ++output(Args)[0];
  if (B->BlockIdxX == 2)
    __gridspan_cpu_trap(B);
}

TEST(KernelRunnerTest, TrapEndsTheLaunch) {
  int Count = 0;
  Runner Run(trapInLoop, &Count);
  testing::internal::CaptureStderr();
  EXPECT_EQ(Run(dim3(10), dim3(32)), cudaErrorLaunchFailure);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "gridspan: kernel: a thread of block (2, 0, 0) executed a trap\n");
  EXPECT_EQ(Count, 3);
  // The next launch is not affected.
  Count = 7;
  Runner Again(trapInLoop, &Count);
  EXPECT_EQ(Again(dim3(2), dim3(32)), cudaSuccess);
  EXPECT_EQ(Count, 9);
}

void failAssertion(const GridspanCpuBlock *B, void *const *,
                   const GridspanCpuThreads *) {
  __gridspan_cpu_assert_fail(B, 1, 2, 3, "x > 0", "a.cu", 12, "void k()");
}

TEST(KernelRunnerTest, AssertionIsReportedAsCudaDoes) {
  Runner Run(failAssertion, nullptr);
  testing::internal::CaptureStderr();
  EXPECT_EQ(Run(dim3(1), dim3(32)), cudaErrorAssert);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "a.cu:12: void k(): block: [0,0,0], thread: [1,2,3] Assertion `x > "
            "0` failed.\n");
}

void printBlock(const GridspanCpuBlock *B, void *const *,
                const GridspanCpuThreads *) {
  __gridspan_cpu_printf(B, "block %d\n", &B->BlockIdxX);
}

TEST(KernelRunnerTest, PrintsInBlockOrder) {
  Runner Run(printBlock, nullptr);
  testing::internal::CaptureStdout();
  EXPECT_EQ(Run(dim3(3), dim3(1)), cudaSuccess);
  EXPECT_EQ(testing::internal::GetCapturedStdout(),
            "block 0\nblock 1\nblock 2\n");
}

// The sanitizer would move the local variable off the stack.
__attribute__((no_sanitize("address"))) void
askSpaces(const GridspanCpuBlock *B, void *const *Args,
          const GridspanCpuThreads *) {
  int Local = 0;
  int *Out = output(Args);
  Out[0] = __gridspan_cpu_memory_space(B, Out);
  Out[1] = __gridspan_cpu_memory_space(B, B->StaticShared + 8);
  Out[2] = __gridspan_cpu_memory_space(B, B->DynamicShared);
  Out[3] = __gridspan_cpu_memory_space(B, &Local);
}

TEST(KernelRunnerTest, KnowsMemorySpaces) {
  for (uint32_t Flags : {0u, uint32_t(GridspanCpuNeedsFibers)}) {
    auto Out = std::make_unique<int[]>(4);
    Runner Run(askSpaces, Out.get(), Flags);
    Run.L.DynamicSharedBytes = 64;
    EXPECT_EQ(Run(dim3(1), dim3(1)), cudaSuccess);
    EXPECT_EQ(Out[0], int(MemorySpace::Global));
    EXPECT_EQ(Out[1], int(MemorySpace::Shared));
    EXPECT_EQ(Out[2], int(MemorySpace::Shared));
    EXPECT_EQ(Out[3], int(MemorySpace::Local));
  }
}

//===--- Barriers -------------------------------------------------------===//

void reverse(const GridspanCpuBlock *B, void *const *Args,
             const GridspanCpuThreads *T) {
  const uint32_t I = linear(B, T), N = B->BlockDimX;
  for (int Turn = 0; Turn < 3; ++Turn) {
    shared(B)[I] = I + Turn;
    __gridspan_cpu_barrier(B, 0, 0);
    output(Args)[B->BlockIdxX * N + I] = shared(B)[N - 1 - I];
    __gridspan_cpu_barrier(B, 0, 0);
  }
}

TEST(KernelRunnerTest, BarrierSeparatesPhases) {
  std::vector<int> Out(4 * 100);
  Runner Run(reverse, Out.data(), GridspanCpuNeedsFibers);
  EXPECT_EQ(Run(dim3(4), dim3(100)), cudaSuccess);
  for (int I = 0; I < 400; ++I)
    EXPECT_EQ(Out[I], 99 - I % 100 + 2);
}

void leaveEarly(const GridspanCpuBlock *B, void *const *Args,
                const GridspanCpuThreads *T) {
  const uint32_t I = linear(B, T);
  if (I % 3 == 0)
    return;
  if (I % 3 == 1 && I > 50)
    __gridspan_cpu_exit(B);
  output(Args)[I] = __gridspan_cpu_barrier_reduce(
      B, 0, uint32_t(BarrierReduction::Count), I % 2);
}

TEST(KernelRunnerTest, EndedThreadsCountAsArrived) {
  std::vector<int> Out(96, -1);
  Runner Run(leaveEarly, Out.data(), GridspanCpuNeedsFibers);
  EXPECT_EQ(Run(dim3(1), dim3(96)), cudaSuccess);
  int Expected = 0;
  auto Stays = [](int I) { return I % 3 && !(I % 3 == 1 && I > 50); };
  for (int I = 0; I < 96; ++I)
    Expected += Stays(I) && I % 2;
  for (int I = 0; I < 96; ++I)
    EXPECT_EQ(Out[I], Stays(I) ? Expected : -1) << I;
}

void reduceAll(const GridspanCpuBlock *B, void *const *Args,
               const GridspanCpuThreads *T) {
  const uint32_t I = linear(B, T);
  const int And = __gridspan_cpu_barrier_reduce(
      B, 0, uint32_t(BarrierReduction::And), I != 5);
  const int Or = __gridspan_cpu_barrier_reduce(
      B, 0, uint32_t(BarrierReduction::Or), I == 5);
  output(Args)[I] = And * 10 + Or;
}

TEST(KernelRunnerTest, BarrierReductions) {
  std::vector<int> Out(64);
  Runner Run(reduceAll, Out.data(), GridspanCpuNeedsFibers);
  EXPECT_EQ(Run(dim3(1), dim3(4, 4, 4)), cudaSuccess);
  EXPECT_THAT(Out, Each(1));
}

/// The first half produces for the second through a named barrier.
void namedBarrier(const GridspanCpuBlock *B, void *const *Args,
                  const GridspanCpuThreads *T) {
  const uint32_t I = linear(B, T);
  if (I < 32) {
    shared(B)[I] = I * I;
    __gridspan_cpu_barrier_arrive(B, 1, 64);
  } else {
    __gridspan_cpu_barrier(B, 1, 64);
    output(Args)[I - 32] = shared(B)[63 - I];
  }
}

TEST(KernelRunnerTest, NamedBarrierOfAProducer) {
  std::vector<int> Out(32);
  Runner Run(namedBarrier, Out.data(), GridspanCpuNeedsFibers);
  EXPECT_EQ(Run(dim3(1), dim3(64)), cudaSuccess);
  for (int I = 0; I < 32; ++I)
    EXPECT_EQ(Out[I], (31 - I) * (31 - I));
}

void voteOfLowerLanes(const GridspanCpuBlock *B, void *const *Args,
                      const GridspanCpuThreads *T) {
  const uint32_t I = T->LoX, Lane = I % 32;
  const uint32_t Lower = (1u << Lane) - 1;
  output(Args)[I] = __gridspan_cpu_warp_vote(
      B, Lower, uint32_t(WarpVote::Ballot), (I * I) % 3 == 1);
  __gridspan_cpu_barrier(B, 0, 0);
}

TEST(KernelRunnerTest, LanesMayNameDifferentLanes) {
  std::vector<int> Out(64);
  Runner Run(voteOfLowerLanes, Out.data(), GridspanCpuNeedsFibers);
  EXPECT_EQ(Run(dim3(1), dim3(64)), cudaSuccess);
  for (int I = 0; I < 64; ++I) {
    uint32_t Expected = 0;
    for (int J = I / 32 * 32; J < I; ++J)
      Expected |= uint32_t(J * J % 3 == 1) << J % 32;
    EXPECT_EQ(uint32_t(Out[I]), Expected);
  }
}

/// Lane 0 never gets to the operation that the others name it in.
void voteWithoutOne(const GridspanCpuBlock *B, void *const *,
                    const GridspanCpuThreads *T) {
  if (T->LoX != 0)
    __gridspan_cpu_warp_vote(B, ~0u, uint32_t(WarpVote::Ballot), 1);
  __gridspan_cpu_barrier(B, 0, 0);
}

TEST(KernelRunnerTest, LanesThatNeverComeAreAnError) {
  Runner Run(voteWithoutOne, nullptr, GridspanCpuNeedsFibers);
  testing::internal::CaptureStderr();
  EXPECT_EQ(Run(dim3(1), dim3(32)), cudaErrorLaunchTimeout);
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              testing::HasSubstr("1 threads at a barrier, 31 in a warp"));
}

void deadlock(const GridspanCpuBlock *B, void *const *,
              const GridspanCpuThreads *T) {
  if (T->LoX == 0)
    __gridspan_cpu_barrier(B, 1, 64);
  else
    __gridspan_cpu_barrier(B, 0, 0);
}

TEST(KernelRunnerTest, DeadlockIsAnError) {
  Runner Run(deadlock, nullptr, GridspanCpuNeedsFibers);
  testing::internal::CaptureStderr();
  EXPECT_EQ(Run(dim3(2), dim3(32)), cudaErrorLaunchTimeout);
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              testing::HasSubstr("kernel: threads wait for each other forever; "
                                 "block (0, 0, 0): 32 threads at a barrier"));
  // Abandoned fibers are usable again.
  std::vector<int> Out(64);
  Runner Again(reduceAll, Out.data(), GridspanCpuNeedsFibers);
  EXPECT_EQ(Again(dim3(1), dim3(64)), cudaSuccess);
  EXPECT_THAT(Out, Each(1));
}

//===--- Warps ----------------------------------------------------------===//

void sumByShuffles(const GridspanCpuBlock *B, void *const *Args,
                   const GridspanCpuThreads *T) {
  uint32_t V = linear(B, T);
  for (uint32_t Offset = 16; Offset; Offset /= 2)
    V += uint32_t(__gridspan_cpu_warp_shuffle(
        B, ~0u, uint32_t(WarpShuffle::Butterfly), V, Offset, 31));
  output(Args)[linear(B, T)] = V;
}

TEST(KernelRunnerTest, WarpsShuffleIndependently) {
  std::vector<int> Out(96);
  Runner Run(sumByShuffles, Out.data(), GridspanCpuNeedsFibers);
  EXPECT_EQ(Run(dim3(1), dim3(96)), cudaSuccess);
  for (int I = 0; I < 96; ++I)
    EXPECT_EQ(Out[I], 496 + I / 32 * 1024);
}

void divergentVotes(const GridspanCpuBlock *B, void *const *Args,
                    const GridspanCpuThreads *T) {
  const uint32_t I = linear(B, T);
  uint32_t Active;
  if (I % 4 == 1) {
    for (uint32_t Turn = 0; Turn < I; ++Turn)
      __gridspan_cpu_yield(B);
    Active = __gridspan_cpu_active_mask(B, 1);
  } else {
    Active = __gridspan_cpu_active_mask(B, 2);
  }
  output(Args)[I] = Active == __gridspan_cpu_warp_vote(
                                  B, Active, uint32_t(WarpVote::Ballot), 1)
                        ? int(Active)
                        : 0;
}

TEST(KernelRunnerTest, ActiveMaskGroupsByPlace) {
  std::vector<int> Out(40);
  Runner Run(divergentVotes, Out.data(), GridspanCpuNeedsFibers);
  EXPECT_EQ(Run(dim3(1), dim3(40)), cudaSuccess);
  for (int I = 0; I < 40; ++I) {
    const uint32_t Mask = uint32_t(Out[I]);
    EXPECT_TRUE(Mask >> (I % 32) & 1) << I;
    // Lanes of one group are at the same place.
    EXPECT_EQ(Mask & (I % 4 == 1 ? ~0x22222222u : 0x22222222u), 0u) << I;
  }
  // The lanes that did not spin arrived together.
  EXPECT_EQ(uint32_t(Out[0]), 0xddddddddu);
}

//===--- Several blocks -------------------------------------------------===//

/// A barrier of the grid over a counter in global memory.
void gridBarrier(const GridspanCpuBlock *B, void *const *Args,
                 const GridspanCpuThreads *T) {
  int *Out = output(Args);
  std::atomic_ref<int> Arrived(Out[0]);
  Out[1 + B->BlockIdxX] = B->BlockIdxX + 1;
  ++Arrived;
  while (Arrived < int(B->GridDimX))
    __gridspan_cpu_yield(B);
  int Sum = 0;
  for (uint32_t I = 0; I < B->GridDimX; ++I)
    Sum += Out[1 + I];
  if (T->LoX == 0)
    Out[100 + B->BlockIdxX] = Sum;
}

TEST(KernelRunnerTest, CooperativeBlocksAreAllInFlight) {
  std::vector<int> Out(200);
  Runner Run(gridBarrier, Out.data(), GridspanCpuNeedsFibers);
  Run.L.Cooperative = true;
  EXPECT_EQ(Run(dim3(20), dim3(1)), cudaSuccess);
  for (int I = 0; I < 20; ++I)
    EXPECT_EQ(Out[100 + I], 210);
}

TEST(KernelRunnerTest, SpinningBlocksLetLaterOnesBegin) {
  std::vector<int> Out(200);
  Runner Run(gridBarrier, Out.data(),
             GridspanCpuNeedsFibers | GridspanCpuSpins);
  EXPECT_EQ(Run(dim3(20), dim3(1)), cudaSuccess);
  EXPECT_EQ(Out[119], 210);
}

TEST(KernelRunnerTest, TooManyCooperativeThreadsAreAnError) {
  Runner Run(gridBarrier, nullptr, GridspanCpuNeedsFibers);
  Run.L.Cooperative = true;
  testing::internal::CaptureStderr();
  EXPECT_EQ(Run(dim3(1000), dim3(1024)), cudaErrorCooperativeLaunchTooLarge);
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              testing::HasSubstr("no memory for the stacks"));
}

TEST(KernelRunnerTest, LaunchesRunAtOnceOnSeveralThreads) {
  std::vector<std::vector<int>> Out(4, std::vector<int>(4 * 64));
  std::vector<std::thread> Threads;
  for (std::vector<int> &Mine : Out)
    Threads.emplace_back([&Mine] {
      for (int Turn = 0; Turn < 20; ++Turn) {
        Runner Run(reverse, Mine.data(), GridspanCpuNeedsFibers);
        EXPECT_EQ(Run(dim3(4), dim3(64)), cudaSuccess);
      }
    });
  for (std::thread &T : Threads)
    T.join();
  for (const std::vector<int> &Mine : Out)
    for (int I = 0; I < 256; ++I)
      EXPECT_EQ(Mine[I], 63 - I % 64 + 2);
}

//===--- Several threads ------------------------------------------------===//

void addBlock(const GridspanCpuBlock *B, void *const *Args,
              const GridspanCpuThreads *) {
  std::atomic_ref<int>(output(Args)[B->BlockIdxX]) += 1;
}

TEST(KernelRunnerTest, ThreadsRunEachBlockOnce) {
  std::vector<int> Out(1000);
  Runner Run(addBlock, Out.data());
  Run.L.Workers = std::make_shared<WorkerPool>(4);
  for (int Turn = 1; Turn != 20; ++Turn) {
    EXPECT_EQ(Run(dim3(1000), dim3(1)), cudaSuccess);
    EXPECT_THAT(Out, Each(Turn));
  }
}

TEST(KernelRunnerTest, ThreadsPrintInBlockOrder) {
  std::string Expected;
  for (int I = 0; I < 200; ++I)
    Expected += "block " + std::to_string(I) + "\n";
  for (uint32_t Flags : {0U, uint32_t(GridspanCpuNeedsFibers)}) {
    Runner Run(printBlock, nullptr, Flags);
    Run.L.Workers = std::make_shared<WorkerPool>(3);
    testing::internal::CaptureStdout();
    EXPECT_EQ(Run(dim3(200), dim3(1)), cudaSuccess);
    EXPECT_EQ(testing::internal::GetCapturedStdout(), Expected);
  }
}

void trapFromFive(const GridspanCpuBlock *B, void *const *,
                  const GridspanCpuThreads *) {
  if (B->BlockIdxX >= 5)
    __gridspan_cpu_trap(B);
}

TEST(KernelRunnerTest, TheEarliestFailureIsReported) {
  for (uint32_t Flags : {0U, uint32_t(GridspanCpuNeedsFibers)})
    for (int Turn = 0; Turn != 20; ++Turn) {
      Runner Run(trapFromFive, nullptr, Flags);
      Run.L.Workers = std::make_shared<WorkerPool>(4);
      testing::internal::CaptureStderr();
      EXPECT_EQ(Run(dim3(100), dim3(1)), cudaErrorLaunchFailure);
      EXPECT_EQ(
          testing::internal::GetCapturedStderr(),
          "gridspan: kernel: a thread of block (5, 0, 0) executed a trap\n");
    }
}

TEST(KernelRunnerTest, ThreadsHaveFibersOfTheirOwn) {
  std::vector<int> Out(64 * 100);
  Runner Run(reverse, Out.data(), GridspanCpuNeedsFibers);
  Run.L.Workers = std::make_shared<WorkerPool>(4);
  for (int Turn = 0; Turn != 10; ++Turn) {
    std::fill(Out.begin(), Out.end(), -1);
    EXPECT_EQ(Run(dim3(64), dim3(100)), cudaSuccess);
    for (int I = 0; I < 6400; ++I)
      EXPECT_EQ(Out[I], 99 - I % 100 + 2);
  }
}

TEST(KernelRunnerTest, BlocksOfSeveralThreadsWaitForEachOther) {
  for (const bool Cooperative : {false, true}) {
    std::vector<int> Out(200);
    Runner Run(gridBarrier, Out.data(),
               GridspanCpuNeedsFibers | GridspanCpuSpins);
    Run.L.Cooperative = Cooperative;
    Run.L.Workers = std::make_shared<WorkerPool>(3);
    EXPECT_EQ(Run(dim3(20), dim3(1)), cudaSuccess);
    for (int I = 0; I < 20; ++I)
      EXPECT_EQ(Out[100 + I], 210);
  }
}

/// Block 0 waits for one that fails.
void waitForFailure(const GridspanCpuBlock *B, void *const *Args,
                    const GridspanCpuThreads *) {
  std::atomic_ref<int> Arrived(*output(Args));
  if (B->BlockIdxX == 0) {
    while (Arrived < 100)
      __gridspan_cpu_yield(B);
    return;
  }
  if (++Arrived == 4)
    __gridspan_cpu_trap(B);
}

TEST(KernelRunnerTest, BlocksThatWaitForAFailedOneEnd) {
  int Arrived = 0;
  Runner Run(waitForFailure, &Arrived,
             GridspanCpuNeedsFibers | GridspanCpuSpins);
  Run.L.Workers = std::make_shared<WorkerPool>(2);
  testing::internal::CaptureStderr();
  EXPECT_EQ(Run(dim3(50), dim3(1)), cudaErrorLaunchFailure);
  testing::internal::GetCapturedStderr();
}

TEST(KernelRunnerTest, UsesTheVectorsThatAreAllowedAndThere) {
  const VectorLevel Before = usedVectors();
  allowVectors(VectorLevel::Avx512);
  const VectorLevel Most = usedVectors();
  for (const VectorLevel Allowed :
       {VectorLevel::Avx2, VectorLevel::Program, VectorLevel::Avx512}) {
    allowVectors(Allowed);
    EXPECT_EQ(usedVectors(), std::min(Allowed, Most));
    EXPECT_EQ(__gridspan_cpu_wide(), static_cast<uint32_t>(usedVectors()));
  }
  allowVectors(Before);
}

} // namespace
