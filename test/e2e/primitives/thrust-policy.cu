// Thrust's algorithms with gridspan::par, on host vectors, device vectors and
// pointers.
//
// The host and the CPU device do little here, and compile faster unoptimized.
// RUN: %gridspan++ -O1 -Xarch_host -O0 %untraced -w %s -o %t
// RUN: env GRIDSPAN_DEVICES=cpu:1 %t | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:3 GRIDSPAN_SCHEDULE=static %t | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_DEVICE_MEMORY=1MiB %t | FileCheck %s
// CHECK: PASS

#include "Inputs/memory.h"
#include <algorithm>
#include <functional>
#include <gridspan/thrust.h>
#include <numeric>
#include <thrust/copy.h>
#include <thrust/count.h>
#include <thrust/device_vector.h>
#include <thrust/extrema.h>
#include <thrust/fill.h>
#include <thrust/for_each.h>
#include <thrust/gather.h>
#include <thrust/host_vector.h>
#include <thrust/merge.h>
#include <thrust/partition.h>
#include <thrust/reduce.h>
#include <thrust/remove.h>
#include <thrust/scan.h>
#include <thrust/scatter.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>
#include <thrust/unique.h>

struct Twice {
  __host__ __device__ int operator()(int X) const { return 2 * X; }
};
struct IsOdd {
  __host__ __device__ bool operator()(int X) const { return X % 2; }
};
struct Increment {
  __host__ __device__ void operator()(int &X) const { ++X; }
};

template <class Vector>
static bool equal(const Vector &L, const std::vector<int> &R) {
  std::vector<int> Host(L.size());
  thrust::copy(L.begin(), L.end(), Host.begin());
  return Host == R;
}

template <class Vector> static void elements(const std::vector<int> &A) {
  const auto &P = gridspan::par;
  const size_t N = A.size();
  Vector X(A.begin(), A.end()), Y(N);
  std::vector<int> Want(N);
  std::transform(A.begin(), A.end(), Want.begin(), Twice());
  EXPECT(thrust::transform(P, X.begin(), X.end(), Y.begin(), Twice()) ==
         Y.end());
  EXPECT(equal(Y, Want));
  thrust::transform(P, X.begin(), X.end(), Y.begin(), Y.begin(),
                    thrust::minus<int>());
  std::transform(A.begin(), A.end(), Want.begin(), std::negate<int>());
  EXPECT(equal(Y, Want));
  thrust::fill(P, Y.begin(), Y.end(), 3);
  EXPECT(equal(Y, std::vector<int>(N, 3)));
  thrust::sequence(P, Y.begin(), Y.end());
  thrust::for_each(P, Y.begin(), Y.end(), Increment());
  std::iota(Want.begin(), Want.end(), 1);
  EXPECT(equal(Y, Want));
  EXPECT(thrust::reduce(P, X.begin(), X.end()) ==
         std::accumulate(A.begin(), A.end(), 0));
  EXPECT(
      thrust::reduce(P, X.begin(), X.end(), 5LL, thrust::plus<long long>()) ==
      std::accumulate(A.begin(), A.end(), 5LL));
  EXPECT(thrust::transform_reduce(P, X.begin(), X.end(), Twice(), 1,
                                  thrust::plus<int>()) ==
         2 * std::accumulate(A.begin(), A.end(), 0) + 1);
  // Made by Thrust of others.
  EXPECT(thrust::count_if(P, X.begin(), X.end(), IsOdd()) ==
         std::count_if(A.begin(), A.end(), IsOdd()));
  EXPECT(thrust::min_element(P, X.begin(), X.end()) - X.begin() ==
         std::min_element(A.begin(), A.end()) - A.begin());
  EXPECT(thrust::max_element(P, X.begin(), X.end()) - X.begin() ==
         std::max_element(A.begin(), A.end()) - A.begin());
  thrust::inclusive_scan(P, X.begin(), X.end(), Y.begin());
  std::inclusive_scan(A.begin(), A.end(), Want.begin());
  EXPECT(equal(Y, Want));
  thrust::exclusive_scan(P, X.begin(), X.end(), Y.begin());
  std::exclusive_scan(A.begin(), A.end(), Want.begin(), 0);
  EXPECT(equal(Y, Want));
  // Each element to the place where it is from, the other way round.
  Vector Map(N), Z(N);
  thrust::sequence(P, Map.begin(), Map.end());
  thrust::sort(P, Map.begin(), Map.end(), thrust::greater<int>());
  thrust::gather(P, Map.begin(), Map.end(), X.begin(), Y.begin());
  EXPECT(equal(Y, std::vector<int>(A.rbegin(), A.rend())));
  thrust::scatter(P, Y.begin(), Y.end(), Map.begin(), Z.begin());
  EXPECT(equal(Z, A));
}

template <class Vector> static void order(const std::vector<int> &A) {
  cudaStream_t S;
  CHECK(cudaStreamCreate(&S));
  const auto P = gridspan::par.on(S);
  const size_t N = A.size();
  Vector X(A.begin(), A.end()), Y(N);
  std::vector<int> Want;
  std::copy_if(A.begin(), A.end(), std::back_inserter(Want), IsOdd());
  auto End = thrust::copy_if(P, X.begin(), X.end(), Y.begin(), IsOdd());
  EXPECT(equal(Vector(Y.begin(), End), Want));
  EXPECT(thrust::partition(P, Y.begin(), End, IsOdd()) == End);
  End = thrust::remove_if(P, X.begin(), X.end(), IsOdd());
  Want.clear();
  std::remove_copy_if(A.begin(), A.end(), std::back_inserter(Want), IsOdd());
  EXPECT(equal(Vector(X.begin(), End), Want));
  X = Vector(A.begin(), A.end());
  thrust::stable_sort(P, X.begin(), X.end());
  Want = A;
  std::sort(Want.begin(), Want.end());
  EXPECT(equal(X, Want));
  Vector Both(2 * N);
  thrust::merge(P, X.begin(), X.end(), X.begin(), X.end(), Both.begin());
  std::vector<int> WantBoth(2 * N);
  std::merge(Want.begin(), Want.end(), Want.begin(), Want.end(),
             WantBoth.begin());
  EXPECT(equal(Both, WantBoth));
  Vector Keys(A.begin(), A.end()), Ones(N, 1), Sums(N);
  thrust::sort_by_key(P, Keys.begin(), Keys.end(), Ones.begin(),
                      thrust::less<int>());
  const auto Ends = thrust::reduce_by_key(
      P, Keys.begin(), Keys.end(), Ones.begin(), Keys.begin(), Sums.begin());
  End = thrust::unique(P, X.begin(), X.end());
  Want.erase(std::unique(Want.begin(), Want.end()), Want.end());
  EXPECT(equal(Vector(X.begin(), End), Want));
  EXPECT(equal(Vector(Keys.begin(), Ends.first), Want));
  EXPECT(thrust::reduce(P, Sums.begin(), Ends.second) == int(N));
  CHECK(cudaStreamDestroy(S));
}

int main() {
  for (size_t N : {size_t(1), size_t(5000), size_t(100001)}) {
    const std::vector<int> A = randomValues<int>(N, 300);
    elements<thrust::host_vector<int>>(A);
    elements<thrust::device_vector<int>>(A);
    order<thrust::host_vector<int>>(A);
    order<thrust::device_vector<int>>(A);
  }
  try {
    int *Missing = nullptr;
    thrust::fill(gridspan::par, Missing, Missing + 1, 1);
    CHECK(cudaErrorUnknown);
  } catch (const thrust::system_error &Error) {
    EXPECT(Error.code().value() != 0);
  }
  return finish();
}
