//===- nbody.cu - All pairs of bodies, one GPU ----------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Usage: nbody [bodies] [steps] [repetitions]
//
//===----------------------------------------------------------------------===//

#include "bench/in_memory/Nbody.h"

int main(int Argc, char **Argv) {
  int N = argument(Argc, Argv, 1, 1 << 18);
  int Steps = argument(Argc, Argv, 2, 3);
  int Repetitions = argument(Argc, Argv, 3, 3);
  float4 *Position, *Velocity;
  CHECK(cudaMalloc(&Position, N * sizeof(float4)));
  CHECK(cudaMalloc(&Velocity, N * sizeof(float4)));
  fill(&Position->x, size_t(4) * N, 1);
  CHECK(cudaMemset(Velocity, 0, N * sizeof(float4)));
  int Blocks = (N + BodyTile - 1) / BodyTile;
  double Seconds = medianSeconds(Repetitions, [&] {
    for (int I = 0; I < Steps; ++I) {
      forces<<<Blocks, BodyTile>>>(0, N, N, Position, Velocity);
      moveBodies<<<Blocks, BodyTile>>>(0, N, Position, Velocity);
    }
    CHECK(cudaDeviceSynchronize());
  });
  report("nbody", Seconds / Steps, 0, checksum(Position, size_t(4) * N));
  CHECK(cudaFree(Position));
  CHECK(cudaFree(Velocity));
}
