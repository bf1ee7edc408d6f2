// Counts of bins, few enough for shared memory and more, on memory of all
// kinds.
//
// RUN: %gridspan++ -O2 -w %s -o %t
// RUN: env GRIDSPAN_DEVICES=cpu:1 %t | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:3 GRIDSPAN_SCHEDULE=static %t | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_DEVICE_MEMORY=1MiB %t | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:3 GRIDSPAN_DEVICE_MEMORY=1MiB %t | FileCheck %s
// CHECK: PASS

#include "Inputs/memory.h"
#include <climits>
#include <cmath>
#include <gridspan/algorithm.h>
#include <limits>

/// Some elements are in no bin.
struct Modulo {
  int Bins;
  __host__ __device__ int operator()(int X) const {
    return X % 10 ? X % Bins : (X % 20 ? -1 : Bins);
  }
};

static void onKind(Kind K, size_t N, int Bins) {
  const std::vector<int> A = randomValues<int>(N, 1000000);
  std::vector<unsigned> Want(Bins), Even(Bins);
  for (int X : A) {
    const int B = Modulo{Bins}(X);
    if (B >= 0 && B < Bins)
      ++Want[B];
    if (X >= 100 && X < 700000)
      ++Even[(X - 100LL) * Bins / 699900];
  }
  Array<int> In(K, A);
  Array<unsigned> Counts(K, Bins);
  CHECK(gridspan::histogram(In.begin(), In.end(), Counts.begin(), Bins,
                            Modulo{Bins}));
  CHECK(cudaDeviceSynchronize());
  EXPECT(same(Counts.contents(), Want));
  CHECK(gridspan::histogram(In.begin(), In.end(), Counts.begin(), Bins, 100,
                            700000));
  CHECK(cudaDeviceSynchronize());
  EXPECT(same(Counts.contents(), Even));
  EXPECT(same(In.contents(), A));
}

template <class T>
static void bins(const std::vector<T> &A, T Lo, T Hi,
                 const std::vector<size_t> &Want) {
  std::vector<size_t> Counts(Want.size(), 99);
  CHECK(gridspan::histogram(A.begin(), A.end(), Counts.begin(), Counts.size(),
                            Lo, Hi));
  EXPECT(same(Counts, Want));
}

int main() {
  for (Kind K : Kinds) {
    for (size_t N :
         {size_t(0), size_t(1), size_t(4095), size_t(4097), size_t(400009)})
      for (int Bins : {1, 7, 8192, 8193})
        onKind(K, N, Bins);
  }
  const float NaN = std::numeric_limits<float>::quiet_NaN();
  bins<float>({NaN, -0.0F, 0.0F, 1, 0.49F, 0.5F, -1, INFINITY, -INFINITY}, 0, 1,
              {3, 1});
  bins<signed char>({-128, -1, 0, 126, 127}, -128, 127, {1, 1, 1, 1});
  bins<long long>({LLONG_MIN, -1, 0, LLONG_MAX - 1, LLONG_MAX}, LLONG_MIN,
                  LLONG_MAX, {1, 1, 1, 1});
  bins<unsigned long long>({0, 1, ULLONG_MAX - 1}, 0, ULLONG_MAX, {2, 0, 1});
  return finish();
}
