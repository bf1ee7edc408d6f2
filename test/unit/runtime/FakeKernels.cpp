//===- FakeKernels.cpp - Descriptors of kernels written by hand -----------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//===----------------------------------------------------------------------===//

#include "FakeKernels.h"
#include <algorithm>

namespace gridspan::fake {

static const char Stubs[32] = {};

template <typename T> static T arg(const GridspanBox *B, unsigned I) {
  return *static_cast<T *>(B->Args[I]);
}

/// Threads of the box along an axis, cut to N: first and one past the last.
static std::pair<int64_t, int64_t> threads(const GridspanBox *B, unsigned Axis,
                                           int64_t N) {
  int64_t Lo = int64_t(B->BlockLo[Axis]) * B->BlockDim[Axis];
  int64_t Hi = Lo + int64_t(B->BlockCount[Axis]) * B->BlockDim[Axis];
  return {std::min(Lo, N), std::min(Hi, N)};
}

static GridspanRange bytes(int64_t Lo, int64_t Hi) {
  if (Lo >= Hi)
    return {0, 0, 0, 0, GridspanRangeEmpty, 0};
  return {Lo, Hi - Lo, 0, 1, GridspanRangeExact, 0};
}

static GridspanRange unknown() { return {0, 0, 0, 0, GridspanRangeUnknown, 0}; }

template <size_t P, size_t Q, size_t A>
static GridspanKernel
make(unsigned Stub, const char *Name, const GridspanParam (&Params)[P],
     const GridspanPointer (&Pointers)[Q], const GridspanAccess (&Accesses)[A],
     GridspanRangeFn Ranges, GridspanWorkFn Work) {
  GridspanKernel K = {};
  K.HostStub = &Stubs[2 * Stub];
  K.TiledStub = &Stubs[2 * Stub + 1];
  K.Name = Name;
  K.Params = Params;
  K.Pointers = Pointers;
  K.Accesses = Accesses;
  K.Ranges = Ranges;
  K.Work = Work;
  K.NumParams = P;
  K.NumPointers = Q;
  K.NumAccesses = A;
  return K;
}

GridspanKernel saxpy() {
  static const GridspanParam Params[] = {{0, 4}, {8, 8}, {16, 8}, {24, 4}};
  static const GridspanPointer Pointers[] = {
      {1, 0, GridspanRead, GridspanReplicable},
      {2, 0, GridspanRead | GridspanWrite, 0}};
  static const GridspanAccess Accesses[] = {
      {"saxpy.cu:3", nullptr, 0, GridspanRead, 4, 0},
      {"saxpy.cu:3", nullptr, 1, GridspanRead, 4, 1},
      {"saxpy.cu:3", nullptr, 1, GridspanWrite, 4, 2}};
  return make(
      0, "_Z5saxpyfPKfPfi", Params, Pointers, Accesses,
      [](const GridspanBox *B, GridspanRange *Out) {
        auto [Lo, Hi] = threads(B, 0, arg<int>(B, 3));
        std::fill_n(Out, 3, bytes(4 * Lo, 4 * Hi));
      },
      [](const GridspanBox *B) {
        return 10.0 * B->BlockCount[0] * B->BlockDim[0];
      });
}

GridspanKernel stencil() {
  static const GridspanParam Params[] = {{0, 8}, {8, 8}, {16, 4}, {20, 4}};
  static const GridspanPointer Pointers[] = {
      {0, 0, GridspanWrite, 0}, {1, 0, GridspanRead, GridspanReplicable}};
  static const GridspanAccess Accesses[] = {
      {"stencil.cu:9", nullptr, 1, GridspanRead, 4, 0},
      {"stencil.cu:9", nullptr, 0, GridspanWrite, 4, 1}};
  return make(
      1, "_Z7stencilPfPKfii", Params, Pointers, Accesses,
      [](const GridspanBox *B, GridspanRange *Out) {
        const int64_t Width = arg<int>(B, 2), Height = arg<int>(B, 3);
        auto [XLo, XHi] = threads(B, 0, Width);
        auto [YLo, YHi] = threads(B, 1, Height);
        Out[0] = Out[1] = bytes(0, 0);
        if (XLo >= XHi || YLo >= YHi)
          return;
        int64_t X0 = std::max<int64_t>(XLo - 1, 0),
                X1 = std::min(XHi + 1, Width);
        int64_t Y0 = std::max<int64_t>(YLo - 1, 0),
                Y1 = std::min(YHi + 1, Height);
        Out[0] = {4 * (Y0 * Width + X0),
                  4 * (X1 - X0),
                  4 * Width,
                  Y1 - Y0,
                  GridspanRangeMay,
                  0};
        Out[1] = {4 * (YLo * Width + XLo),
                  4 * (XHi - XLo),
                  4 * Width,
                  YHi - YLo,
                  GridspanRangeExact,
                  0};
        for (int I = 0; I < 2; ++I)
          if (Out[I].RowBytes == Out[I].Pitch)
            Out[I] = bytes(Out[I].Lo, Out[I].Lo + Out[I].Rows * Out[I].Pitch);
      },
      [](const GridspanBox *B) {
        return 20.0 * B->BlockCount[0] * B->BlockDim[0] * B->BlockCount[1] *
               B->BlockDim[1];
      });
}

GridspanKernel matmul() {
  static const GridspanParam Params[] = {{0, 8}, {8, 8}, {16, 8}, {24, 4}};
  static const GridspanPointer Pointers[] = {
      {0, 0, GridspanWrite, 0},
      {1, 0, GridspanRead, GridspanReplicable},
      {2, 0, GridspanRead, GridspanReplicable}};
  static const GridspanAccess Accesses[] = {
      {"matmul.cu:7", nullptr, 0, GridspanWrite, 4, 0},
      {"matmul.cu:5", nullptr, 1, GridspanRead, 4, 1},
      {"matmul.cu:5", nullptr, 2, GridspanRead, 4, 2}};
  return make(
      2, "_Z6matmulPfPKfS1_i", Params, Pointers, Accesses,
      [](const GridspanBox *B, GridspanRange *Out) {
        const int64_t N = arg<int>(B, 3);
        auto [Lo, Hi] = threads(B, 0, N);
        Out[0] = Out[1] = bytes(4 * N * Lo, 4 * N * Hi);
        Out[2] = Lo < Hi ? bytes(0, 4 * N * N) : bytes(0, 0);
      },
      [](const GridspanBox *B) {
        const double N = arg<int>(B, 3);
        return 4.0 * N * N * B->BlockCount[0] * B->BlockDim[0];
      });
}

GridspanKernel triangular() {
  static const GridspanParam Params[] = {{0, 8}, {8, 4}};
  static const GridspanPointer Pointers[] = {{0, 0, GridspanWrite, 0}};
  static const GridspanAccess Accesses[] = {
      {"triangular.cu:5", nullptr, 0, GridspanWrite, 4, 0}};
  return make(
      3, "_Z10triangularPfi", Params, Pointers, Accesses,
      [](const GridspanBox *B, GridspanRange *Out) {
        auto [Lo, Hi] = threads(B, 0, arg<int>(B, 1));
        Out[0] = bytes(4 * Lo, 4 * Hi);
      },
      [](const GridspanBox *B) {
        const double Lo = B->BlockLo[0], N = B->BlockCount[0];
        return 1e4 * B->BlockDim[0] * (N * (N + 1) / 2 + Lo * N);
      });
}

GridspanKernel histogram() {
  static const GridspanParam Params[] = {{0, 8}, {8, 8}, {16, 4}};
  static const GridspanPointer Pointers[] = {
      {0, 0, GridspanRead, GridspanReplicable}, {1, 0, GridspanAtomic, 0}};
  static const GridspanAccess Accesses[] = {
      {"histogram.cu:4", nullptr, 0, GridspanRead, 4, 0},
      {"histogram.cu:4", "the index is loaded", 1, GridspanAtomic, 4, 1}};
  GridspanKernel K = make(
      4, "_Z9histogramPKiPii", Params, Pointers, Accesses,
      [](const GridspanBox *B, GridspanRange *Out) {
        auto [Lo, Hi] = threads(B, 0, arg<int>(B, 2));
        Out[0] = bytes(4 * Lo, 4 * Hi);
        Out[1] = Lo < Hi ? unknown() : bytes(0, 0);
      },
      [](const GridspanBox *B) {
        return 10.0 * B->BlockCount[0] * B->BlockDim[0];
      });
  K.Flags = GridspanHasAtomics;
  return K;
}

} // namespace gridspan::fake
