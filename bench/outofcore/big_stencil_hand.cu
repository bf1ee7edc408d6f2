//===- big_stencil_hand.cu - 5-point stencil through rings by hand --------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each chunk of rows is loaded with a row of its neighbours on either side.
//
//===----------------------------------------------------------------------===//

#include "bench/common/HostData.h"
#include "bench/common/Ring.h"
#include "bench/common/Stencil.h"

int main(int Argc, char **Argv) {
  int Width = argument(Argc, Argv, 1, 65536);
  int Height = argument(Argc, Argv, 2, Width);
  int Repetitions = argument(Argc, Argv, 3, 3);
  size_t N = size_t(Width) * Height, RowBytes = Width * sizeof(float);
  size_t Chunk = std::max<size_t>(4, (size_t(128) << 20) / RowBytes);
  Gpus G;
  HostMemory In(N * sizeof(float), HostKind::Pinned);
  HostMemory Out(N * sizeof(float), HostKind::Pinned);
  fillHost(In.as<float>(), N);
  Rings R(G, (Chunk + 2) * RowBytes, (Chunk + 2) * RowBytes);
  double Seconds = medianSeconds(Repetitions, [&] {
    R.stream(Height, Chunk, [&](Ring &On, size_t Begin, size_t End) {
      size_t Held = Begin ? Begin - 1 : 0;
      size_t HeldEnd = std::min<size_t>(Height, End + 1);
      On.chunk(
          [&](void *To, cudaStream_t S) {
            CHECK(cudaMemcpyAsync(To, In.as<float>() + Held * Width,
                                  (HeldEnd - Held) * RowBytes,
                                  cudaMemcpyHostToDevice, S));
          },
          [&](void *From, void *To, cudaStream_t S) {
            smoothPart<<<stencilGrid(Width, End - Begin), stencilBlock(), 0,
                         S>>>(static_cast<float *>(From),
                              static_cast<float *>(To), Width, Height, Begin,
                              End, Held);
          },
          [&](void *From, cudaStream_t S) {
            CHECK(cudaMemcpyAsync(
                Out.as<float>() + Begin * Width,
                static_cast<char *>(From) + (Begin - Held) * RowBytes,
                (End - Begin) * RowBytes, cudaMemcpyDeviceToHost, S));
          });
    });
  });
  report("stencil", Seconds, 8.0 * N, checksumHost(Out.as<float>(), N));
}
