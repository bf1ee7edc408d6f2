// GRIDSPAN_PROFILE: launches by class, and samples of the requests whose
// addresses, or number, follow from data. What is recorded is compared with what
// the program makes its data to be, and with the access trace.

// RUN: rm -rf %t.advice && mkdir %t.advice
// RUN: %gridspan++ -O2 -lineinfo -arch=sm_90 -mllvm -gridspan-advice=%t.advice/ %s -o %t
// RUN: env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_PROFILE=%t.json %t | FileCheck %s --check-prefix=RESULT
// RUN: env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_TRACE_ACCESS=%t.trace %t > /dev/null
// RUN: gridspan-trace %t.trace > %t.requests
// RUN: %python %S/Inputs/check_profile.py %t.json %t.requests
// RESULT: sums 1024 2048 588

// The same on several devices, whose tiles are recorded each by its own.
// RUN: env GRIDSPAN_DEVICES=cpu:3 GRIDSPAN_SCHEDULE=static GRIDSPAN_PROFILE=%t.3.json %t | FileCheck %s --check-prefix=RESULT
// RUN: %python %S/Inputs/check_profile.py %t.3.json %t.requests

// Advice with it knows all accesses, without compiling again.
// RUN: gridspan-advice %t.advice | FileCheck %s --check-prefix=WITHOUT
// RUN: gridspan-advice --profile %t.json | FileCheck %s --check-prefix=WITH
// WITHOUT: {{[0-9]+}} accesses, {{[1-9][0-9]*}} not known
// WITH: {{[0-9]+}} accesses, 0 not known
// WITH: the run had 7 launches
// WITH-DAG: kernel gather(float*, float const*, int const*, int) of {{.*}}: 32 blocks of 256 threads
// WITH-DAG: cpu-device: the program ran on the CPU device

// Another build of the program is refused.
// RUN: %gridspan++ -O2 -lineinfo -arch=sm_90 -DFACTOR=3 -mllvm -gridspan-advice=%t.advice/ %s -o %t.other
// RUN: not gridspan-advice --profile %t.json %t.advice 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: another-build: {{.*}}profile.cu was compiled again since the program ran

// One command does it all.
// RUN: env GRIDSPAN_DEVICES=cpu:1 gridspan-advice run --all --html %t.html --sarif %t.sarif %t.other > %t.out
// RUN: FileCheck %s --check-prefix=ONE --input-file=%t.out
// RUN: FileCheck %s --check-prefix=HTML --input-file=%t.html
// RUN: test ! -e %t.html.part
// RUN: FileCheck %s --check-prefix=SARIF --input-file=%t.sarif
// ONE: sums 1024
// ONE: accesses, 0 not known
// HTML: <section id="overview">
// HTML: <pre class="source">
// SARIF: "version": "2.1.0"

#include <cstdio>
#include <vector>

#ifndef FACTOR
#define FACTOR 1
#endif

// Indices decide what a request touches.
__global__ void gather(float *Out, const float *In, const int *Index, int N) {
  const int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < N)
    Out[I] = FACTOR * In[Index[I]];
}

// Rows decide how often a loop goes round, and flags which lanes are there.
__global__ void rows(float *Out, const float *In, const int *Begin,
                     const int *Flag, int N) {
  const int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I >= N)
    return;
  float Sum = 0;
  for (int K = Begin[I]; K < Begin[I + 1]; ++K)
    if (Flag[K])
      Sum += In[K];
  Out[I] = Sum;
}

int main() {
  const int N = 8192;
  float *In, *Out;
  int *Index, *Begin, *Flag;
  cudaMalloc(&In, 8 * N * sizeof(float));
  cudaMalloc(&Out, N * sizeof(float));
  cudaMalloc(&Index, N * sizeof(int));
  cudaMalloc(&Begin, (N + 1) * sizeof(int));
  cudaMalloc(&Flag, 8 * N * sizeof(int));
  std::vector<float> Ones(8 * N, 1.0f), Result(N);
  std::vector<int> Host(8 * N);
  cudaMemcpy(In, Ones.data(), 8 * N * sizeof(float), cudaMemcpyHostToDevice);
  auto Total = [&](int Count) {
    cudaMemcpy(Result.data(), Out, N * sizeof(float), cudaMemcpyDeviceToHost);
    double Sum = 0;
    for (int I = 0; I != Count; ++I)
      Sum += Result[I];
    return Sum / FACTOR;
  };
  // Lanes 32 bytes apart: 32 sectors a request.
  for (int I = 0; I != N; ++I)
    Host[I] = 8 * I;
  cudaMemcpy(Index, Host.data(), N * sizeof(int), cudaMemcpyHostToDevice);
  for (int Launch = 0; Launch != 4; ++Launch)
    gather<<<N / 256, 256>>>(Out, In, Index, N);
  const double First = Total(1024);
  // A class of its own: fewer blocks, side by side.
  for (int I = 0; I != N; ++I)
    Host[I] = I;
  cudaMemcpy(Index, Host.data(), N * sizeof(int), cudaMemcpyHostToDevice);
  for (int Launch = 0; Launch != 2; ++Launch)
    gather<<<N / 1024, 256>>>(Out, In, Index, N / 4);
  const double Second = Total(2048);
  // Row I of each warp has I % 8 elements, every other one of which counts.
  int At = 0;
  for (int I = 0; I != N; ++I) {
    Host[I] = At;
    At += I % 8;
  }
  std::vector<int> Flags(8 * N);
  for (int K = 0; K != 8 * N; ++K)
    Flags[K] = K % 2;
  std::vector<int> Bounds(Host.begin(), Host.begin() + N);
  Bounds.push_back(At);
  cudaMemcpy(Begin, Bounds.data(), (N + 1) * sizeof(int),
             cudaMemcpyHostToDevice);
  cudaMemcpy(Flag, Flags.data(), 8 * N * sizeof(int), cudaMemcpyHostToDevice);
  // A launch without blocks fails, and is none of the profile's.
  rows<<<dim3(N / 256, 0), 256>>>(Out, In, Begin, Flag, N);
  if (cudaGetLastError() != cudaErrorInvalidValue)
    return 1;
  rows<<<N / 256, 256>>>(Out, In, Begin, Flag, N);
  cudaMemcpy(Result.data(), Out, N * sizeof(float), cudaMemcpyDeviceToHost);
  double Rows = 0;
  for (int I = 0; I != 338; ++I)
    Rows += Result[I];
  std::printf("sums %.0f %.0f %.0f\n", First, Second, Rows);
  return cudaGetLastError() != cudaSuccess;
}
