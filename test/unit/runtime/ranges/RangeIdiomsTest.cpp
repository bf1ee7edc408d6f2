//===- RangeIdiomsTest.cpp - The index idioms of kernels are tight --------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gridspan/RangeOps.h"
#include <gtest/gtest.h>

namespace {

/// Values with operators, so that a test reads like the kernel.
struct Value : GridspanValue {
  unsigned Node = ++NumNodes; ///< identifies it
  static inline unsigned NumNodes = 0;
};

Value number(int64_t X, unsigned Width = 32) {
  Value V;
  __gridspan_range_Const(&V, Width, X);
  return V;
}

template <typename Operation>
Value apply(Operation Op, const Value &A, const Value &B) {
  Value V;
  if constexpr (std::is_invocable_v<Operation, Value *, const Value *,
                                    const Value *>)
    Op(&V, &A, &B);
  else
    Op(&V, &A, &B, A.Node, B.Node);
  return V;
}

Value operator+(const Value &A, const Value &B) {
  return apply(__gridspan_range_Add, A, B);
}
Value operator-(const Value &A, const Value &B) {
  return apply(__gridspan_range_Sub, A, B);
}
Value operator*(const Value &A, const Value &B) {
  return apply(__gridspan_range_Mul, A, B);
}
Value operator/(const Value &A, const Value &B) {
  return apply(__gridspan_range_SDiv, A, B);
}
Value operator%(const Value &A, const Value &B) {
  return apply(__gridspan_range_SRem, A, B);
}

Value assume(const Value &A, GridspanPredicate Pred, const Value &B) {
  Value V;
  __gridspan_range_Assume(&V, &A, &B, Pred);
  return V;
}

Value iter(const Value &Start, const Value &Step, const Value *Count,
           unsigned Loop, unsigned Flags = GridspanIterNSW) {
  Value V;
  __gridspan_range_Iter(&V, &Start, &Step, Count, Flags, Loop);
  return V;
}

/// Byte offset of an element: sext to 64 bits and scale.
GridspanRange finish(const Value &Index, uint32_t ElementSize = 4) {
  Value Wide, Offset, Size = number(ElementSize, 64);
  __gridspan_range_SExt(&Wide, &Index, 64);
  Offset = Wide * Size;
  GridspanRange R;
  __gridspan_range_finish(&R, &Offset, nullptr, ElementSize, 1);
  return R;
}

struct Launch {
  GridspanBox Box;
  Launch(std::array<uint32_t, 3> Grid, std::array<uint32_t, 3> Block,
         std::array<uint32_t, 3> Lo, std::array<uint32_t, 3> Count) {
    Box.Args = nullptr;
    for (unsigned Axis = 0; Axis != 3; ++Axis) {
      Box.GridDim[Axis] = Grid[Axis];
      Box.BlockDim[Axis] = Block[Axis];
      Box.BlockLo[Axis] = Lo[Axis];
      Box.BlockCount[Axis] = Count[Axis];
    }
  }
  Value tid(unsigned Axis) const {
    Value V;
    __gridspan_range_ThreadIdx(&V, &Box, Axis);
    return V;
  }
  /// blockIdx * blockDim + threadIdx
  Value id(unsigned Axis) const {
    Value Block, Size;
    __gridspan_range_BlockIdx(&Block, &Box, Axis);
    __gridspan_range_BlockDim(&Size, &Box, Axis);
    return Block * Size + tid(Axis);
  }
};

/// One dimension: blocks [Lo, Lo + Count) of 256 threads.
Launch blocks(uint32_t Lo, uint32_t Count) {
  return Launch({1000, 1, 1}, {256, 1, 1}, {Lo, 0, 0}, {Count, 1, 1});
}

void expectRange(const GridspanRange &R, int64_t Lo, int64_t RowBytes,
                 int64_t Pitch, int64_t Rows, GridspanRangeState State) {
  EXPECT_EQ(R.Lo, Lo);
  EXPECT_EQ(R.RowBytes, RowBytes);
  EXPECT_EQ(R.RowsPerPlane, Rows);
  if (Rows > 1) {
    EXPECT_EQ(R.Pitch, Pitch);
  }
  EXPECT_EQ(R.State, State);
}

TEST(RangeIdioms, Saxpy) {
  Value N = number(100000);
  Value I = assume(blocks(10, 5).id(0), GridspanSLT, N);
  expectRange(finish(I), 2560 * 4, 1280 * 4, 0, 1, GridspanRangeExact);
}

TEST(RangeIdioms, GuardCutsTheLastBlock) {
  Value I = assume(blocks(10, 5).id(0), GridspanSLT, number(3000));
  expectRange(finish(I), 2560 * 4, 440 * 4, 0, 1, GridspanRangeExact);
}

TEST(RangeIdioms, GuardThatNeverHolds) {
  Value I = assume(blocks(10, 5).id(0), GridspanSLT, number(2560));
  EXPECT_EQ(finish(I).State, GridspanRangeEmpty);
}

TEST(RangeIdioms, UnsignedGuardIncludesZero) {
  // (unsigned)(i - 1) < n, as instcombine writes i >= 1 && i - 1 < n.
  Value I = assume(blocks(0, 1).id(0) - number(1), GridspanULT, number(100));
  expectRange(finish(I), 0, 400, 0, 1, GridspanRangeExact);
}

TEST(RangeIdioms, StructField) {
  Value I = blocks(2, 2).id(0);
  expectRange(finish(I * number(4) + number(1)), (512 * 4 + 1) * 4, 4, 16, 512,
              GridspanRangeExact);
}

/// A band of rows of a matrix of 1000 columns, guards x < W and y < H.
struct Matrix {
  Launch L = Launch({32, 128, 1}, {32, 8, 1}, {0, 16, 0}, {32, 4, 1});
  Value W = number(1000), H = number(1024);
};

TEST(RangeIdioms, RowBand) {
  Matrix M;
  Value X = assume(M.L.id(0), GridspanSLT, M.W);
  Value Y = assume(M.L.id(1), GridspanSLT, M.H);
  expectRange(finish(Y * M.W + X), 128 * 4000, 32 * 4000, 0, 1,
              GridspanRangeExact);
}

TEST(RangeIdioms, StencilNeighbours) {
  Matrix M;
  Value One = number(1);
  Value X =
      assume(assume(M.L.id(0), GridspanSGT, number(0)), GridspanSLT, M.W - One);
  Value Y =
      assume(assume(M.L.id(1), GridspanSGT, number(0)), GridspanSLT, M.H - One);
  expectRange(finish(Y * M.W + X), 128 * 4000 + 4, 998 * 4, 4000, 32,
              GridspanRangeExact);
  expectRange(finish((Y - One) * M.W + X), 127 * 4000 + 4, 998 * 4, 4000, 32,
              GridspanRangeExact);
  expectRange(finish(Y * M.W + X - One), 128 * 4000, 998 * 4, 4000, 32,
              GridspanRangeExact);
}

TEST(RangeIdioms, ColumnTile) {
  // A quarter of the grid by columns: rows of a quarter's length.
  Launch L({32, 128, 1}, {32, 8, 1}, {8, 0, 0}, {8, 128, 1});
  Value W = number(1024);
  expectRange(finish(L.id(1) * W + L.id(0)), 256 * 4, 256 * 4, 4096, 1024,
              GridspanRangeExact);
}

TEST(RangeIdioms, IdDividedByRowLength) {
  // iy = id / N, ix = id % N of a block range that covers whole rows.
  Value N = number(512);
  Value Id = blocks(20, 40).id(0);
  Value Iy = Id / N, Ix = Id % N, K = iter(number(0), number(1), &N, 0);
  K = assume(K, GridspanSLT, N);
  // A[iy * N + k], B[k * N + ix], C[iy * N + ix]
  expectRange(finish(Iy * N + K), 10 * 2048, 20 * 2048, 0, 1,
              GridspanRangeExact);
  expectRange(finish(K * N + Ix), 0, 512 * 2048, 0, 1, GridspanRangeExact);
  expectRange(finish(Iy * N + Ix), 10 * 2048, 20 * 2048, 0, 1,
              GridspanRangeExact);
  // Guards on either coordinate, as a stencil has them.
  Value X = assume(Ix, GridspanSGT, number(0));
  Value Y = assume(Iy, GridspanSLT, number(25));
  expectRange(finish(Y * N + X - number(1)), 10 * 2048, 511 * 4, 2048, 15,
              GridspanRangeExact);
}

TEST(RangeIdioms, DigitsOfDifferentValuesAreNotIndependent) {
  // (id / N) * N + (id + N) % N: the remainder is one of another value.
  Value N = number(512);
  Value Id = blocks(20, 40).id(0);
  expectRange(finish(Id / N * N + (Id + N) % N), 10 * 2048, 20 * 2048, 0, 1,
              GridspanRangeMay);
  // Overlapping digits: id / 256 and id % 512 share one.
  EXPECT_EQ(finish(Id / number(256) * N + Id % N).State, GridspanRangeMay);
}

TEST(RangeIdioms, IdDividedByOddRowLength) {
  // Rows that begin in the middle of a block: the hull of the rows.
  Value N = number(300);
  Value Id = assume(blocks(10, 4).id(0), GridspanSLT, number(90000));
  expectRange(finish(Id / N * N + Id % N), 8 * 1200, 4 * 1200, 0, 1,
              GridspanRangeMay);
}

TEST(RangeIdioms, PackedTensor) {
  // id -> (c, y, x) of 8 x 16 x 64 elements, whole planes: x = id % 64,
  // y = id / 64 % 16, c = id / 1024.
  Value Id = blocks(32, 32).id(0);
  Value X = Id % number(64), Y = Id / number(64) % number(16),
        C = Id / number(1024);
  expectRange(finish(X), 0, 256, 0, 1, GridspanRangeExact);
  expectRange(finish(Y), 0, 64, 0, 1, GridspanRangeExact);
  // Planes of 16 rows, 64 elements, each with a border of one.
  expectRange(finish(C), 8 * 4, 8 * 4, 0, 1, GridspanRangeExact);
  Value Padded = (C * number(18) + Y + number(1)) * number(66) + X + number(1);
  const GridspanRange Planes = finish(Padded);
  expectRange(Planes, (8 * 18 * 66 + 66 + 1) * 4, 64 * 4, 66 * 4, 16,
              GridspanRangeExact);
  EXPECT_EQ(Planes.Planes, 8);
  EXPECT_EQ(Planes.PlanePitch, 18 * 66 * 4);
  Value Dense = (C * number(16) + Y) * number(64) + X;
  expectRange(finish(Dense), 8192 * 4, 8192 * 4, 0, 1, GridspanRangeExact);
}

TEST(RangeIdioms, NestedDivisions) {
  // y = id / 64, z = y / 16, x = id % 64, y % 16: the digits of id.
  Value Id = blocks(8, 8).id(0), Rows = Id / number(64);
  Value X = Id % number(64), Y = Rows % number(16), Z = Rows / number(16);
  expectRange(finish((Z * number(16) + Y) * number(64) + X), 2048 * 4, 2048 * 4,
              0, 1, GridspanRangeExact);
}

TEST(RangeIdioms, Triangle) {
  // for (j = 0; j <= i; ++j) a[i * N + j]
  Value N = number(1000), I = blocks(1, 1).id(0);
  Value J = iter(number(0), number(1), &I, 0);
  expectRange(finish(J), 0, 512 * 4, 0, 1, GridspanRangeExact);
  expectRange(finish(I * N + J), 256 * 4000, 512 * 4, 4000, 256,
              GridspanRangeMay);
}

TEST(RangeIdioms, GridStride) {
  // for (i = id; i < n; i += 256 * 1000) without a known trip count
  Value I = iter(blocks(0, 500).id(0), number(256000), nullptr, 0);
  I = assume(I, GridspanSLT, number(1024000));
  GridspanRange R = finish(I);
  EXPECT_EQ(R.Lo, 0);
  EXPECT_EQ(R.State, GridspanRangeMay);
  EXPECT_LE(R.Lo + (R.RowsPerPlane - 1) * R.Pitch + R.RowBytes, 1024000 * 4);
}

TEST(RangeIdioms, GridStrideWithTripCount) {
  Value Three = number(3);
  Value I = iter(blocks(0, 500).id(0), number(256000), &Three, 0);
  expectRange(finish(I), 0, 128000 * 4, 256000 * 4, 4, GridspanRangeExact);
}

TEST(RangeIdioms, DownwardLoop) {
  // for (k = 99; k >= 0; --k) a[k]
  Value Last = number(99);
  Value K = iter(Last, number(-1), &Last, 0);
  expectRange(finish(K), 0, 400, 0, 1, GridspanRangeExact);
  Value Open = iter(Last, number(-1), nullptr, 0);
  expectRange(finish(assume(Open, GridspanSGE, number(0))), 0, 400, 0, 1,
              GridspanRangeMay);
}

TEST(RangeIdioms, PeriodicNeighbour) {
  // (i + 5 + n) % n: at the end of the array, an end and a beginning.
  Value N = number(10000), Five = number(5);
  expectRange(finish((blocks(10, 4).id(0) + Five + N) % N), 2565 * 4, 1024 * 4,
              0, 1, GridspanRangeExact);
  Value Last = assume(blocks(36, 4).id(0), GridspanSLT, N);
  expectRange(finish((Last + Five + N) % N), 0, 779 * 4, 9221 * 4, 2,
              GridspanRangeMay);
  Value First = blocks(0, 4).id(0);
  expectRange(finish((First - Five + N) % N), 0, 1019 * 4, 8981 * 4, 2,
              GridspanRangeMay);
}

TEST(RangeIdioms, ReversedIndex) {
  Value I = blocks(0, 1).id(0);
  expectRange(finish(number(999) - I), (999 - 255) * 4, 1024, 0, 1,
              GridspanRangeExact);
}

TEST(RangeIdioms, ClampedNeighbour) {
  // max(i - 1, 0)
  Value I = blocks(0, 2).id(0), Left;
  Value Before = I - number(1), Zero = number(0);
  __gridspan_range_SMax(&Left, &Before, &Zero);
  expectRange(finish(Left), 0, 511 * 4, 0, 1, GridspanRangeExact);
}

TEST(RangeIdioms, MaximumWithZeroIsNotNegative) {
  // max(i - 5, 0) where the i of blocks are apart
  Launch L = blocks(0, 4);
  Value Block, Zero = number(0), Out;
  __gridspan_range_BlockIdx(&Block, &L.Box, 0);
  Value Before = Block * number(1250) + L.tid(0) - number(5);
  __gridspan_range_SMax(&Out, &Before, &Zero);
  EXPECT_GE(Out.Lo, 0);
  __gridspan_range_Assume(&Out, &Before, &Zero, GridspanSGE);
  EXPECT_GE(Out.Lo, 0);
}

TEST(RangeIdioms, BitonicPartner) {
  // i ^ j for j below the block size stays in the block.
  Value I = blocks(3, 2).id(0), J = number(64), Partner;
  __gridspan_range_Xor(&Partner, &I, &J);
  expectRange(finish(Partner), 768 * 4, 512 * 4, 0, 1, GridspanRangeExact);
}

TEST(RangeIdioms, CorrelatedSumIsNotExact) {
  Value T = blocks(0, 1).tid(0);
  EXPECT_EQ(finish(T + T * number(2)).State, GridspanRangeMay);
}

TEST(RangeIdioms, LaneAndWarp) {
  // (tid >> 5) * 40 + (tid & 31)
  Value T = blocks(0, 1).tid(0), Five = number(5), Low = number(31);
  Value Warp = apply(__gridspan_range_LShr, T, Five);
  Value Lane = apply(__gridspan_range_And, T, Low);
  expectRange(finish(Warp * number(40) + Lane), 0, 128, 160, 8,
              GridspanRangeExact);
}

TEST(RangeIdioms, LargeIndicesInThirtyTwoBits) {
  // Beyond 2^31 an int wraps; beyond that nothing is known.
  Launch L({1u << 24, 1, 1}, {256, 1, 1}, {0, 0, 0}, {1u << 24, 1, 1});
  GridspanRange R = finish(L.id(0));
  EXPECT_EQ(R.State, GridspanRangeMay);
  EXPECT_EQ(R.Lo, -(int64_t(1) << 33));
}

} // namespace
