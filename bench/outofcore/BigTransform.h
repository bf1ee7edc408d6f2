//===- BigTransform.h - y = f(x), larger than memory ------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels and sections of the element-wise transforms.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_BENCH_OUTOFCORE_BIGTRANSFORM_H
#define GRIDSPAN_BENCH_OUTOFCORE_BIGTRANSFORM_H

#include "bench/common/HostData.h"

constexpr double Factor = 3;

enum class Transform { Scale, SinCos };
inline const char *nameOf(Transform T) {
  return T == Transform::Scale ? "scale" : "sincos";
}

static __global__ void scale(size_t N, const double *X, double *Y) {
  size_t I = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (I < N)
    Y[I] = Factor * X[I];
}

static __global__ void sinCos(size_t N, const double *X, double *Y) {
  size_t I = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (I < N) {
    double S = sin(X[I]), C = cos(X[I]);
    Y[I] = S * S + C * C;
  }
}

inline void transform(Transform T, size_t N, const double *X, double *Y,
                      cudaStream_t Stream = 0) {
  unsigned Blocks = (N + 255) / 256;
  if (T == Transform::Scale)
    scale<<<Blocks, 256, 0, Stream>>>(N, X, Y);
  else
    sinCos<<<Blocks, 256, 0, Stream>>>(N, X, Y);
  CHECK(cudaGetLastError());
}

/// The sections to run, added up. Steps are there with one GPU only.
constexpr size_t LaunchSections = 1, PinnedSection = 2, PageableSection = 4,
                 StepSections = 8;

struct BigArguments {
  size_t N;
  int Repetitions;
  size_t Sections;
  BigArguments(int Argc, char **Argv)
      : N(argument(Argc, Argv, 1, size_t(1) << 31)),
        Repetitions(argument(Argc, Argv, 2, 3)),
        Sections(argument(Argc, Argv, 3, 7)) {}
};

#endif // GRIDSPAN_BENCH_OUTOFCORE_BIGTRANSFORM_H
