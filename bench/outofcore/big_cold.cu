//===- big_cold.cu - A launch and its copies, once ------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Allocates, copies in, launches and copies out, once in a process.
//
// Usage: big_cold [elements] [processes] [kinds]
//
//===----------------------------------------------------------------------===//

#include "bench/outofcore/Cold.h"

int main(int Argc, char **Argv) {
  return coldMain(Argc, Argv,
                  [](Job J, size_t N, const double *From, double *To) {
                    double *X, *Y;
                    const size_t Bytes = N * sizeof(double);
                    const size_t OutBytes = results(J, N) * sizeof(double);
                    CHECK(cudaMalloc(&X, Bytes));
                    CHECK(cudaMalloc(&Y, OutBytes));
                    CHECK(cudaMemcpy(X, From, Bytes, cudaMemcpyHostToDevice));
                    launch(J, N, X, Y);
                    CHECK(cudaMemcpy(To, Y, OutBytes, cudaMemcpyDeviceToHost));
                    CHECK(cudaFree(X));
                    CHECK(cudaFree(Y));
                  });
}
