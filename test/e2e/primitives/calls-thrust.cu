// Thrust's algorithms, unchanged, on vectors that are larger than the devices
// or on several of them.
//
// The host and the CPU device do little here, and compile faster unoptimized.
// RUN: %gridspan++ -O1 -Xarch_host -O0 %untraced -w %s -o %t
// RUN: env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_REPORT=%t.json %t | FileCheck %s
// RUN: FileCheck %s --check-prefix=PLAIN < %t.json
// RUN: env GRIDSPAN_DEVICES=cpu:3 GRIDSPAN_SCHEDULE=static GRIDSPAN_REPORT=1 %t 2> %t.report | FileCheck %s
// RUN: FileCheck %s --check-prefix=TAKEN < %t.report
// RUN: env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_DEVICE_MEMORY=1MiB GRIDSPAN_REPORT=1 %t 2> %t.report | FileCheck %s
// RUN: FileCheck %s --check-prefix=TAKEN < %t.report
// CHECK: PASS
// PLAIN: "calls": []
// TAKEN-DAG: gather: {{.*}} ran as Gridspan's primitive
// TAKEN-DAG: max_element: {{.*}} ran as Gridspan's primitive
// TAKEN-DAG: merge: {{.*}} ran as Gridspan's primitive
// TAKEN-DAG: merge_sort: {{.*}} ran as Gridspan's primitive
// TAKEN-DAG: min_element: {{.*}} ran as Gridspan's primitive
// TAKEN-DAG: partition: {{.*}} ran as Gridspan's primitive
// TAKEN-DAG: radix_sort: {{.*}} ran as Gridspan's primitive
// TAKEN-DAG: reduce: {{.*}} ran as Gridspan's primitive
// TAKEN-DAG: reduce_by_key: {{.*}} ran as Gridspan's primitive
// TAKEN-DAG: scan: {{.*}} ran as Gridspan's primitive
// TAKEN-DAG: scatter: {{.*}} ran as Gridspan's primitive
// TAKEN-DAG: select: {{.*}} ran as Gridspan's primitive
// TAKEN-DAG: unique: {{.*}} ran as Gridspan's primitive

#include "Inputs/calls.h"
#include <algorithm>
#include <functional>
#include <numeric>
#include <thrust/copy.h>
#include <thrust/count.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/extrema.h>
#include <thrust/gather.h>
#include <thrust/merge.h>
#include <thrust/partition.h>
#include <thrust/reduce.h>
#include <thrust/remove.h>
#include <thrust/scan.h>
#include <thrust/scatter.h>
#include <thrust/sort.h>
#include <thrust/transform_reduce.h>
#include <thrust/unique.h>

using Vector = thrust::device_vector<int>;

static bool equal(const Vector &L, const std::vector<int> &R) {
  std::vector<int> Host(L.size());
  thrust::copy(L.begin(), L.end(), Host.begin());
  return Host == R;
}

struct IsOdd {
  __host__ __device__ bool operator()(int X) const { return X % 2; }
};
struct Square {
  __host__ __device__ long long operator()(int X) const {
    return static_cast<long long>(X) * X;
  }
};
struct ByLastDigit {
  __host__ __device__ bool operator()(int L, int R) const {
    return L % 10 < R % 10;
  }
};

static void sums(const std::vector<int> &A) {
  const Vector X(A.begin(), A.end());
  Vector Y(A.size());
  std::vector<int> Want(A.size());
  EXPECT(thrust::reduce(X.begin(), X.end(), 3LL, thrust::plus<long long>()) ==
         std::accumulate(A.begin(), A.end(), 3LL));
  EXPECT(thrust::count_if(X.begin(), X.end(), IsOdd()) ==
         std::count_if(A.begin(), A.end(), IsOdd()));
  long long Squares = 0;
  for (int V : A)
    Squares += Square()(V);
  EXPECT(thrust::transform_reduce(X.begin(), X.end(), Square(), 0LL,
                                  thrust::plus<long long>()) == Squares);
  thrust::inclusive_scan(X.begin(), X.end(), Y.begin());
  std::partial_sum(A.begin(), A.end(), Want.begin());
  EXPECT(equal(Y, Want));
  thrust::exclusive_scan(thrust::device, X.begin(), X.end(), Y.begin(), 5);
  std::exclusive_scan(A.begin(), A.end(), Want.begin(), 5);
  EXPECT(equal(Y, Want));
  EXPECT(thrust::min_element(X.begin(), X.end()) - X.begin() ==
         std::min_element(A.begin(), A.end()) - A.begin());
  EXPECT(thrust::max_element(thrust::cuda::par.on(nullptr), X.begin(), X.end(),
                             ByLastDigit()) -
             X.begin() ==
         std::max_element(A.begin(), A.end(), ByLastDigit()) - A.begin());
}

static void selections(const std::vector<int> &A) {
  const Vector X(A.begin(), A.end());
  Vector Y(A.size()), Z(A.size());
  std::vector<int> Odd, Even, Want = A;
  for (int V : A)
    (V % 2 ? Odd : Even).push_back(V);
  Y.resize(thrust::copy_if(X.begin(), X.end(), Y.begin(), IsOdd()) - Y.begin());
  EXPECT(equal(Y, Odd));
  Y = X;
  Y.resize(thrust::remove_if(Y.begin(), Y.end(), IsOdd()) - Y.begin());
  EXPECT(equal(Y, Even));
  Y.resize(A.size());
  const auto Ends =
      thrust::partition_copy(X.begin(), X.end(), Y.begin(), Z.begin(), IsOdd());
  Y.resize(Ends.first - Y.begin());
  Z.resize(Ends.second - Z.begin());
  EXPECT(equal(Y, Odd) && equal(Z, Even));
  Y = X;
  EXPECT(thrust::stable_partition(Y.begin(), Y.end(), IsOdd()) - Y.begin() ==
         ptrdiff_t(Odd.size()));
  Want = Odd;
  Want.insert(Want.end(), Even.begin(), Even.end());
  EXPECT(equal(Y, Want));
  // Runs.
  const std::vector<int> R = runs(A.size(), 4);
  const Vector Repeated(R.begin(), R.end());
  std::vector<int> Unique = R;
  Unique.erase(std::unique(Unique.begin(), Unique.end()), Unique.end());
  Y = Repeated;
  Y.resize(thrust::unique(Y.begin(), Y.end()) - Y.begin());
  EXPECT(equal(Y, Unique));
  Y.resize(A.size());
  Z.resize(A.size());
  const auto Sums = thrust::reduce_by_key(Repeated.begin(), Repeated.end(),
                                          X.begin(), Y.begin(), Z.begin());
  std::vector<int> Totals;
  for (size_t I = 0; I < R.size(); ++I) {
    if (I == 0 || R[I] != R[I - 1])
      Totals.push_back(0);
    Totals.back() += A[I];
  }
  Y.resize(Sums.first - Y.begin());
  Z.resize(Sums.second - Z.begin());
  EXPECT(equal(Y, Unique) && equal(Z, Totals));
}

static void orders(const std::vector<int> &A) {
  const Vector X(A.begin(), A.end());
  Vector Y = X, Values(A.size());
  std::vector<int> Want = A, Places(A.size());
  thrust::sort(Y.begin(), Y.end());
  std::sort(Want.begin(), Want.end());
  EXPECT(equal(Y, Want));
  const Vector Sorted = Y;
  Y = X;
  std::iota(Places.begin(), Places.end(), 0);
  Values.assign(Places.begin(), Places.end());
  thrust::stable_sort_by_key(Y.begin(), Y.end(), Values.begin(), ByLastDigit());
  std::stable_sort(Places.begin(), Places.end(),
                   [&](int L, int R) { return ByLastDigit()(A[L], A[R]); });
  EXPECT(equal(Values, Places));
  Vector Merged(2 * A.size());
  thrust::merge(Sorted.begin(), Sorted.end(), Sorted.begin(), Sorted.end(),
                Merged.begin());
  std::vector<int> Twice(2 * A.size());
  std::merge(Want.begin(), Want.end(), Want.begin(), Want.end(), Twice.begin());
  EXPECT(equal(Merged, Twice));
  // Places is a permutation.
  Values.assign(Places.begin(), Places.end());
  thrust::gather(Values.begin(), Values.end(), X.begin(), Y.begin());
  for (size_t I = 0; I < A.size(); ++I)
    Want[I] = A[Places[I]];
  EXPECT(equal(Y, Want));
  Merged.resize(A.size());
  thrust::scatter(Y.begin(), Y.end(), Values.begin(), Merged.begin());
  EXPECT(equal(Merged, A));
}

int main() {
  for (size_t N : Sizes) {
    const std::vector<int> A = randomValues<int>(N, 1000);
    sums(A);
    selections(A);
    orders(A);
  }
  return finish();
}
