//===- IndexTable.cpp - Bounds of indices in memory -----------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A leaf has a power of two of elements: enough that the table is small beside
// the array, and few enough for pages of 2 MiB. Two intervals for a union leave
// the widest gap between the intervals of both.
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/IndexTable.h"
#include <algorithm>
#include <bit>
#include <cstring>
#include <iterator>
#include <numeric>

namespace gridspan {

static constexpr uint64_t LeastPerLeaf = 64; ///< elements

template <typename Int>
static IndexBounds boundsOf(const std::byte *From, uint64_t Count) {
  auto At = [&](uint64_t I) {
    Int Value; // copied, as the program's type may be another
    std::memcpy(&Value, From + I * sizeof(Int), sizeof(Int));
    return Value;
  };
  Int Min = At(0), Max = Min;
  for (uint64_t I = 1; I != Count; ++I) {
    Min = std::min(Min, At(I));
    Max = std::max(Max, At(I));
  }
  if (Min == Max)
    return {Min, Max, Min, Max};
  const Int Middle = std::midpoint(Min, Max);
  Int LowMax = Min, HighMin = Max;
  for (uint64_t I = 0; I != Count; ++I) {
    const Int Value = At(I);
    if (Value <= Middle)
      LowMax = std::max(LowMax, Value);
    else
      HighMin = std::min(HighMin, Value);
  }
  return {Min, LowMax, HighMin, Max};
}

template <typename Int>
static void scan(const void *From, uint64_t Count, uint64_t PerLeaf,
                 IndexBounds *Out) {
  const auto *Bytes = static_cast<const std::byte *>(From);
  for (uint64_t Lo = 0; Lo < Count; Lo += PerLeaf)
    *Out++ =
        boundsOf<Int>(Bytes + Lo * sizeof(Int), std::min(PerLeaf, Count - Lo));
}

void scanIndices(const void *From, uint64_t Count, unsigned ElementBytes,
                 uint64_t PerLeaf, IndexBounds *Out) {
  switch (ElementBytes) {
  case 1:
    return scan<int8_t>(From, Count, PerLeaf, Out);
  case 2:
    return scan<int16_t>(From, Count, PerLeaf, Out);
  case 4:
    return scan<int32_t>(From, Count, PerLeaf, Out);
  default:
    return scan<int64_t>(From, Count, PerLeaf, Out);
  }
}

IndexTable::IndexTable(uint64_t Lo, uint64_t Hi, unsigned ElementBytes)
    : Lo(Lo), Hi(Hi), ElementBytes(ElementBytes),
      PerLeaf(
          std::max(LeastPerLeaf,
                   std::bit_ceil((elements() + MostLeaves - 1) / MostLeaves))) {
}

/// Returns two intervals for those of A and B, apart at the widest gap.
static IndexBounds join(const IndexBounds &A, const IndexBounds &B) {
  struct Interval {
    int64_t Lo, Hi;
  } All[] = {{A.Min, A.LowMax},
             {A.HighMin, A.Max},
             {B.Min, B.LowMax},
             {B.HighMin, B.Max}};
  std::sort(std::begin(All), std::end(All),
            [](Interval L, Interval R) { return L.Lo < R.Lo; });
  const int64_t Max = std::max(A.Max, B.Max);
  IndexBounds Out = {All[0].Lo, Max, All[0].Lo, Max};
  uint64_t Widest = 1; // intervals that touch have no gap
  int64_t Hi = All[0].Hi;
  for (const Interval &I : All) {
    if (I.Lo > Hi && uint64_t(I.Lo) - uint64_t(Hi) > Widest) {
      Widest = uint64_t(I.Lo) - uint64_t(Hi);
      Out.LowMax = Hi;
      Out.HighMin = I.Lo;
    }
    Hi = std::max(Hi, I.Hi);
  }
  return Out;
}

void IndexTable::fill(const IndexBounds *Bounds) {
  const uint64_t N = leaves();
  Tree.resize(2 * N);
  std::copy_n(Bounds, N, Tree.begin() + static_cast<ptrdiff_t>(N));
  for (uint64_t I = N; I-- > 1;)
    Tree[I] = join(Tree[2 * I], Tree[2 * I + 1]);
}

IndexBounds IndexTable::bound(uint64_t From, uint64_t Last) const {
  const uint64_t LeafBytes = PerLeaf * ElementBytes;
  uint64_t L = leaves() + (From - Lo) / LeafBytes;
  uint64_t R = leaves() + (Last - Lo) / LeafBytes + 1;
  IndexBounds Out = Tree[L];
  for (; L < R; L /= 2, R /= 2) {
    if (L % 2)
      Out = join(Out, Tree[L++]);
    if (R % 2)
      Out = join(Out, Tree[--R]);
  }
  return Out;
}

} // namespace gridspan
