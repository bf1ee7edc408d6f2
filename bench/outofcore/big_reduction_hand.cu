//===- big_reduction_hand.cu - Partial sums through rings by hand ---------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each chunk of the data is loaded once; its sums are stored.
//
//===----------------------------------------------------------------------===//

#include "bench/common/Ring.h"
#include "bench/outofcore/BigReduction.h"

constexpr size_t Chunk = (size_t(128) << 20) / sizeof(double);
static_assert(Chunk % SumPerBlock == 0);

int main(int Argc, char **Argv) {
  size_t N = argument(Argc, Argv, 1, size_t(1) << 31);
  int Repetitions = argument(Argc, Argv, 2, 3);
  Gpus G;
  HostMemory X(N * sizeof(double), HostKind::Pinned);
  HostMemory Sums(sumBlocks(N) * sizeof(double), HostKind::Pinned);
  fillHost(X.as<double>(), N);
  Rings R(G, Chunk * sizeof(double), sumBlocks(Chunk) * sizeof(double));
  double Seconds = medianSeconds(Repetitions, [&] {
    R.stream(N, Chunk, [&](Ring &On, size_t Begin, size_t End) {
      size_t Count = End - Begin;
      On.chunk(
          [&](void *To, cudaStream_t S) {
            CHECK(cudaMemcpyAsync(To, X.as<double>() + Begin,
                                  Count * sizeof(double),
                                  cudaMemcpyHostToDevice, S));
          },
          [&](void *From, void *To, cudaStream_t S) {
            blockSums<<<sumBlocks(Count), SumThreads, 0, S>>>(
                Count, static_cast<double *>(From), static_cast<double *>(To));
          },
          [&](void *From, cudaStream_t S) {
            CHECK(cudaMemcpyAsync(Sums.as<double>() + Begin / SumPerBlock, From,
                                  sumBlocks(Count) * sizeof(double),
                                  cudaMemcpyDeviceToHost, S));
          });
    });
  });
  report("block_sums", Seconds, 8.0 * N,
         checksumHost(Sums.as<double>(), sumBlocks(N)));
}
