// Calls of CUB that sort, unchanged: the result is that of a stable sort by
// CUB's order, wherever the data are.
//
// RUN: %gridspan++ -O1 %untraced -w %s -o %t
// RUN: env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_REPORT=%t.json %t | FileCheck %s
// RUN: FileCheck %s --check-prefix=PLAIN < %t.json
// RUN: env GRIDSPAN_DEVICES=cpu:3 GRIDSPAN_SCHEDULE=static GRIDSPAN_REPORT=1 %t 400009 2> %t.report | FileCheck %s
// RUN: FileCheck %s --check-prefix=TAKEN < %t.report
// RUN: env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_DEVICE_MEMORY=1MiB GRIDSPAN_REPORT=1 %t 400009 2> %t.report | FileCheck %s
// RUN: FileCheck %s --check-prefix=TAKEN < %t.report
// CHECK: PASS
// PLAIN: "calls": []
// TAKEN-DAG: merge_sort: {{.*}} ran as Gridspan's primitive
// TAKEN-DAG: radix_sort: {{.*}} ran as the library's: key-type
// TAKEN-DAG: radix_sort: {{.*}} ran as Gridspan's primitive
// TAKEN-DAG: segmented_sort: {{.*}} ran as Gridspan's primitive

#include "Inputs/calls.h"
#include <algorithm>
#include <cstdlib>
#include <cub/device/device_merge_sort.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_segmented_radix_sort.cuh>
#include <cub/device/device_segmented_sort.cuh>
#include <cuda/std/tuple>
#include <limits>
#include <numeric>

/// Numbers of all kinds, also zeros of both signs.
static std::vector<double> numbers(size_t N) {
  uint64_t State = N;
  std::vector<double> Out(N);
  for (double &X : Out)
    switch (next(State) % 8) {
    case 0:
      X = 0.0;
      break;
    case 1:
      X = -0.0;
      break;
    case 2:
      X = std::numeric_limits<double>::infinity();
      break;
    default:
      X = (double(next(State)) - 1e9) / 7;
    }
  return Out;
}

template <class Key, class Order>
static std::vector<int> places(const std::vector<Key> &Of, size_t Lo, size_t Hi,
                               const Order &Less) {
  std::vector<int> Out(Of.size());
  std::iota(Out.begin(), Out.end(), 0);
  std::stable_sort(Out.begin() + Lo, Out.begin() + Hi,
                   [&](int L, int R) { return Less(Of[L], Of[R]); });
  return Out;
}
template <class T>
static std::vector<T> taken(const std::vector<T> &From,
                            const std::vector<int> &Places) {
  std::vector<T> Out;
  for (int P : Places)
    Out.push_back(From[P]);
  return Out;
}

struct Middle {
  __host__ __device__ unsigned operator()(unsigned X) const {
    return X >> 3 & 0x1fff;
  }
};

static void radix(size_t N) {
  const int Count = int(N);
  const std::vector<double> D = numbers(N);
  std::vector<int> V(N);
  std::iota(V.begin(), V.end(), 0);
  Array<double> In(OnDevices, D), Out(OnDevices, N);
  Array<int> Values(OnDevices, V), ValuesOut(OnDevices, N);
  twice([&](void *S, size_t &Bytes) {
    return cub::DeviceRadixSort::SortKeys(S, Bytes, In.begin(), Out.begin(),
                                          Count);
  });
  std::vector<int> P = places(D, 0, N, std::less<double>());
  EXPECT(same(Out.contents(), taken(D, P)));
  EXPECT(same(In.contents(), D));
  // Some bits of integers, with buffers that may be overwritten.
  const std::vector<unsigned> U = randomValues<unsigned>(N, 1u << 30);
  Array<unsigned> A(OnDevices, U), B(OnDevices, N);
  cub::DoubleBuffer<unsigned> Keys(A.begin(), B.begin());
  cub::DoubleBuffer<int> Pairs(Values.begin(), ValuesOut.begin());
  twice([&](void *S, size_t &Bytes) {
    return cub::DeviceRadixSort::SortPairsDescending(S, Bytes, Keys, Pairs,
                                                     Count, 3, 16);
  });
  P = places(U, 0, N,
             [](unsigned L, unsigned R) { return Middle()(L) > Middle()(R); });
  EXPECT(same(Keys.selector ? B.contents() : A.contents(), taken(U, P)));
  EXPECT((Pairs.selector ? ValuesOut : Values).contents() == P);
}

struct Record {
  int Key;
  unsigned short Other[2];
};
struct ByKey {
  // Not const, as CUB allows it.
  __host__ __device__ bool operator()(const Record &L, const Record &R) {
    return L.Key < R.Key;
  }
};

static void merging(size_t N) {
  const std::vector<int> A = randomValues<int>(N, N / 3 + 1);
  std::vector<Record> R(N);
  std::vector<long long> V(N);
  for (size_t I = 0; I < N; ++I) {
    R[I] = {A[I], {1, static_cast<unsigned short>(I)}};
    V[I] = static_cast<long long>(I);
  }
  Array<Record> Records(OnDevices, R);
  Array<long long> Values(OnDevices, V);
  twice([&](void *S, size_t &Bytes) {
    return cub::DeviceMergeSort::StableSortPairs(
        S, Bytes, Records.begin(), Values.begin(), int(N), ByKey());
  });
  const std::vector<int> P = places(
      R, 0, N, [](const Record &L, const Record &R) { return L.Key < R.Key; });
  EXPECT(same(Records.contents(), taken(R, P)));
  EXPECT(Values.contents() == std::vector<long long>(P.begin(), P.end()));
}

struct Boxed {
  int V;
};
struct Unbox {
  __host__ __device__ cuda::std::tuple<int &> operator()(Boxed &B) const {
    return {B.V};
  }
};

/// Keys that CUB takes apart, which primitives do not do.
static void decomposed(size_t N) {
  const std::vector<int> A = randomValues<int>(N, 1000);
  Array<Boxed> In(OnDevices, N), Out(OnDevices, N);
  CHECK(cudaMemcpy(In.begin(), A.data(), N * sizeof(int), cudaMemcpyDefault));
  twice([&](void *S, size_t &Bytes) {
    return cub::DeviceRadixSort::SortKeys(S, Bytes, In.begin(), Out.begin(),
                                          int(N), Unbox());
  });
  std::vector<int> Sorted = A;
  std::sort(Sorted.begin(), Sorted.end());
  bool Same = true;
  const std::vector<Boxed> Results = Out.contents();
  for (size_t I = 0; I < N; ++I)
    Same &= Results[I].V == Sorted[I];
  EXPECT(Same);
}

static void segments(size_t N, size_t Most) {
  const std::vector<float> A = randomValues<float>(N, 1000);
  // Elements before the first offset and behind the last one are in none.
  std::vector<int> Offsets = {int(N / 7)};
  uint64_t State = N;
  while (Offsets.back() < int(N - N / 9))
    Offsets.push_back(
        int(std::min(N - N / 9, Offsets.back() + next(State) % (Most + 1))));
  const int Segments = int(Offsets.size()) - 1;
  if (!Segments)
    return;
  std::vector<int> V(N);
  std::iota(V.begin(), V.end(), 0);
  const std::vector<float> Old(N, -5);
  std::vector<float> Want = Old;
  std::vector<int> Pairs(N, -1);
  for (int S = 0; S < Segments; ++S) {
    const size_t Lo = size_t(Offsets[S]), Hi = size_t(Offsets[S + 1]);
    const std::vector<int> P = places(A, Lo, Hi, std::less<float>());
    for (size_t I = Lo; I < Hi; ++I) {
      Want[I] = A[P[I]];
      Pairs[I] = P[I];
    }
  }
  Array<float> In(OnDevices, A), Out(OnDevices, Old);
  Array<int> Values(OnDevices, V),
      ValuesOut(OnDevices, std::vector<int>(N, -1));
  Array<int> Bounds(OnDevices, Offsets);
  twice([&](void *S, size_t &Bytes) {
    return cub::DeviceSegmentedSort::StableSortPairs(
        S, Bytes, In.begin(), Out.begin(), Values.begin(), ValuesOut.begin(),
        int(N), Segments, Bounds.begin(), Bounds.begin() + 1);
  });
  EXPECT(same(Out.contents(), Want) && ValuesOut.contents() == Pairs);
  Array<float> Again(OnDevices, Old);
  twice([&](void *S, size_t &Bytes) {
    return cub::DeviceSegmentedRadixSort::SortKeys(
        S, Bytes, In.begin(), Again.begin(), int(N), Segments, Bounds.begin(),
        Bounds.begin() + 1);
  });
  EXPECT(same(Again.contents(), Want));
}

static void all(size_t N) {
  radix(N);
  merging(N);
  segments(N, 50);
  segments(N, 30000);
}

/// Sorts as many elements as the argument says, besides.
int main(int Argc, char **Argv) {
  for (size_t N : {0, 1, 2, 3841, 70001})
    all(N);
  // CUB's kernels, whose blocks wait for each other, are slow on CPU devices.
  if (Argc > 1)
    all(strtoull(Argv[1], nullptr, 10));
  decomposed(70001);
  return finish();
}
