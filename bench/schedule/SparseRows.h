//===- SparseRows.h - Rows of a sparse matrix by a power law ----*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The product of a matrix in compressed rows with a vector, a warp a row. The
// length of rows follows a power law.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_BENCH_SCHEDULE_SPARSEROWS_H
#define GRIDSPAN_BENCH_SCHEDULE_SPARSEROWS_H

#include "bench/schedule/PowerLaw.h"

constexpr int SparseRowsOfBlock = 8;

static __global__ void sparseRows(unsigned First, int Rows, const int *Begins,
                                  const int *Columns, const float *Values,
                                  const float *X, float *Y) {
  int Row = int(First + blockIdx.x) * SparseRowsOfBlock + threadIdx.x / 32;
  if (Row >= Rows)
    return;
  int Lane = threadIdx.x % 32, End = Begins[Row + 1];
  float Sum = 0;
  for (int K = Begins[Row] + Lane; K < End; K += 32)
    Sum += Values[K] * X[Columns[K]];
  for (int Offset = 16; Offset > 0; Offset /= 2)
    Sum += __shfl_down_sync(~0u, Sum, Offset);
  if (Lane == 0)
    Y[Row] = Sum;
}

class SparseRows {
public:
  explicit SparseRows(size_t Size) : Rows(int(Size)) {
    std::vector<int> Starts = powerLawRows(Rows, 32, 4096);
    size_t Entries = Starts.back();
    Begins = onDevice(Starts);
    CHECK(cudaMalloc(&Columns, Entries * sizeof(int)));
    CHECK(cudaMalloc(&Values, Entries * sizeof(float)));
    CHECK(cudaMalloc(&X, Rows * sizeof(float)));
    CHECK(cudaMalloc(&Y, Rows * sizeof(float)));
    fillTargets<<<unsigned((Entries + 255) / 256), 256>>>(Columns, Entries,
                                                          Rows);
    fill(Values, Entries, 1);
    fill(X, Rows, 2);
  }
  unsigned blocks() const {
    return (Rows + SparseRowsOfBlock - 1) / SparseRowsOfBlock;
  }
  void launch(unsigned First, unsigned Count, cudaStream_t S) {
    sparseRows<<<Count, SparseRowsOfBlock * 32, 0, S>>>(First, Rows, Begins,
                                                        Columns, Values, X, Y);
  }
  unsigned long long sum(unsigned First, unsigned Count) const {
    size_t Begin = size_t(First) * SparseRowsOfBlock;
    size_t End =
        std::min(size_t(Rows), Begin + size_t(Count) * SparseRowsOfBlock);
    return checksum(Y + Begin, End - Begin, Begin);
  }

private:
  int Rows;
  int *Begins, *Columns;
  float *Values, *X, *Y;
};

#endif // GRIDSPAN_BENCH_SCHEDULE_SPARSEROWS_H
