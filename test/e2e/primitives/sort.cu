// Sorting, in memory and beyond it.
//
// RUN: %gridspan++ -O2 %untraced -w %s -o %t
// RUN: env GRIDSPAN_DEVICES=cpu:1 %t | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:3 GRIDSPAN_SCHEDULE=static %t | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_DEVICE_MEMORY=1MiB %t | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:2 GRIDSPAN_DEVICE_MEMORY=1MiB %t | FileCheck %s
// Memory that is not pinned is copied by threads in both directions, where
// there are enough.
// RUN: env GRIDSPAN_COPY_THREADS=4 GRIDSPAN_DEVICES=cpu:1 \
// RUN:   GRIDSPAN_DEVICE_MEMORY=1MiB %t | FileCheck %s
// RUN: env GRIDSPAN_COPY_THREADS=4 GRIDSPAN_DEVICES=cpu:2 \
// RUN:   GRIDSPAN_DEVICE_MEMORY=1MiB %t | FileCheck %s
// CHECK: PASS

#include "Inputs/memory.h"
#include <algorithm>
#include <cmath>
#include <gridspan/algorithm.h>
#include <limits>
#include <numeric>

struct Further {
  __host__ __device__ bool operator()(uint64_t L, uint64_t R) const {
    return L > R;
  }
};
/// Compares a part only, so that stability shows.
struct Named {
  int Name;
  int Number;
};
struct ByName {
  __host__ __device__ bool operator()(const Named &L, const Named &R) const {
    return L.Name < R.Name;
  }
};

static void onKind(Kind K, size_t N) {
  const std::vector<uint64_t> A = randomValues<uint64_t>(N, 1ULL << 31);
  std::vector<uint64_t> Want = A;
  Array<uint64_t> Keys(K, A);
  CHECK(gridspan::sort(Keys.begin(), Keys.end()));
  std::sort(Want.begin(), Want.end());
  CHECK(cudaDeviceSynchronize());
  EXPECT(same(Keys.contents(), Want));
  CHECK(gridspan::sort(Keys.begin(), Keys.end(), Further()));
  std::reverse(Want.begin(), Want.end());
  EXPECT(same(Keys.contents(), Want));

  // Keys with many equal ones.
  const std::vector<int> B = randomValues<int>(N, 17);
  std::vector<unsigned> Order(N);
  std::iota(Order.begin(), Order.end(), 0U);
  Array<int> Few(K, B);
  Array<unsigned> Values(K, Order);
  CHECK(gridspan::sort_by_key(Few.begin(), Few.end(), Values.begin()));
  std::stable_sort(Order.begin(), Order.end(),
                   [&](unsigned L, unsigned R) { return B[L] < B[R]; });
  std::vector<int> Sorted(N);
  for (size_t I = 0; I < N; ++I)
    Sorted[I] = B[Order[I]];
  EXPECT(same(Few.contents(), Sorted));
  EXPECT(same(Values.contents(), Order));
}

/// Any sequence of records.
static void records(std::vector<Named> A) {
  for (size_t I = 0; I < A.size(); ++I)
    A[I].Number = int(I);
  std::vector<Named> Want = A;
  std::stable_sort(Want.begin(), Want.end(), ByName());
  CHECK(gridspan::stable_sort(A.begin(), A.end(), ByName()));
  EXPECT(same(A, Want));
}

static void floats() {
  const float NaN = std::numeric_limits<float>::quiet_NaN();
  std::vector<float> A = {3, NaN, -0.0F, 1, 0.0F, -INFINITY, NaN, INFINITY, -2};
  CHECK(gridspan::sort(A.begin(), A.end()));
  const float Want[] = {-INFINITY, -2, -0.0F, 0.0F, 1, 3, INFINITY};
  for (size_t I = 0; I < std::size(Want); ++I)
    EXPECT(A[I] == Want[I] && std::signbit(A[I]) == std::signbit(Want[I]));
  EXPECT(std::isnan(A[7]) && std::isnan(A[8]));
}

int main() {
  for (size_t N : {size_t(0), size_t(1), size_t(2), size_t(3839), size_t(3841),
                   size_t(20000), size_t(150001)})
    for (Kind K : Kinds)
      onKind(K, N);
  const size_t N = 150001;
  std::vector<Named> A(N);
  records(A); // all equal
  for (size_t I = 0; I < N; ++I)
    A[I].Name = int(I);
  records(A);
  std::reverse(A.begin(), A.end());
  records(A);
  for (size_t I = 0; I < N; ++I)
    A[I].Name = I % 100 ? 5 : int(I * 7919 % 1000); // most in one bucket
  records(A);
  floats();
  return finish();
}
