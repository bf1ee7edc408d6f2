//===- big_average_hand.cu - Moving average through rings by hand ---------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each chunk is loaded with the inputs of the next one that it needs.
//
//===----------------------------------------------------------------------===//

#include "bench/common/Average.h"
#include "bench/common/HostData.h"
#include "bench/common/Ring.h"

constexpr size_t Chunk = (size_t(128) << 20) / sizeof(float);

int main(int Argc, char **Argv) {
  size_t N = argument(Argc, Argv, 1, size_t(1) << 32);
  int Repetitions = argument(Argc, Argv, 2, 3);
  int Window = argument(Argc, Argv, 3, 64);
  size_t Inputs = N + Window - 1;
  Gpus G;
  HostMemory In(Inputs * sizeof(float), HostKind::Pinned);
  HostMemory Out(N * sizeof(float), HostKind::Pinned);
  fillHost(In.as<float>(), Inputs);
  Rings R(G, (Chunk + Window - 1) * sizeof(float), Chunk * sizeof(float));
  double Seconds = medianSeconds(Repetitions, [&] {
    R.stream(N, Chunk, [&](Ring &On, size_t Begin, size_t End) {
      size_t Count = End - Begin;
      On.chunk(
          [&](void *To, cudaStream_t S) {
            CHECK(cudaMemcpyAsync(To, In.as<float>() + Begin,
                                  (Count + Window - 1) * sizeof(float),
                                  cudaMemcpyHostToDevice, S));
          },
          [&](void *From, void *To, cudaStream_t S) {
            average<<<(Count + 255) / 256, 256, 0, S>>>(
                Count, Window, static_cast<float *>(From),
                static_cast<float *>(To));
          },
          [&](void *From, cudaStream_t S) {
            CHECK(cudaMemcpyAsync(Out.as<float>() + Begin, From,
                                  Count * sizeof(float), cudaMemcpyDeviceToHost,
                                  S));
          });
    });
  });
  report("average", Seconds, 8.0 * N, checksumHost(Out.as<float>(), N));
}
