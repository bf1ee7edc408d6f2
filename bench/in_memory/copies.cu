//===- copies.cu - Large copies between host and device -------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pageable and pinned, of a buffer that a splittable kernel uses.
//
// Usage: copies [bytes] [repetitions]
//
//===----------------------------------------------------------------------===//

#include "bench/common/DeviceData.h"
#include "bench/in_memory/Copies.h"

int main(int Argc, char **Argv) {
  size_t N = argument(Argc, Argv, 1, size_t(8) << 30) / 4;
  int Repetitions = argument(Argc, Argv, 2, 3);
  size_t Bytes = N * sizeof(float);
  float *Data;
  CHECK(cudaMalloc(&Data, Bytes));
  fill(Data, N, 1);
  for (bool Pinned : {false, true}) {
    HostBuffer H(Bytes, Pinned);
    double Out = medianSeconds(Repetitions, [&] {
      CHECK(cudaMemcpy(H.get(), Data, Bytes, cudaMemcpyDeviceToHost));
    });
    CHECK(cudaMemset(Data, 0, Bytes));
    double In = medianSeconds(Repetitions, [&] {
      CHECK(cudaMemcpy(Data, H.get(), Bytes, cudaMemcpyHostToDevice));
    });
    report(Pinned ? "d2h_pinned" : "d2h_pageable", Out, Bytes, 0);
    report(Pinned ? "h2d_pinned" : "h2d_pageable", In, Bytes,
           checksum(Data, N));
  }
  CHECK(cudaFree(Data));
}
