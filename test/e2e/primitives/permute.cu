// Gather and scatter by places in memory: in order, at random, to one place.
//
// RUN: %gridspan++ -O1 -Xarch_host -O0 -mllvm -gridspan-noalias=0 -w %s -o %t
// RUN: env GRIDSPAN_DEVICES=cpu:1 %t | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:3 GRIDSPAN_SCHEDULE=static %t | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_DEVICE_MEMORY=1MiB %t | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:3 GRIDSPAN_DEVICE_MEMORY=1MiB %t | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:2 GRIDSPAN_DEVICE_MEMORY=1MiB \
// RUN:   GRIDSPAN_PEER=0 KINDS=ud %t | FileCheck %s
// CHECK: PASS

#include "Inputs/memory.h"
#include <algorithm>
#include <gridspan/algorithm.h>
#include <numeric>
#include <thrust/iterator/counting_iterator.h>

struct Triple {
  int X, Y, Z;
};

template <class T> static T valueOf(size_t I) { return T(I * 2654435761U); }
template <> Triple valueOf<Triple>(size_t I) {
  return {int(I), int(2 * I), -int(I)};
}
template <class T> static std::vector<T> values(size_t N) {
  std::vector<T> Out(N);
  for (size_t I = 0; I < N; ++I)
    Out[I] = valueOf<T>(I);
  return Out;
}

enum class Pattern { Sorted, Random, OnePart };

/// M places below N, any number of times the same.
template <class Place>
static std::vector<Place> places(Pattern P, size_t M, size_t N) {
  std::vector<Place> Out = randomValues<Place>(M, N);
  if (P == Pattern::Sorted)
    std::sort(Out.begin(), Out.end());
  if (P == Pattern::OnePart)
    for (Place &X : Out)
      X = Place(N - 1 - X % std::min<size_t>(N, 100));
  return Out;
}

template <class T, class Place>
static void gathers(Kind K, size_t M, size_t N, Pattern P) {
  const std::vector<T> A = values<T>(N);
  const std::vector<Place> Map = places<Place>(P, M, N);
  std::vector<T> Want(M);
  for (size_t I = 0; I < M; ++I)
    Want[I] = A[Map[I]];
  Array<T> In(K, A), Out(K, M);
  Array<Place> Places(K, Map);
  CHECK(gridspan::gather(Places.begin(), Places.end(), In.begin(), In.end(),
                         Out.begin()));
  CHECK(cudaDeviceSynchronize());
  EXPECT(same(Out.contents(), Want));
  EXPECT(same(In.contents(), A));
}

/// Each element to another place, of which some stay as they are.
template <class T, class Place>
static void scatters(Kind K, size_t N, bool Random) {
  const size_t To = N + N / 3;
  std::vector<Place> Map(To);
  std::iota(Map.begin(), Map.end(), Place(0));
  uint64_t State = N;
  for (size_t I = To; Random && I > 1; --I)
    std::swap(Map[I - 1], Map[next(State) % I]);
  Map.resize(N);
  const std::vector<T> A = values<T>(N);
  std::vector<T> Want(To);
  for (size_t I = 0; I < To; ++I)
    Want[I] = valueOf<T>(I + 7);
  Array<T> Out(K, Want), In(K, A);
  Array<Place> Places(K, Map);
  for (size_t I = 0; I < N; ++I)
    Want[Map[I]] = A[I];
  CHECK(gridspan::scatter(In.begin(), In.end(), Places.begin(), Out.begin(),
                          Out.end()));
  CHECK(cudaDeviceSynchronize());
  EXPECT(same(Out.contents(), Want));
}

/// Places without memory.
static void counted(size_t N) {
  const std::vector<int> A = values<int>(N);
  std::vector<int> Out(N / 2);
  thrust::counting_iterator<int> Map(int(N / 4));
  CHECK(gridspan::gather(Map, Map + N / 2, A.begin(), A.end(), Out.begin()));
  EXPECT(std::equal(Out.begin(), Out.end(), A.begin() + N / 4));
}

int main() {
  for (Kind K : Kinds) {
    for (size_t N : {size_t(1), size_t(3841), size_t(60007)})
      for (Pattern P : {Pattern::Sorted, Pattern::Random, Pattern::OnePart}) {
        gathers<int, unsigned>(K, 0, N, P);
        gathers<int, unsigned>(K, 1, N, P);
        gathers<int, long long>(K, 40001, N, P);
        gathers<Triple, unsigned>(K, 20001, N, P);
      }
    for (size_t N : {size_t(0), size_t(1), size_t(3841), size_t(50003)})
      for (bool Random : {false, true}) {
        scatters<int, unsigned>(K, N, Random);
        scatters<Triple, long long>(K, N, Random);
      }
  }
  counted(100007);
  return finish();
}
