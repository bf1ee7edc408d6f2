// A program that only captures and replays: its captured launches may be split.
// Replays are right behind launches that move pages, and between them; and when
// only some of a graph's launches can be split.
//
// RUN: %gridspan++ -O2 %s -o %t
// RUN: %compare --devices 1,2,3,4,7 --split step --refused count=mutable-device-variable %t \
// RUN:   | FileCheck %s
// CHECK: PASS

#include "../Inputs/check.h"
#include <utility>
#include <vector>

static constexpr int N = 1 << 20;

__global__ void step(int *Out, const int *In, int Count) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < Count)
    Out[I] = In[I] + In[(I + 1) % Count];
}

/// Threads on one device only may count in a variable of it.
__device__ int Counted;
__global__ void count() { atomicAdd(&Counted, 1); }

/// Wants pages of all devices on the other end.
__global__ void reverse(int *Out, const int *In, int Count) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < Count)
    Out[Count - 1 - I] = In[I];
}

int main() {
  std::vector<int> Expected(N), Next(N), Got(N);
  for (int I = 0; I < N; ++I)
    Expected[I] = I % 1000;
  int *A, *B;
  A = toDevice(Expected.data(), N);
  CHECK(cudaMalloc(&B, N * sizeof(int)));
  cudaStream_t S;
  CHECK(cudaStreamCreate(&S));
  step<<<N / 256, 256, 0, S>>>(B, A, N);

  cudaGraph_t Graph;
  cudaGraphExec_t Exec;
  CHECK(cudaStreamBeginCapture(S, cudaStreamCaptureModeGlobal));
  step<<<N / 256, 256, 0, S>>>(B, A, N);
  count<<<64, 32, 0, S>>>();
  step<<<N / 256, 256, 0, S>>>(A, B, N);
  CHECK(cudaStreamEndCapture(S, &Graph));
  CHECK(cudaGraphInstantiate(&Exec, Graph, 0));

  auto Step = [&] {
    for (int I = 0; I < N; ++I)
      Next[I] = Expected[I] + Expected[(I + 1) % N];
    std::swap(Expected, Next);
  };
  for (int Round = 0; Round < 6; ++Round) {
    CHECK(cudaGraphLaunch(Exec, S));
    Step();
    Step();
    if (Round % 2) {
      // Other homes are better for these; what has moved stays valid.
      for (int I = 0; I < 8; ++I) {
        reverse<<<N / 256, 256, 0, S>>>(B, A, N);
        reverse<<<N / 256, 256, 0, S>>>(A, B, N);
      }
      step<<<N / 256, 256, 0, S>>>(B, A, N);
      step<<<N / 256, 256, 0, S>>>(A, B, N);
      Step();
      Step();
    }
  }
  CHECK(cudaStreamSynchronize(S));
  toHost(Got.data(), A, N);
  EXPECT(Got == Expected);
  int Count = 0;
  CHECK(cudaMemcpyFromSymbol(&Count, Counted, sizeof(int)));
  EXPECT(Count == 6 * 64 * 32);
  CHECK(cudaGraphExecDestroy(Exec));
  CHECK(cudaGraphDestroy(Graph));
  return finish();
}
