// All elements to one, in order, on memory of all kinds.
//
// RUN: %gridspan++ -O2 -w %s -o %t
// RUN: env GRIDSPAN_DEVICES=cpu:1 %t > %t.1
// RUN: FileCheck %s < %t.1
// RUN: env GRIDSPAN_DEVICES=cpu:3 GRIDSPAN_SCHEDULE=static %t | diff - %t.1
// RUN: env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_DEVICE_MEMORY=1MiB %t | diff - %t.1
// RUN: env GRIDSPAN_DEVICES=cpu:3 GRIDSPAN_DEVICE_MEMORY=1MiB %t | diff - %t.1
// CHECK: PASS

#include "Inputs/memory.h"
#include <algorithm>
#include <gridspan/algorithm.h>
#include <numeric>

struct Square {
  __host__ __device__ long long operator()(int X) const {
    return static_cast<long long>(X) * X;
  }
};
struct Add {
  __host__ __device__ long long operator()(long long L, long long R) const {
    return L + R;
  }
};
struct Further {
  __host__ __device__ bool operator()(int L, int R) const { return L > R; }
};

static void onKind(Kind K, size_t N) {
  const std::vector<int> A = randomValues<int>(N, 1000);
  Array<int> In(K, A);
  long long Sum = 0;
  CHECK(gridspan::reduce(In.begin(), In.end(), 7LL, &Sum));
  EXPECT(Sum == std::accumulate(A.begin(), A.end(), 7LL));
  CHECK(gridspan::transform_reduce(In.begin(), In.end(), 0LL, Add(), Square(),
                                   &Sum));
  long long Squares = 0;
  for (int X : A)
    Squares += Square()(X);
  EXPECT(Sum == Squares);
  // There are several of each value.
  size_t At = 99;
  CHECK(gridspan::min_element(In.begin(), In.end(), &At));
  EXPECT(At == size_t(std::min_element(A.begin(), A.end()) - A.begin()));
  CHECK(gridspan::max_element(In.begin(), In.end(), &At));
  EXPECT(At == size_t(std::max_element(A.begin(), A.end()) - A.begin()));
  CHECK(gridspan::min_element(In.begin(), In.end(), Further(), &At));
  EXPECT(At ==
         size_t(std::min_element(A.begin(), A.end(), Further()) - A.begin()));

  std::vector<Affine> F(N);
  uint64_t State = N;
  for (Affine &X : F)
    X = {uint32_t(next(State)) | 1, uint32_t(next(State))};
  Affine Want = {3, 4};
  for (const Affine &X : F)
    Want = Compose()(Want, X);
  Array<Affine> Maps(K, F), Result(K, 1);
  CHECK(gridspan::reduce(Maps.begin(), Maps.end(), Affine{3, 4}, Compose(),
                         Result.begin()));
  CHECK(cudaDeviceSynchronize());
  EXPECT(same(Result.contents(), std::vector<Affine>{Want}));
}

/// Sums of rounded numbers depend on the order, and the order on the number of
/// elements alone: other devices print the same.
static void rounded(size_t N) {
  std::vector<float> A(N);
  uint64_t State = 1;
  for (float &X : A)
    X = float(next(State)) / 7;
  float Sums[4];
  unsigned I = 0;
  for (Kind K : Kinds) {
    Array<float> In(K, A);
    CHECK(gridspan::reduce(In.begin(), In.end(), 0.0F, &Sums[I++]));
  }
  for (float Sum : Sums)
    EXPECT(Sum == Sums[0]);
  printf("%zu: %a\n", N, Sums[0]);
}

int main() {
  for (size_t N : {size_t(0), size_t(1), size_t(3839), size_t(3840),
                   size_t(3841), size_t(70001), size_t(400009)})
    for (Kind K : Kinds)
      onKind(K, N);
  for (size_t N : {size_t(10000), size_t(300007)})
    rounded(N);
  return finish();
}
