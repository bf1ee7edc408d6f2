//===- transpose_hand.cu - Matrix transposition over several GPUs by hand -===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each GPU makes some rows of the output and reads the tiles for them from the
// GPUs that hold them. It begins with its own, so that the GPUs do not all read
// from the same one at a time.
//
//===----------------------------------------------------------------------===//

#include "bench/common/Gpus.h"
#include "bench/in_memory/Transpose.h"

/// Out: rows from OutFirst on; In: rows [InFirst, InEnd) of another GPU.
static __global__ void transposePart(const float *In, int InFirst, int InEnd,
                                     float *Out, int OutFirst, int OutEnd,
                                     int N) {
  __shared__ float Tile[TransposeTile][TransposeTile + 1];
  int X = OutFirst + blockIdx.x * TransposeTile + threadIdx.x;
  int Y = InFirst + blockIdx.y * TransposeTile + threadIdx.y;
  for (int J = 0; J < TransposeTile; J += TransposeRows)
    if (X < OutEnd && Y + J < InEnd)
      Tile[threadIdx.y + J][threadIdx.x] = In[size_t(Y + J - InFirst) * N + X];
  __syncthreads();
  X = InFirst + blockIdx.y * TransposeTile + threadIdx.x;
  Y = OutFirst + blockIdx.x * TransposeTile + threadIdx.y;
  for (int J = 0; J < TransposeTile; J += TransposeRows)
    if (X < InEnd && Y + J < OutEnd)
      Out[size_t(Y + J - OutFirst) * N + X] =
          Tile[threadIdx.x][threadIdx.y + J];
}

int main(int Argc, char **Argv) {
  int N = argument(Argc, Argv, 1, 32768);
  int Repetitions = argument(Argc, Argv, 2, 5);
  Gpus G;
  float *In[MaxGpus], *Out[MaxGpus];
  auto First = [&](int I) { return int(G.begin(I, N, TransposeTile)); };
  auto Rows = [&](int I) { return int(G.size(I, N, TransposeTile)); };
  auto Words = [&](int I) { return size_t(Rows(I)) * N; };
  G.each([&](int I) {
    CHECK(cudaMalloc(&In[I], Words(I) * sizeof(float)));
    CHECK(cudaMalloc(&Out[I], Words(I) * sizeof(float)));
    fill(In[I], Words(I), 1, size_t(First(I)) * N);
    CHECK(cudaDeviceSynchronize());
  });
  auto Tiles = [](int Size) {
    return (Size + TransposeTile - 1) / TransposeTile;
  };
  double Seconds = medianSeconds(Repetitions, [&] {
    for (int Turn = 0; Turn < G.count(); ++Turn)
      G.each([&](int I) {
        int From = (I + Turn) % G.count();
        transposePart<<<dim3(Tiles(Rows(I)), Tiles(Rows(From))),
                        dim3(TransposeTile, TransposeRows), 0, G.stream(I)>>>(
            In[From], First(From), First(From) + Rows(From), Out[I], First(I),
            First(I) + Rows(I), N);
      });
    G.synchronize();
  });
  unsigned long long Sum = 0;
  G.each(
      [&](int I) { Sum += checksum(Out[I], Words(I), size_t(First(I)) * N); });
  report("transpose", Seconds, 8.0 * N * N, Sum);
}
