//===- scale.cu - A kernel whose launches may be divided ------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include <cstdio>

__global__ void scale(int *X, int N) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < N)
    X[I] *= 3;
}

int main() {
  constexpr int N = 1 << 16;
  static int X[N];
  for (int I = 0; I < N; ++I)
    X[I] = I;
  int *D;
  cudaMalloc(&D, sizeof(X));
  cudaMemcpy(D, X, sizeof(X), cudaMemcpyHostToDevice);
  scale<<<N / 256, 256>>>(D, N);
  cudaMemcpy(X, D, sizeof(X), cudaMemcpyDeviceToHost);
  std::printf("%d %d %d\n", X[1], X[2], X[3]);
}
