//===- column_sums.cu - Shapes of blocks for sums of columns --------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sums of the columns of a matrix of doubles by ColumnSums.h, in all shapes of
// blocks and numbers of them, beside plain reading of as many bytes. Prints,
// for each size, the share of the read bandwidth that each shape reaches, and
// then the shapes by their worst share.
//
//===----------------------------------------------------------------------===//

#include "bench/common/EventTime.h"
#include "bench/layout/ColumnSums.h"
#include <algorithm>
#include <cmath>
#include <functional>

struct Shape {
  int Across, Unroll, BlocksPerMultiprocessor;
  std::function<void(const double *, double *, unsigned, unsigned)> Launch;
  std::vector<double> Shares = {};

  double worst() const {
    return *std::min_element(Shares.begin(), Shares.end());
  }
};

template <int Across, int Unroll>
static void addShapes(std::vector<Shape> &Shapes) {
  for (int PerMultiprocessor : {1, 2, 3, 4, 8, 16, 32})
    Shapes.push_back(
        {Across, Unroll, PerMultiprocessor,
         [=](const double *A, double *Out, unsigned Objects, unsigned Length) {
           launchColumnSums<Across, Unroll>(A, Out, Objects, Length,
                                            PerMultiprocessor);
         }});
}

template <int Across> static void addUnrolled(std::vector<Shape> &Shapes) {
  addShapes<Across, 4>(Shapes);
  addShapes<Across, 8>(Shapes);
  addShapes<Across, 16>(Shapes);
}

/// Returns the launches of a batch: more of short ones.
static int Batch = 1;

static double milliseconds(const std::function<void()> &Launch) {
  return medianMilliseconds(25, Launch, Batch);
}

static double readTime(const double *A, double *Out, size_t N) {
  double Best = 1e30;
  for (unsigned PerMultiprocessor : {4, 8, 16, 32})
    Best = std::min(Best, milliseconds([&] {
                      readAll<<<multiprocessors() * PerMultiprocessor, 256>>>(
                          (const double2 *)A, Out, N / 2);
                    }));
  return Best;
}

/// Element K of column O is K + O % 7.
__global__ void fillColumns(double *A, unsigned Objects, unsigned Length) {
  size_t N = size_t(Objects) * Length;
  for (size_t I = blockIdx.x * blockDim.x + threadIdx.x; I < N;
       I += size_t(gridDim.x) * blockDim.x)
    A[I] = I / Objects + I % Objects % 7;
}

static bool areRight(const double *Out, unsigned Objects, unsigned Length) {
  std::vector<double> Sums(Objects);
  CHECK(cudaMemcpy(Sums.data(), Out, Objects * sizeof(double),
                   cudaMemcpyDeviceToHost));
  for (unsigned O = 0; O < Objects; ++O) {
    double Right = 0.5 * Length * (Length - 1.0) + double(Length) * (O % 7);
    if (std::abs(Sums[O] - Right) > 1e-9 * Right)
      return false;
  }
  return true;
}

static void show(const Shape &S) {
  printf("across %d unroll %2d blocks %2d:", S.Across, S.Unroll,
         S.BlocksPerMultiprocessor);
  for (double Share : S.Shares)
    printf(" %.3f", Share);
  printf("  worst %.3f\n", S.worst());
}

/// Usage: column_sums [all]
int main(int Argc, char **) {
  struct Size {
    unsigned Objects, Length;
  };
  const Size Sizes[] = {{2000, 10000},  {10000, 2000}, {10000, 10000},
                        {20000, 10000}, {500, 10000},  {100, 10000}};
  const size_t MaxElements = 200000000;
  double *A, *Out;
  CHECK(cudaMalloc(&A, MaxElements * sizeof(double)));
  CHECK(cudaMalloc(&Out, 65536 * sizeof(double)));
  std::vector<Shape> Shapes;
  addUnrolled<1>(Shapes);
  addUnrolled<2>(Shapes);
  addUnrolled<4>(Shapes);
  addUnrolled<8>(Shapes);
  for (const auto &[Objects, Length] : Sizes) {
    Batch = int(std::max<size_t>(1, 10000000 / (size_t(Objects) * Length)));
    fillColumns<<<1024, 256>>>(A, Objects, Length);
    double Read = readTime(A, Out, size_t(Objects) * Length);
    printf("%u columns of %u: read %.5f ms\n", Objects, Length, Read);
    for (Shape &S : Shapes) {
      double Time = milliseconds([&] { S.Launch(A, Out, Objects, Length); });
      CHECK(cudaMemset(Out, 0, Objects * sizeof(double)));
      S.Launch(A, Out, Objects, Length);
      if (!areRight(Out, Objects, Length))
        printf("WRONG across %d unroll %d blocks %d\n", S.Across, S.Unroll,
               S.BlocksPerMultiprocessor);
      S.Shares.push_back(Read / Time);
    }
  }
  std::sort(Shapes.begin(), Shapes.end(), [](const Shape &L, const Shape &R) {
    return L.worst() > R.worst();
  });
  if (Argc < 2) {
    Shapes.resize(12);
  }
  for (const Shape &S : Shapes)
    show(S);
  CHECK(cudaFree(A));
  CHECK(cudaFree(Out));
}
