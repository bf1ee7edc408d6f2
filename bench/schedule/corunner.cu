//===- corunner.cu - A program that shares a GPU --------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Keeps the first visible GPU busy, so that a program beside it gets about
// half: the driver gives processes with work equal slices of time. Launches
// fill the GPU, last about a millisecond alone, and some are always enqueued.
//
// Prints "ready" when the GPU is busy. Stops after the seconds, when stdin is
// closed, or by itself when its parent has ended, which closes stdin too. At
// the end it says which share of the GPU it had.
//
// Usage: corunner [seconds]
//
//===----------------------------------------------------------------------===//

#include "bench/schedule/Repeat.h"
#include <poll.h>
#include <unistd.h>

namespace {

constexpr int CorunnerThreads = 256, LaunchesAhead = 8;

__global__ void occupy(float *Out, int Rounds) {
  float A = threadIdx.x, B = blockIdx.x, C = 1, D = 2;
  for (int I = 0; I < Rounds; ++I) {
    A = A * 0.999f + 0.5f;
    B = B * 0.998f + 0.25f;
    C = C * 0.997f + 0.125f;
    D = D * 0.996f + 0.75f;
  }
  Out[blockIdx.x * blockDim.x + threadIdx.x] = A + B + C + D;
}

/// True if nobody holds the other end of stdin any more.
bool isInputClosed() {
  pollfd Input = {STDIN_FILENO, POLLIN, 0};
  if (poll(&Input, 1, 0) <= 0)
    return false;
  char Ignored[256];
  return read(STDIN_FILENO, Ignored, sizeof(Ignored)) <= 0;
}

} // namespace

int main(int Argc, char **Argv) {
  double Seconds = secondsArgument(Argc, Argv, 1, 60);
  cudaDeviceProp Device;
  CHECK(cudaGetDeviceProperties(&Device, 0));
  int Blocks = Device.multiProcessorCount *
               (Device.maxThreadsPerMultiProcessor / CorunnerThreads);
  float *Out;
  CHECK(cudaMalloc(&Out, size_t(Blocks) * CorunnerThreads * sizeof(float)));
  int Rounds = 1000;
  auto Alone = [&] {
    return medianSeconds(5, [&] {
      occupy<<<Blocks, CorunnerThreads>>>(Out, Rounds);
      CHECK(cudaDeviceSynchronize());
    });
  };
  while (Alone() < 1e-3)
    Rounds *= 2;
  double Launch = Alone();

  cudaEvent_t Ends[LaunchesAhead];
  for (cudaEvent_t &End : Ends)
    CHECK(cudaEventCreateWithFlags(&End, cudaEventBlockingSync |
                                             cudaEventDisableTiming));
  double Begin = now();
  size_t Launches = 0;
  for (; now() - Begin < Seconds && !isInputClosed(); ++Launches) {
    cudaEvent_t End = Ends[Launches % LaunchesAhead];
    // An event that was never recorded is over.
    CHECK(cudaEventSynchronize(End));
    occupy<<<Blocks, CorunnerThreads>>>(Out, Rounds);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(End));
    if (Launches == LaunchesAhead) {
      puts("ready");
      fflush(stdout);
    }
  }
  CHECK(cudaDeviceSynchronize());
  printf("share %.3f\n", Launch * double(Launches) / (now() - Begin));
  CHECK(cudaFree(Out));
}
