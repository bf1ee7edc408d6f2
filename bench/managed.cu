//===- managed.cu - Managed memory that is touched by turns ---------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A stencil in cudaMallocManaged memory: the first launch after the host has
// filled it, steps that the host waits for one by one, steps between which it
// writes one element, and the host's reading of the result.
//
// Usage: managed [elements] [repetitions]
//
//===----------------------------------------------------------------------===//

#include "Bench.h"
#include "Managed.h"

int main(int Argc, char **Argv) {
  const size_t N = argument(Argc, Argv, 1, size_t(1) << 28);
  const int Repetitions = argument(Argc, Argv, 2, 3);
  constexpr int Steps = 20;
  float *X, *Y;
  CHECK(cudaMallocManaged(&X, N * sizeof(float)));
  CHECK(cudaMallocManaged(&Y, N * sizeof(float)));
  auto Step = [&] {
    smooth<<<unsigned((N + 255) / 256), 256>>>(X, Y, 0, N, N);
    CHECK(cudaDeviceSynchronize());
    std::swap(X, Y);
  };
  std::vector<double> First, Later, Touched, Read;
  unsigned long long Checksum = 0;
  for (int I = 0; I < Repetitions; ++I) {
    fillManaged(X, N);
    double Begin = now();
    Step();
    First.push_back(now() - Begin);
    Begin = now();
    for (int S = 0; S < Steps; ++S)
      Step();
    Later.push_back((now() - Begin) / Steps);
    Begin = now();
    for (int S = 0; S < Steps; ++S) {
      X[N / 3] += 1;
      Step();
    }
    Touched.push_back((now() - Begin) / Steps);
    Begin = now();
    Checksum = checksumOf(X, N);
    Read.push_back(now() - Begin);
  }
  const double Bytes = 2.0 * N * sizeof(float);
  report("managed_first", median(First), Bytes, 0);
  report("managed_steps", median(Later), Bytes, Checksum);
  report("managed_touched", median(Touched), Bytes, 0);
  report("managed_read", median(Read), Bytes / 2, 0);
  CHECK(cudaFree(X));
  CHECK(cudaFree(Y));
}
