//===- nbody_hand.cu - All pairs of bodies over several GPUs by hand ------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every GPU holds all positions, moves its share of the bodies, and sends their
// new positions to the others.
//
//===----------------------------------------------------------------------===//

#include "bench/common/Gpus.h"
#include "bench/in_memory/Nbody.h"

int main(int Argc, char **Argv) {
  int N = argument(Argc, Argv, 1, 1 << 18);
  int Steps = argument(Argc, Argv, 2, 3);
  int Repetitions = argument(Argc, Argv, 3, 3);
  Gpus G;
  float4 *Position[MaxGpus], *Velocity[MaxGpus];
  // Events of the present step: forces are computed, positions were sent.
  cudaEvent_t Computed[MaxGpus], Sent[MaxGpus];
  auto First = [&](int I) { return G.begin(I, N, BodyTile); };
  auto Part = [&](int I) { return G.size(I, N, BodyTile); };
  G.each([&](int I) {
    CHECK(cudaMalloc(&Position[I], N * sizeof(float4)));
    CHECK(cudaMalloc(&Velocity[I], Part(I) * sizeof(float4)));
    fill(&Position[I]->x, size_t(4) * N, 1);
    CHECK(cudaMemset(Velocity[I], 0, Part(I) * sizeof(float4)));
    CHECK(cudaEventCreateWithFlags(&Computed[I], cudaEventDisableTiming));
    CHECK(cudaEventCreateWithFlags(&Sent[I], cudaEventDisableTiming));
    CHECK(cudaDeviceSynchronize());
  });
  auto WaitForAll = [&](int I, cudaEvent_t *Events) {
    for (int J = 0; J < G.count(); ++J)
      if (J != I)
        CHECK(cudaStreamWaitEvent(G.stream(I), Events[J], 0));
  };
  double Seconds = medianSeconds(Repetitions, [&] {
    for (int Step = 0; Step < Steps; ++Step) {
      G.each([&](int I) {
        WaitForAll(I, Sent);
        forces<<<(Part(I) + BodyTile - 1) / BodyTile, BodyTile, 0,
                 G.stream(I)>>>(First(I), Part(I), N, Position[I], Velocity[I]);
        CHECK(cudaEventRecord(Computed[I], G.stream(I)));
      });
      G.each([&](int I) {
        moveBodies<<<(Part(I) + BodyTile - 1) / BodyTile, BodyTile, 0,
                     G.stream(I)>>>(First(I), Part(I), Position[I],
                                    Velocity[I]);
        WaitForAll(I, Computed);
        for (int J = 0; J < G.count(); ++J)
          if (J != I)
            CHECK(cudaMemcpyPeerAsync(Position[J] + First(I), J,
                                      Position[I] + First(I), I,
                                      Part(I) * sizeof(float4), G.stream(I)));
        CHECK(cudaEventRecord(Sent[I], G.stream(I)));
      });
    }
    G.synchronize();
  });
  CHECK(cudaSetDevice(0));
  report("nbody", Seconds / Steps, 0, checksum(Position[0], size_t(4) * N));
}
