//===- skewed_hand.cu - Skewed work on two GPUs by hand -------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds the best contiguous share of two GPUs by trying all, from 0.02 to 0.98.
// Each GPU has its own copy of what is read and writes its own results; marks
// of the frontier are merged on the first one. The two meet at the end of a
// batch of launches only. The section with "ordered" behind its name lets each
// launch wait for the one before on both, as launches of one stream do.
//
// With one GPU both shares run on it, which measures nothing.
//
// Usage: skewed_hand problem size [seconds]
//
//===----------------------------------------------------------------------===//

#include "bench/common/Gpus.h"
#include "bench/schedule/Skewed.h"
#include <memory>

namespace {

template <class Problem> class Pair {
public:
  Pair(const Gpus &G, size_t Size) {
    for (int I = 0; I < 2; ++I) {
      Device[I] = I % G.count();
      CHECK(cudaSetDevice(Device[I]));
      CHECK(cudaStreamCreateWithFlags(&Stream[I], cudaStreamNonBlocking));
      CHECK(cudaEventCreateWithFlags(&Done[I], cudaEventDisableTiming));
      Parts[I] = std::make_unique<Problem>(Size);
      CHECK(cudaDeviceSynchronize());
    }
  }
  unsigned blocks() const { return Parts[0]->blocks(); }

  /// Enqueues a launch whose first Cut blocks the first GPU runs.
  void launch(unsigned Cut, bool IsOrdered) {
    for (int I = 0; I < 2; ++I) {
      CHECK(cudaSetDevice(Device[I]));
      if (IsOrdered)
        CHECK(cudaStreamWaitEvent(Stream[I], Done[1 - I], 0));
      unsigned First = I == 0 ? 0 : Cut;
      unsigned Count = I == 0 ? Cut : blocks() - Cut;
      if (Count > 0)
        Parts[I]->launch(First, Count, Stream[I]);
      CHECK(cudaGetLastError());
    }
    // Both launches are enqueued, so that neither waits for this one's other.
    for (int I = 0; I < 2; ++I) {
      CHECK(cudaSetDevice(Device[I]));
      CHECK(cudaEventRecord(Done[I], Stream[I]));
    }
    if constexpr (requires { Parts[0]->merge(*Parts[1], Stream[0]); }) {
      CHECK(cudaSetDevice(Device[0]));
      CHECK(cudaStreamWaitEvent(Stream[0], Done[1], 0));
      Parts[0]->merge(*Parts[1], Stream[0]);
      CHECK(cudaEventRecord(Done[0], Stream[0]));
    }
  }
  void wait() {
    for (int I = 0; I < 2; ++I)
      CHECK(cudaStreamSynchronize(Stream[I]));
  }
  unsigned long long sum(unsigned Cut) {
    CHECK(cudaSetDevice(Device[0]));
    // Merged results are all on the first GPU.
    if constexpr (requires { Parts[0]->merge(*Parts[1], Stream[0]); })
      return Parts[0]->sum(0, blocks());
    unsigned long long Sum = Cut > 0 ? Parts[0]->sum(0, Cut) : 0;
    CHECK(cudaSetDevice(Device[1]));
    return Sum + Parts[1]->sum(Cut, blocks() - Cut);
  }

private:
  int Device[2];
  cudaStream_t Stream[2];
  cudaEvent_t Done[2];
  std::unique_ptr<Problem> Parts[2];
};

constexpr int ShareSteps = 50, TriesOfShare = 5;

template <class Problem>
void run(const std::string &Name, size_t Size, double Seconds) {
  Gpus G;
  Pair<Problem> P(G, Size);
  auto Wait = [&] { P.wait(); };
  auto CutOf = [&](int Step) {
    return unsigned(size_t(P.blocks()) * Step / ShareSteps);
  };
  int Best = 1;
  double Least = 0;
  for (int Step = 1; Step < ShareSteps; ++Step) {
    auto Batch = [&] {
      for (int I = 0; I < 3; ++I)
        P.launch(CutOf(Step), false);
      Wait();
    };
    double Time = medianSeconds(TriesOfShare, Batch);
    if (Step == 1 || Time < Least) {
      Best = Step;
      Least = Time;
    }
  }
  unsigned Cut = CutOf(Best);
  LaunchTimes Free =
      repeatLaunches(Seconds / 2, [&] { P.launch(Cut, false); }, Wait);
  reportLaunches(Name, Free, P.sum(Cut));
  LaunchTimes Ordered =
      repeatLaunches(Seconds / 2, [&] { P.launch(Cut, true); }, Wait);
  report((Name + " ordered").c_str(), Ordered.Settled, 0, P.sum(Cut));
  printf("SHARE {\"section\": \"%s\", \"share\": %.2f}\n", Name.c_str(),
         double(Best) / ShareSteps);
}

} // namespace

int main(int Argc, char **Argv) {
  if (Argc < 3)
    return wrongUsage(Argv[0]);
  size_t Size = argument(Argc, Argv, 2, 0);
  double Seconds = secondsArgument(Argc, Argv, 3, 2);
  bool IsKnown = withProblem(
      Argv[1], [&]<class Problem> { run<Problem>(Argv[1], Size, Seconds); });
  return IsKnown ? 0 : wrongUsage(Argv[0]);
}
