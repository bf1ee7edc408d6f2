//===- copies_hand.cu - Large copies between host and several GPUs by hand ===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each GPU copies its share over its own link. Pageable memory is copied by the
// driver, from one thread per GPU.
//
//===----------------------------------------------------------------------===//

#include "bench/common/DeviceData.h"
#include "bench/common/Gpus.h"
#include "bench/in_memory/Copies.h"
#include <thread>

int main(int Argc, char **Argv) {
  size_t N = argument(Argc, Argv, 1, size_t(8) << 30) / 4;
  int Repetitions = argument(Argc, Argv, 2, 3);
  Gpus G;
  float *Data[MaxGpus];
  G.each([&](int I) {
    CHECK(cudaMalloc(&Data[I], G.size(I, N) * sizeof(float)));
    fill(Data[I], G.size(I, N), 1, G.begin(I, N));
    CHECK(cudaDeviceSynchronize());
  });
  for (bool Pinned : {false, true}) {
    HostBuffer H(N * sizeof(float), Pinned);
    auto CopyPart = [&](int I, cudaMemcpyKind Kind) {
      char *OnHost = H.get() + G.begin(I, N) * sizeof(float);
      bool In = Kind == cudaMemcpyHostToDevice;
      CHECK(cudaSetDevice(I));
      CHECK(cudaMemcpyAsync(In ? (void *)Data[I] : OnHost,
                            In ? OnHost : (void *)Data[I],
                            G.size(I, N) * sizeof(float), Kind, G.stream(I)));
    };
    auto Copy = [&](cudaMemcpyKind Kind) {
      return medianSeconds(Repetitions, [&] {
        std::vector<std::thread> Threads;
        for (int I = 0; I < G.count(); ++I)
          if (Pinned)
            CopyPart(I, Kind);
          else
            Threads.emplace_back(CopyPart, I, Kind);
        for (std::thread &T : Threads)
          T.join();
        G.synchronize();
      });
    };
    double Out = Copy(cudaMemcpyDeviceToHost);
    G.each([&](int I) {
      CHECK(cudaMemset(Data[I], 0, G.size(I, N) * sizeof(float)));
      CHECK(cudaDeviceSynchronize());
    });
    double In = Copy(cudaMemcpyHostToDevice);
    unsigned long long Sum = 0;
    G.each(
        [&](int I) { Sum += checksum(Data[I], G.size(I, N), G.begin(I, N)); });
    report(Pinned ? "d2h_pinned" : "d2h_pageable", Out, 4.0 * N, 0);
    report(Pinned ? "h2d_pinned" : "h2d_pageable", In, 4.0 * N, Sum);
  }
}
