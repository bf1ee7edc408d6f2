//===- FakeLargeKernels.cpp - Kernels for memory larger than devices ------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//===----------------------------------------------------------------------===//

#include "test/unit/runtime/FakeKernelTools.h"
#include "test/unit/runtime/FakeKernels.h"
#include <cstddef>

namespace gridspan::fake {

/// Bytes of rows [YLo, YHi), columns [XLo, XHi), of a matrix of N x N floats.
static GridspanRange tile(int64_t N, int64_t YLo, int64_t YHi, int64_t XLo,
                          int64_t XHi) {
  if (YLo >= YHi || XLo >= XHi)
    return bytes(0, 0);
  if (XHi - XLo == N)
    return bytes(4 * N * YLo, 4 * N * YHi);
  return {4 * (YLo * N + XLo),
          4 * (XHi - XLo),
          4 * N,
          YHi - YLo,
          0,
          1,
          GridspanRangeExact,
          0};
}

/// Calls C(I, Sum) for the element I of each thread; B(I) is element I of B.
template <typename ElementOfB>
static void multiply(const GridspanCpuBlock *Block, void *const *A,
                     unsigned TileArg, const GridspanCpuThreads *T,
                     ElementOfB B) {
  const unsigned N = arg<int>(A, 3);
  forThreads(Block, A, TileArg, T, [&](Thread I) {
    if (I.X >= N || I.Y >= N)
      return;
    float Sum = 0;
    for (unsigned K = 0; K < N; ++K)
      Sum += arg<const float *>(A, 1)[I.Y * N + K] * B(K * N + I.X);
    arg<float *>(A, 0)[I.Y * N + I.X] = Sum;
  });
}

/// What the byte at X of the pointer's own memory is read from.
static uintptr_t lookUp(const GridspanPacking &P, uintptr_t X) {
  const uint64_t Unit = static_cast<uint32_t>((X - P.Base) >> P.Before);
  const auto Row = static_cast<int64_t>((Unit * P.Magic >> 32) >> P.After);
  return X + P.Move + static_cast<uint64_t>(Row * P.Step);
}

GridspanKernel product() {
  static const GridspanParam Params[] = {
      {0, 8}, {8, 8}, {16, 8}, {24, 4}, {32, sizeof(GridspanPacking)}};
  static const GridspanParam OwnParams[] = {{0, 8}, {8, 8}, {16, 8}, {24, 4}};
  static const GridspanPointer Pointers[] = {
      {0, 0, GridspanWrite, GridspanRedirectable},
      {1, 0, GridspanRead, GridspanReplicable | GridspanRedirectable},
      {2, 0, GridspanRead,
       GridspanReplicable | GridspanRedirectable | GridspanPackable}};
  static const GridspanAccess Accesses[] = {
      {"product.cu:7", nullptr, 0, GridspanWrite, 4, 0},
      {"product.cu:5", nullptr, 1, GridspanRead, 4, 1},
      {"product.cu:5", nullptr, 2, GridspanRead, 4, 2}};
  const auto Ranges = [](const GridspanBox *B, GridspanRange *Out) {
    const int64_t N = arg<int>(B, 3);
    const auto [XLo, XHi] = threads(B, 0, N);
    const auto [YLo, YHi] = threads(B, 1, N);
    Out[0] = tile(N, YLo, YHi, XLo, XHi);
    Out[1] = XLo < XHi ? tile(N, YLo, YHi, 0, N) : bytes(0, 0);
    Out[2] = YLo < YHi ? tile(N, 0, N, XLo, XHi) : bytes(0, 0);
  };
  static const GridspanKernel Packed =
      make(14, "_Z15product_packedPfPKfS1_i", Params, Pointers, Accesses,
           Ranges, nullptr,
           [](const GridspanCpuBlock *Block, void *const *A,
              const GridspanCpuThreads *T) {
             const auto &P = *static_cast<const GridspanPacking *>(A[4]);
             const auto B = reinterpret_cast<uintptr_t>(arg<float *>(A, 2));
             multiply(Block, A, 5, T, [&](unsigned I) {
               return *reinterpret_cast<const float *>(lookUp(P, B + 4ull * I));
             });
           });
  GridspanKernel K = make(
      15, "_Z7productPfPKfS1_i", OwnParams, Pointers, Accesses, Ranges,
      [](const GridspanBox *B) {
        return 4.0 * arg<int>(B, 3) * B->BlockCount[0] * B->BlockDim[0] *
               B->BlockCount[1] * B->BlockDim[1];
      },
      [](const GridspanCpuBlock *Block, void *const *A,
         const GridspanCpuThreads *T) {
        multiply(Block, A, 4, T,
                 [&](unsigned I) { return arg<const float *>(A, 2)[I]; });
      });
  K.Packed = &Packed;
  return K;
}

GridspanKernel follow() {
  static const GridspanParam Params[] = {{0, 8}, {8, 8}, {16, 4}};
  static const GridspanPointer Pointers[] = {
      {0, 0, GridspanRead, GridspanReplicable},
      {1, 0, GridspanWrite, GridspanRedirectable}};
  static const GridspanAccess Accesses[] = {
      {"follow.cu:3", nullptr, 0, GridspanRead, 8, 0},
      {"follow.cu:3", "loaded from memory", -1, GridspanRead, 4, 1},
      {"follow.cu:3", nullptr, 1, GridspanWrite, 4, 2}};
  GridspanKernel K = make(
      16, "_Z6followPKPfS_i", Params, Pointers, Accesses,
      [](const GridspanBox *B, GridspanRange *Out) {
        auto [Lo, Hi] = threads(B, 0, arg<int>(B, 2));
        Out[0] = bytes(0, 8);
        Out[1] = unknown();
        Out[2] = bytes(4 * Lo, 4 * Hi);
      },
      nullptr,
      [](const GridspanCpuBlock *B, void *const *A,
         const GridspanCpuThreads *T) {
        forThreads(B, A, 3, T, [&](Thread I) {
          if (I.X < static_cast<unsigned>(arg<int>(A, 2)))
            arg<float *>(A, 1)[I.X] = (*arg<const float *const *>(A, 0))[I.X];
        });
      });
  K.Flags = GridspanUnknownRead;
  return K;
}

GridspanKernel shift() {
  static const GridspanParam Params[] = {{0, 8}, {8, 8}, {16, 8}, {24, 4}};
  static const GridspanPointer Pointers[] = {
      {0, 0, GridspanRead, GridspanReplicable | GridspanRedirectable},
      {1, 0, GridspanRead, GridspanReplicable | GridspanRedirectable},
      {2, 0, GridspanWrite, GridspanRedirectable}};
  static const GridspanAccess Accesses[] = {
      {"shift.cu:3", nullptr, 0, GridspanRead, 4, 0},
      {"shift.cu:3", nullptr, 1, GridspanRead, 4, 1},
      {"shift.cu:3", nullptr, 2, GridspanWrite, 4, 2}};
  return make(
      18, "_Z5shiftPKfS0_Pfi", Params, Pointers, Accesses,
      [](const GridspanBox *B, GridspanRange *Out) {
        auto [Lo, Hi] = threads(B, 0, arg<int>(B, 3));
        Out[0] = Out[1] = bytes(4 * Lo, 4 * Hi);
        Out[2] = Lo < Hi ? bytes(4 * Lo + 4, 4 * Hi + 4) : bytes(0, 0);
      },
      nullptr,
      [](const GridspanCpuBlock *B, void *const *A,
         const GridspanCpuThreads *T) {
        forThreads(B, A, 4, T, [&](Thread I) {
          if (I.X < static_cast<unsigned>(arg<int>(A, 3)))
            arg<float *>(A, 2)[I.X + 1] =
                arg<const float *>(A, 0)[I.X] + arg<const float *>(A, 1)[I.X];
        });
      });
}

GridspanKernel beyond() {
  static const GridspanParam Params[] = {{0, 8}, {8, 8}, {16, 4}, {20, 4}};
  static const GridspanPointer Pointers[] = {
      {0, 0, GridspanRead, GridspanReplicable | GridspanRedirectable},
      {1, 0, GridspanWrite, GridspanRedirectable}};
  static const GridspanAccess Accesses[] = {
      {"beyond.cu:3", nullptr, 0, GridspanRead, 4, 0},
      {"beyond.cu:3", nullptr, 1, GridspanWrite, 4, 1}};
  return make(
      19, "_Z6beyondPKfPfii", Params, Pointers, Accesses,
      [](const GridspanBox *B, GridspanRange *Out) {
        auto [Lo, Hi] = threads(B, 0, arg<int>(B, 2));
        const int64_t Far = 4 * int64_t(arg<int>(B, 3));
        Out[0] = bytes(4 * Lo, 4 * Hi);
        Out[1] = Lo < Hi ? bytes(Far + 4 * Lo, Far + 4 * Hi) : bytes(0, 0);
      },
      nullptr,
      [](const GridspanCpuBlock *B, void *const *A,
         const GridspanCpuThreads *T) {
        forThreads(B, A, 4, T, [&](Thread I) {
          if (I.X < static_cast<unsigned>(arg<int>(A, 2)))
            arg<float *>(A, 1)[std::ptrdiff_t(I.X) + arg<int>(A, 3)] =
                1 + arg<const float *>(A, 0)[I.X];
        });
      });
}

GridspanKernel lookBack() {
  static const GridspanParam Params[] = {{0, 8}, {8, 8}, {16, 4}};
  static const GridspanPointer Pointers[] = {
      {0, 0, GridspanRead, GridspanReplicable | GridspanRedirectable},
      {1, 0, GridspanWrite, GridspanRedirectable}};
  static const GridspanAccess Accesses[] = {
      {"look.cu:3", nullptr, 0, GridspanRead, 4, 0},
      {"look.cu:4", nullptr, 1, GridspanWrite, 4, 1}};
  GridspanKernel K = make(
      17, "_Z8lookBackPKfPfi", Params, Pointers, Accesses,
      [](const GridspanBox *B, GridspanRange *Out) {
        auto [Lo, Hi] = threads(B, 0, arg<int>(B, 2));
        Out[0] = Lo < Hi ? bytes(0, 4 * Hi) : bytes(0, 0);
        Out[1] = bytes(4 * Lo, 4 * Hi);
      },
      nullptr,
      [](const GridspanCpuBlock *B, void *const *A,
         const GridspanCpuThreads *T) {
        forThreads(B, A, 3, T, [&](Thread I) {
          const float *In = arg<const float *>(A, 0);
          float *Out = arg<float *>(A, 1);
          if (I.X < static_cast<unsigned>(arg<int>(A, 2)))
            Out[I.X] = In[I.X / 2] + In[I.X];
        });
      });
  K.TiledStub = nullptr;
  K.Refusal = "mutable-device-variable";
  K.RefusalText = "look.cu:4: each block waits for the one before";
  return K;
}

} // namespace gridspan::fake
