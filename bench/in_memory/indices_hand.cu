//===- indices_hand.cu - Gather and scatter over several GPUs by hand -----===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each GPU has its share of everything. For scattered indices each has a copy
// of all that is gathered, and scatters write over the links.
//
//===----------------------------------------------------------------------===//

#include "bench/common/Gpus.h"
#include "bench/in_memory/Indices.h"

struct Parts {
  float *Of[MaxGpus];
  size_t Each;
};

static __global__ void scatterToParts(size_t n, const unsigned *Index,
                                      const float *In, Parts A) {
  size_t I = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (I < n)
    A.Of[Index[I] / A.Each][Index[I] % A.Each] = In[I];
}

int main(int Argc, char **Argv) {
  IndexArguments Args(Argc, Argv);
  const size_t N = Args.N;
  Gpus G;
  unsigned *Index[MaxGpus];
  float *All[MaxGpus], *List[MaxGpus];
  Parts A = {};
  A.Each = G.size(0, N, IndexBand);
  auto First = [&](int I) { return G.begin(I, N, IndexBand); };
  auto Part = [&](int I) { return G.size(I, N, IndexBand); };
  G.each([&](int I) {
    CHECK(cudaMalloc(&Index[I], Part(I) * sizeof(unsigned)));
    CHECK(cudaMalloc(&All[I], N * sizeof(float)));
    CHECK(cudaMalloc(&List[I], Part(I) * sizeof(float)));
    A.Of[I] = All[I] + First(I);
  });
  auto SumOf = [&](float *const *Of) {
    unsigned long long Sum = 0;
    G.each([&](int I) { Sum += checksum(Of[I], Part(I), First(I)); });
    return Sum;
  };
  for (int Kind : {Sorted, Banded, Scattered}) {
    auto FillIndices = [&](int I) {
      fillIndices<<<blocksOf(Part(I)), 256, 0, G.stream(I)>>>(
          Part(I), First(I), N, Kind, Index[I]);
    };
    auto Reset = [&] {
      G.each([&](int I) {
        FillIndices(I);
        fillFloats<<<blocksOf(N), 256, 0, G.stream(I)>>>(N, 0, All[I]);
      });
      G.synchronize();
    };
    auto Gather = [&](int I) {
      gather<<<blocksOf(Part(I)), 256, 0, G.stream(I)>>>(Part(I), Index[I],
                                                         All[I], List[I]);
    };
    Reset();
    double Seconds = steadySeconds(Args, [&] {
      G.each(Gather);
      G.synchronize();
    });
    reportOf("gather", Kind, Seconds, N, SumOf(List));
    Reset();
    Seconds = steadySeconds(Args, [&] {
      G.each([&](int I) {
        update<<<blocksOf(Part(I)), 256, 0, G.stream(I)>>>(Part(I), A.Of[I]);
        for (int J = 0; Kind == Scattered && J < G.count(); ++J)
          if (J != I)
            CHECK(cudaMemcpyAsync(All[J] + First(I), A.Of[I],
                                  Part(I) * sizeof(float), cudaMemcpyDefault,
                                  G.stream(I)));
      });
      if (Kind == Scattered)
        G.synchronize();
      G.each(Gather);
      G.synchronize();
    });
    reportOf("gather-changing", Kind, Seconds, N, SumOf(List));
    Reset();
    Seconds = steadySeconds(Args, [&] {
      G.each([&](int I) {
        FillIndices(I);
        Gather(I);
      });
      G.synchronize();
    });
    reportOf("gather-reindexed", Kind, Seconds, N, SumOf(List));
    Reset();
    G.each([&](int I) {
      fillFloats<<<blocksOf(Part(I)), 256, 0, G.stream(I)>>>(Part(I), First(I),
                                                             List[I]);
    });
    Seconds = steadySeconds(Args, [&] {
      G.each([&](int I) {
        if (Kind == Scattered)
          scatterToParts<<<blocksOf(Part(I)), 256, 0, G.stream(I)>>>(
              Part(I), Index[I], List[I], A);
        else
          scatter<<<blocksOf(Part(I)), 256, 0, G.stream(I)>>>(Part(I), Index[I],
                                                              List[I], All[I]);
      });
      G.synchronize();
    });
    reportOf("scatter", Kind, Seconds, N, SumOf(A.Of));
  }
}
