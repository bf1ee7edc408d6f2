// Calls of CUB that select and count elements, unchanged.
//
// RUN: %gridspan++ -O1 -Xarch_host -O0 %untraced -w %s -o %t
// RUN: env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_REPORT=%t.json %t | FileCheck %s
// RUN: FileCheck %s --check-prefix=PLAIN < %t.json
// RUN: env GRIDSPAN_DEVICES=cpu:3 GRIDSPAN_SCHEDULE=static GRIDSPAN_REPORT=1 %t 2> %t.report | FileCheck %s
// RUN: FileCheck %s --check-prefix=TAKEN < %t.report
// RUN: env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_DEVICE_MEMORY=1MiB GRIDSPAN_REPORT=1 %t 2> %t.report | FileCheck %s
// RUN: FileCheck %s --check-prefix=TAKEN < %t.report
// CHECK: PASS
// PLAIN: "calls": []
// TAKEN-DAG: histogram: {{.*}} ran as Gridspan's primitive
// TAKEN-DAG: partition: {{.*}} ran as Gridspan's primitive
// TAKEN-DAG: select: {{.*}} ran as Gridspan's primitive
// TAKEN-DAG: unique_by_key: {{.*}} ran as Gridspan's primitive

#include "Inputs/calls.h"
#include <algorithm>
#include <cub/device/device_histogram.cuh>
#include <cub/device/device_partition.cuh>
#include <cub/device/device_select.cuh>

struct IsOdd {
  // Not const, as CUB allows it.
  __host__ __device__ bool operator()(int X) { return X % 2; }
};

static void selections(size_t N) {
  const int Count = int(N);
  const std::vector<int> A = randomValues<int>(N, 1000);
  const std::vector<char> F = randomValues<char>(N, 4);
  std::vector<int> Odd, Even, Flagged, OddFlagged, Unique, Backwards;
  const std::vector<int> R = runs(N, 5);
  std::vector<long long> Values(N), Firsts;
  for (size_t I = 0; I < N; ++I) {
    (IsOdd()(A[I]) ? Odd : Even).push_back(A[I]);
    if (F[I])
      Flagged.push_back(A[I]);
    if (IsOdd()(F[I]))
      OddFlagged.push_back(A[I]);
    Values[I] = static_cast<long long>(I);
    if (I == 0 || R[I] != R[I - 1]) {
      Unique.push_back(R[I]);
      Firsts.push_back(Values[I]);
    }
  }
  Backwards = Odd;
  Backwards.insert(Backwards.end(), Even.rbegin(), Even.rend());
  Array<int> In(OnDevices, A), Out(OnDevices, N), Number(OnDevices, 1);
  Array<int> Repeated(OnDevices, R);
  Array<char> Flags(OnDevices, F);
  Array<long long> V(OnDevices, Values), VOut(OnDevices, N);
  auto Results = [&](auto &Of) {
    auto All = Of.contents();
    All.resize(size_t(Number.contents()[0]));
    return All;
  };
  twice([&](void *S, size_t &Bytes) {
    return cub::DeviceSelect::If(S, Bytes, In.begin(), Out.begin(),
                                 Number.begin(), Count, IsOdd());
  });
  EXPECT(Results(Out) == Odd);
  twice([&](void *S, size_t &Bytes) {
    return cub::DeviceSelect::Flagged(S, Bytes, In.begin(), Flags.begin(),
                                      Out.begin(), Number.begin(), Count);
  });
  EXPECT(Results(Out) == Flagged);
  twice([&](void *S, size_t &Bytes) {
    return cub::DeviceSelect::FlaggedIf(S, Bytes, In.begin(), Flags.begin(),
                                        Out.begin(), Number.begin(), Count,
                                        IsOdd());
  });
  EXPECT(Results(Out) == OddFlagged);
  twice([&](void *S, size_t &Bytes) {
    return cub::DeviceSelect::Unique(S, Bytes, Repeated.begin(), Out.begin(),
                                     Number.begin(), Count);
  });
  EXPECT(Results(Out) == Unique);
  twice([&](void *S, size_t &Bytes) {
    return cub::DeviceSelect::UniqueByKey(S, Bytes, Repeated.begin(), V.begin(),
                                          Out.begin(), VOut.begin(),
                                          Number.begin(), Count);
  });
  EXPECT(Results(Out) == Unique && Results(VOut) == Firsts);
  twice([&](void *S, size_t &Bytes) {
    return cub::DevicePartition::If(S, Bytes, In.begin(), Out.begin(),
                                    Number.begin(), Count, IsOdd());
  });
  EXPECT(Number.contents()[0] == int(Odd.size()));
  EXPECT(Out.contents() == Backwards);
  // In place, which the call with the storage does once.
  twice([&](void *S, size_t &Bytes) {
    return cub::DeviceSelect::If(S, Bytes, In.begin(), Number.begin(), Count,
                                 IsOdd());
  });
  EXPECT(Results(In) == Odd);
}

static void histograms(size_t N) {
  const std::vector<float> A = randomValues<float>(N, 1000);
  Array<float> In(OnDevices, A);
  constexpr int Bins = 37;
  const std::vector<float> Levels = {0, 10, 10, 50, 51.5f, 400, 999};
  std::vector<int> Even(Bins), Ranged(Levels.size() - 1);
  for (float X : A) {
    if (X >= 3 && X < 900)
      ++Even[size_t((X - 3) * (Bins / (900.0f - 3.0f)))];
    const auto At = std::upper_bound(Levels.begin(), Levels.end(), X);
    if (At != Levels.begin() && At != Levels.end())
      ++Ranged[size_t(At - Levels.begin()) - 1];
  }
  Array<int> Counts(OnDevices, Bins), RangeCounts(OnDevices, Ranged.size());
  Array<float> Bounds(OnDevices, Levels);
  twice([&](void *S, size_t &Bytes) {
    return cub::DeviceHistogram::HistogramEven(
        S, Bytes, In.begin(), Counts.begin(), Bins + 1, 3.0f, 900.0f, int(N));
  });
  EXPECT(Counts.contents() == Even);
  twice([&](void *S, size_t &Bytes) {
    return cub::DeviceHistogram::HistogramRange(
        S, Bytes, In.begin(), RangeCounts.begin(), int(Levels.size()),
        Bounds.begin(), int(N));
  });
  EXPECT(RangeCounts.contents() == Ranged);
}

/// Pixels of four channels, of which three are counted, in rows with gaps.
static void pixels(int Width, int Rows) {
  const int Stride = 4 * Width + 20;
  const std::vector<unsigned char> A =
      randomValues<unsigned char>(size_t(Stride) * Rows, 256);
  std::vector<int> Want[3];
  for (int C = 0; C < 3; ++C) {
    Want[C].resize(size_t(16 << C));
    for (int Y = 0; Y < Rows; ++Y)
      for (int X = 0; X < Width; ++X)
        ++Want[C][size_t(A[size_t(Y * Stride + 4 * X + C)] >> (4 - C))];
  }
  Array<unsigned char> In(OnDevices, A);
  Array<int> Red(OnDevices, 16), Green(OnDevices, 32), Blue(OnDevices, 64);
  const cuda::std::array<int *, 3> Out = {Red.begin(), Green.begin(),
                                          Blue.begin()};
  const cuda::std::array<int, 3> Levels = {17, 33, 65}, Lo = {0, 0, 0},
                                 Hi = {256, 256, 256};
  twice([&](void *S, size_t &Bytes) {
    return cub::DeviceHistogram::MultiHistogramEven<4, 3>(
        S, Bytes, In.begin(), Out, Levels, Lo, Hi, Width, Rows, size_t(Stride));
  });
  EXPECT(Red.contents() == Want[0] && Green.contents() == Want[1] &&
         Blue.contents() == Want[2]);
}

int main() {
  for (size_t N : Sizes) {
    selections(N);
    histograms(N);
  }
  pixels(3, 2);
  pixels(601, 501);
  return finish();
}
