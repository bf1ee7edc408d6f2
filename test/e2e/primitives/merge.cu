// Two sorted ranges: merged, and one searched for the elements of the other.
//
// RUN: %gridspan++ -O1 -mllvm -gridspan-noalias=0 -w %s -o %t
// RUN: env GRIDSPAN_DEVICES=cpu:1 %t | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:3 GRIDSPAN_SCHEDULE=static %t | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_DEVICE_MEMORY=1MiB %t | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:3 GRIDSPAN_DEVICE_MEMORY=1MiB %t | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:2 GRIDSPAN_DEVICE_MEMORY=1MiB \
// RUN:   GRIDSPAN_PEER=0 KINDS=ud %t | FileCheck %s
// CHECK: PASS

#include "Inputs/memory.h"
#include <algorithm>
#include <cmath>
#include <gridspan/algorithm.h>
#include <limits>
#include <thrust/iterator/counting_iterator.h>

struct Further {
  __host__ __device__ bool operator()(int L, int R) const { return L > R; }
};

template <class T> static std::vector<T> sorted(size_t N, uint64_t Most) {
  std::vector<T> Out = randomValues<T>(N, Most);
  std::sort(Out.begin(), Out.end());
  return Out;
}

static void merges(Kind K, size_t N, size_t M, uint64_t Most) {
  std::vector<int> A = sorted<int>(N, Most), B = sorted<int>(M, Most);
  std::vector<int> Want(N + M);
  std::merge(A.begin(), A.end(), B.begin(), B.end(), Want.begin());
  {
    Array<int> First(K, A), Second(K, B), Out(K, N + M);
    CHECK(gridspan::merge(First.begin(), First.end(), Second.begin(),
                          Second.end(), Out.begin()));
    CHECK(cudaDeviceSynchronize());
    EXPECT(same(Out.contents(), Want));
    EXPECT(same(First.contents(), A));
  }
  // The first range's values are even: they come first of equal keys.
  std::vector<unsigned> V(N), W(M), WantValues(N + M);
  for (size_t I = 0; I < N; ++I)
    V[I] = unsigned(2 * I);
  for (size_t I = 0; I < M; ++I)
    W[I] = unsigned(2 * I + 1);
  std::reverse(A.begin(), A.end());
  std::reverse(B.begin(), B.end());
  size_t I = 0, J = 0;
  for (size_t At = 0; At < N + M; ++At) {
    const bool TakesB = I == N || (J < M && B[J] > A[I]);
    Want[At] = TakesB ? B[J] : A[I];
    WantValues[At] = TakesB ? W[J++] : V[I++];
  }
  Array<int> Keys1(K, A), Keys2(K, B), Keys(K, N + M);
  Array<unsigned> Values1(K, V), Values2(K, W), Values(K, N + M);
  CHECK(gridspan::merge_by_key(Keys1.begin(), Keys1.end(), Keys2.begin(),
                               Keys2.end(), Values1.begin(), Values2.begin(),
                               Keys.begin(), Values.begin(), Further()));
  CHECK(cudaDeviceSynchronize());
  EXPECT(same(Keys.contents(), Want));
  EXPECT(same(Values.contents(), WantValues));
}

static void searches(Kind K, size_t N, size_t M, uint64_t Most) {
  const std::vector<long long> A = sorted<long long>(N, Most);
  // Some needles are before, between and behind all elements.
  std::vector<int> B = sorted<int>(M, Most + Most / 8);
  for (size_t I = 0; I < M; ++I)
    B[I] -= int(Most / 16);
  std::vector<unsigned> Lower(M), Upper(M);
  for (size_t I = 0; I < M; ++I) {
    Lower[I] = unsigned(std::lower_bound(A.begin(), A.end(), B[I]) - A.begin());
    Upper[I] = unsigned(std::upper_bound(A.begin(), A.end(), B[I]) - A.begin());
  }
  Array<long long> In(K, A);
  Array<int> Needles(K, B);
  Array<unsigned> Out(K, M);
  CHECK(gridspan::lower_bound(In.begin(), In.end(), Needles.begin(),
                              Needles.end(), Out.begin()));
  CHECK(cudaDeviceSynchronize());
  EXPECT(same(Out.contents(), Lower));
  CHECK(gridspan::upper_bound(In.begin(), In.end(), Needles.begin(),
                              Needles.end(), Out.begin()));
  CHECK(cudaDeviceSynchronize());
  EXPECT(same(Out.contents(), Upper));
}

/// NaN come last, and are equal; so are zeros.
static void floats() {
  const float NaN = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> A = {-1, 0.0F, 2, NaN}, B = {-0.0F, 2, NaN, NaN};
  std::vector<float> Out(8);
  CHECK(gridspan::merge(A.begin(), A.end(), B.begin(), B.end(), Out.begin()));
  const float Want[] = {-1, 0.0F, -0.0F, 2, 2};
  for (size_t I = 0; I < std::size(Want); ++I)
    EXPECT(Out[I] == Want[I] && std::signbit(Out[I]) == std::signbit(Want[I]));
  EXPECT(std::isnan(Out[5]) && std::isnan(Out[6]) && std::isnan(Out[7]));
  std::vector<int> At(4);
  CHECK(gridspan::lower_bound(A.begin(), A.end(), B.begin(), B.end(),
                              At.begin()));
  EXPECT(same(At, std::vector<int>{1, 2, 3, 3}));
  CHECK(gridspan::upper_bound(A.begin(), A.end(), B.begin(), B.end(),
                              At.begin()));
  EXPECT(same(At, std::vector<int>{2, 3, 4, 4}));
}

/// Needles without memory: the lengths of a histogram.
static void counted(size_t N) {
  const std::vector<int> A = sorted<int>(N, 100);
  std::vector<int> Ends(101), Want(101);
  thrust::counting_iterator<int> Bins(0);
  CHECK(gridspan::upper_bound(A.begin(), A.end(), Bins, Bins + 101,
                              Ends.begin()));
  for (int I = 0; I <= 100; ++I)
    Want[I] = int(std::upper_bound(A.begin(), A.end(), I) - A.begin());
  EXPECT(same(Ends, Want));
}

int main() {
  for (Kind K : Kinds) {
    for (size_t N :
         {size_t(0), size_t(1), size_t(3839), size_t(3841), size_t(150001)})
      for (size_t M : {size_t(0), size_t(1), size_t(3840), size_t(200003)}) {
        merges(K, N, M, 1000000);
        searches(K, N, M, 1000000);
      }
    merges(K, 150001, 150001, 3);
    searches(K, 300001, 100001, 16);
    searches(K, 400001, 10, 1000);
  }
  floats();
  counted(400001);
  return finish();
}
