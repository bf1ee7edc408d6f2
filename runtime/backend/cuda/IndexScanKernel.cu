//===- IndexScanKernel.cu - Bounds of integers ----------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiled to PTX by the build, without headers of CUDA. See scanIndices in
// IndexTable.h for what it computes. Each block reduces a leaf, twice, as the
// middle must be known first; its threads take elements in turn, so that a
// warp's loads are contiguous, and then halve the number of partial results
// until one is left.
//
//===----------------------------------------------------------------------===//

namespace {

constexpr unsigned Threads = 256; // BlockThreads of IndexScan.cpp

struct Bounds { // IndexBounds
  long long Min, LowMax, HighMin, Max;
};

/// Sets A to the smallest and B to the largest of all threads, in all of them.
template <typename Int>
__attribute__((device)) inline void reduce(Int &A, Int &B) {
  static __attribute__((shared)) Int As[Threads], Bs[Threads];
  unsigned Thread = __nvvm_read_ptx_sreg_tid_x();
  __syncthreads(); // all threads have read the last results
  As[Thread] = A;
  Bs[Thread] = B;
  for (unsigned Half = Threads / 2; Half != 0; Half /= 2) {
    __syncthreads();
    if (Thread < Half) {
      if (As[Thread + Half] < As[Thread])
        As[Thread] = As[Thread + Half];
      if (Bs[Thread + Half] > Bs[Thread])
        Bs[Thread] = Bs[Thread + Half];
    }
  }
  __syncthreads();
  A = As[0];
  B = Bs[0];
}

template <typename Int>
__attribute__((device)) inline void
scan(const Int *From, unsigned long long Count, unsigned long long PerLeaf,
     Bounds *Out) {
  unsigned long long Leaf = __nvvm_read_ptx_sreg_ctaid_x();
  unsigned Thread = __nvvm_read_ptx_sreg_tid_x();
  unsigned long long Lo = Leaf * PerLeaf, Hi = Lo + PerLeaf;
  if (Hi > Count)
    Hi = Count;
  // A leaf has at least one element.
  Int Min = From[Lo], Max = Min;
#pragma unroll 4
  for (unsigned long long I = Lo + Thread; I < Hi; I += Threads) {
    Int Value = From[I];
    Min = Value < Min ? Value : Min;
    Max = Value > Max ? Value : Max;
  }
  reduce(Min, Max);
  Int HighMin = Max, LowMax = Min;
  if (Min == Max) {
    HighMin = Min;
    LowMax = Max;
  } else {
    // Without overflow, and below Max.
    using Unsigned = unsigned long long;
    Int Middle = Int(Unsigned(Min) + (Unsigned(Max) - Unsigned(Min)) / 2);
#pragma unroll 4
    for (unsigned long long I = Lo + Thread; I < Hi; I += Threads) {
      Int Value = From[I];
      if (Value <= Middle)
        LowMax = Value > LowMax ? Value : LowMax;
      else
        HighMin = Value < HighMin ? Value : HighMin;
    }
    reduce(HighMin, LowMax);
  }
  if (Thread == 0)
    Out[Leaf] = {Min, LowMax, HighMin, Max};
}

} // namespace

#define KERNEL(Bytes, Int)                                                     \
  extern "C" __attribute__((global)) void gridspan_index_bounds_##Bytes(       \
      const Int *From, unsigned long long Count, unsigned long long PerLeaf,   \
      Bounds *Out) {                                                           \
    scan(From, Count, PerLeaf, Out);                                           \
  }

KERNEL(1, signed char)
KERNEL(2, short)
KERNEL(4, int)
KERNEL(8, long long)
