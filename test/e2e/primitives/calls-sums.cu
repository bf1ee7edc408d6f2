// Calls of CUB that reduce and scan, unchanged, where data are larger than the
// devices or on several of them.
//
// RUN: %gridspan++ -O1 -Xarch_host -O0 %untraced -w %s -o %t
// RUN: env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_REPORT=%t.json %t | FileCheck %s
// RUN: FileCheck %s --check-prefix=PLAIN < %t.json
// RUN: env GRIDSPAN_DEVICES=cpu:3 GRIDSPAN_SCHEDULE=static GRIDSPAN_REPORT=1 %t 2> %t.report | FileCheck %s
// RUN: FileCheck %s --check-prefix=TAKEN < %t.report
// RUN: env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_DEVICE_MEMORY=1MiB GRIDSPAN_REPORT=1 %t 2> %t.report | FileCheck %s
// RUN: FileCheck %s --check-prefix=TAKEN < %t.report
// RUN: env GRIDSPAN_DEVICES=cpu:2 GRIDSPAN_DEVICE_MEMORY=1MiB %t | FileCheck %s
// CHECK: PASS
// PLAIN: "calls": []
// TAKEN-DAG: reduce: {{.*}} ran as Gridspan's primitive
// TAKEN-DAG: reduce_by_key: {{.*}} ran as Gridspan's primitive
// TAKEN-DAG: run_length_encode: {{.*}} ran as Gridspan's primitive
// TAKEN-DAG: non_trivial_runs: {{.*}} ran as Gridspan's primitive
// TAKEN-DAG: scan: {{.*}} ran as Gridspan's primitive
// TAKEN-DAG: scan_by_key: {{.*}} ran as Gridspan's primitive
// TAKEN-DAG: segmented_reduce: {{.*}} ran as Gridspan's primitive

#include "Inputs/calls.h"
#include <algorithm>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_run_length_encode.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_segmented_reduce.cuh>
#include <numeric>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

struct Add {
  __host__ __device__ long long operator()(long long L, long long R) const {
    return L + R;
  }
};
struct Square {
  // Not const, as CUB allows it.
  __host__ __device__ long long operator()(int X) {
    return static_cast<long long>(X) * X;
  }
};
struct Doubled {
  const int *Of;
  __host__ __device__ int operator()(int I) const { return 2 * Of[I]; }
};

static void reductions(size_t N) {
  const std::vector<int> A = randomValues<int>(N, 1000);
  Array<int> In(OnDevices, A), Number(OnDevices, 1), Extreme(OnDevices, 1);
  Array<long long> Sum(OnDevices, 1);
  const int Count = int(N);
  twice([&](void *S, size_t &Bytes) {
    return cub::DeviceReduce::Reduce(S, Bytes, In.begin(), Sum.begin(), Count,
                                     Add(), 7LL);
  });
  EXPECT(Sum.contents()[0] == std::accumulate(A.begin(), A.end(), 7LL));
  twice([&](void *S, size_t &Bytes) {
    return cub::DeviceReduce::TransformReduce(S, Bytes, In.begin(), Sum.begin(),
                                              Count, Add(), Square(), 5LL);
  });
  long long Squares = 5;
  for (int X : A)
    Squares += static_cast<long long>(X) * X;
  EXPECT(Sum.contents()[0] == Squares);
  // By an iterator that has the pointer within.
  const auto Twice = thrust::make_transform_iterator(
      thrust::make_counting_iterator(0), Doubled{In.begin()});
  twice([&](void *S, size_t &Bytes) {
    return cub::DeviceReduce::Reduce(S, Bytes, Twice, Sum.begin(), Count, Add(),
                                     0LL);
  });
  EXPECT(Sum.contents()[0] == 2 * std::accumulate(A.begin(), A.end(), 0LL));
  if (N == 0)
    return;
  twice([&](void *S, size_t &Bytes) {
    return cub::DeviceReduce::Max(S, Bytes, In.begin(), Extreme.begin(), Count);
  });
  EXPECT(Extreme.contents()[0] == *std::max_element(A.begin(), A.end()));
  twice([&](void *S, size_t &Bytes) {
    return cub::DeviceReduce::ArgMin(S, Bytes, In.begin(), Extreme.begin(),
                                     Number.begin(), Count);
  });
  EXPECT(Number.contents()[0] ==
         std::min_element(A.begin(), A.end()) - A.begin());
}

static void scans(size_t N) {
  const std::vector<int> A = randomValues<int>(N, 1000);
  Array<int> In(OnDevices, A), Before(OnDevices, std::vector<int>{9});
  Array<long long> Out(OnDevices, N);
  std::vector<long long> Inclusive(N), Exclusive(N);
  long long Sum = 0;
  for (size_t I = 0; I < N; ++I) {
    Exclusive[I] = Sum;
    Inclusive[I] = Sum += A[I];
  }
  const int Count = int(N);
  twice([&](void *S, size_t &Bytes) {
    return cub::DeviceScan::InclusiveScan(S, Bytes, In.begin(), Out.begin(),
                                          Add(), Count);
  });
  EXPECT(Out.contents() == Inclusive);
  twice([&](void *S, size_t &Bytes) {
    return cub::DeviceScan::ExclusiveScan(S, Bytes, In.begin(), Out.begin(),
                                          Add(), 0LL, Count);
  });
  EXPECT(Out.contents() == Exclusive);
  twice([&](void *S, size_t &Bytes) {
    return cub::DeviceScan::InclusiveScanInit(S, Bytes, In.begin(), Out.begin(),
                                              Add(), 3LL, Count);
  });
  for (long long &X : Inclusive)
    X += 3;
  EXPECT(Out.contents() == Inclusive);
  // What comes first is in memory of devices.
  twice([&](void *S, size_t &Bytes) {
    return cub::DeviceScan::ExclusiveScan(
        S, Bytes, In.begin(), Out.begin(), Add(),
        cub::FutureValue<int>(Before.begin()), Count);
  });
  for (long long &X : Exclusive)
    X += 9;
  EXPECT(Out.contents() == Exclusive);
  // Operations that do not commute, in place.
  std::vector<Affine> F(N);
  uint64_t State = N;
  for (Affine &X : F)
    X = {uint32_t(next(State)) | 1, uint32_t(next(State))};
  Array<Affine> Maps(OnDevices, F);
  for (size_t I = 1; I < N; ++I)
    F[I] = Compose()(F[I - 1], F[I]);
  twice([&](void *S, size_t &Bytes) {
    return cub::DeviceScan::InclusiveScan(S, Bytes, Maps.begin(), Maps.begin(),
                                          Compose(), Count);
  });
  EXPECT(same(Maps.contents(), F));
}

static void byKey(size_t N, size_t Longest) {
  const std::vector<int> K = runs(N, Longest), V = randomValues<int>(N, 1000);
  std::vector<int> Keys, Lengths, Begins, LongLengths;
  std::vector<long long> Sums, Inclusive(N), Exclusive(N);
  for (size_t I = 0; I < N; ++I) {
    if (I == 0 || K[I] != K[I - 1]) {
      Keys.push_back(K[I]);
      Lengths.push_back(0);
      Sums.push_back(0);
      Begins.push_back(int(I));
    }
    Exclusive[I] = 4 + Sums.back();
    Inclusive[I] = Sums.back() += V[I];
    ++Lengths.back();
  }
  std::vector<int> LongBegins;
  for (size_t R = 0; R < Keys.size(); ++R)
    if (Lengths[R] > 1) {
      LongBegins.push_back(Begins[R]);
      LongLengths.push_back(Lengths[R]);
    }
  Array<int> InK(OnDevices, K), InV(OnDevices, V), OutK(OnDevices, N),
      OutN(OnDevices, N), Number(OnDevices, 1);
  Array<long long> Out(OnDevices, N);
  auto Firsts = [&](auto &Of) {
    auto All = Of.contents();
    All.resize(size_t(Number.contents()[0]));
    return All;
  };
  const int Count = int(N);
  twice([&](void *S, size_t &Bytes) {
    return cub::DeviceReduce::ReduceByKey(S, Bytes, InK.begin(), OutK.begin(),
                                          InV.begin(), Out.begin(),
                                          Number.begin(), Add(), Count);
  });
  EXPECT(Firsts(OutK) == Keys && Firsts(Out) == Sums);
  twice([&](void *S, size_t &Bytes) {
    return cub::DeviceRunLengthEncode::Encode(S, Bytes, InK.begin(),
                                              OutK.begin(), OutN.begin(),
                                              Number.begin(), Count);
  });
  EXPECT(Firsts(OutK) == Keys && Firsts(OutN) == Lengths);
  twice([&](void *S, size_t &Bytes) {
    return cub::DeviceRunLengthEncode::NonTrivialRuns(
        S, Bytes, InK.begin(), OutK.begin(), OutN.begin(), Number.begin(),
        Count);
  });
  EXPECT(Firsts(OutK) == LongBegins && Firsts(OutN) == LongLengths);
  twice([&](void *S, size_t &Bytes) {
    return cub::DeviceScan::InclusiveScanByKey(
        S, Bytes, InK.begin(), InV.begin(), Out.begin(), Add(), Count);
  });
  EXPECT(Out.contents() == Inclusive);
  twice([&](void *S, size_t &Bytes) {
    return cub::DeviceScan::ExclusiveScanByKey(
        S, Bytes, InK.begin(), InV.begin(), Out.begin(), Add(), 4LL, Count);
  });
  EXPECT(Out.contents() == Exclusive);
}

static void segments(size_t N, size_t Most) {
  const std::vector<int> A = randomValues<int>(N, 1000);
  std::vector<int> Offsets = {int(N / 7)};
  uint64_t State = N;
  while (Offsets.back() < int(N))
    Offsets.push_back(
        int(std::min(N, Offsets.back() + next(State) % (Most + 1))));
  const int Segments = int(Offsets.size()) - 1;
  std::vector<long long> Want(size_t(Segments), 5);
  for (int S = 0; S < Segments; ++S)
    for (int I = Offsets[S]; I < Offsets[S + 1]; ++I)
      Want[S] += A[I];
  Array<int> In(OnDevices, A), Bounds(OnDevices, Offsets);
  Array<long long> Out(OnDevices, Want.size());
  if (Segments)
    twice([&](void *S, size_t &Bytes) {
      return cub::DeviceSegmentedReduce::Reduce(
          S, Bytes, In.begin(), Out.begin(), Segments, Bounds.begin(),
          Bounds.begin() + 1, Add(), 5LL);
    });
  if (Segments)
    EXPECT(Out.contents() == Want);
}

int main() {
  for (size_t N : Sizes) {
    reductions(N);
    scans(N);
    byKey(N, 3);
    byKey(N, 9000);
    segments(N, 50);
    segments(N, 30000);
  }
  return finish();
}
