// Each of many segments on its own: short, long and empty ones.
//
// RUN: %gridspan++ -O1 -mllvm -gridspan-noalias=0 -w %s -o %t
// RUN: env GRIDSPAN_DEVICES=cpu:1 %t > %t.1
// RUN: FileCheck %s < %t.1
// RUN: env GRIDSPAN_DEVICES=cpu:3 GRIDSPAN_SCHEDULE=static %t | diff - %t.1
// RUN: env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_DEVICE_MEMORY=1MiB %t | diff - %t.1
// RUN: env GRIDSPAN_DEVICES=cpu:3 GRIDSPAN_DEVICE_MEMORY=1MiB %t | diff - %t.1
// RUN: env GRIDSPAN_DEVICES=cpu:2 GRIDSPAN_DEVICE_MEMORY=1MiB \
// RUN:   GRIDSPAN_PEER=0 KINDS=ud %t | diff - %t.1
// CHECK: PASS

#include "Inputs/memory.h"
#include <algorithm>
#include <gridspan/algorithm.h>

/// Offsets of segments of up to Most elements in N, of which the last ones and
/// the first may be in none.
static std::vector<unsigned> offsets(size_t N, size_t Most, bool All) {
  uint64_t State = N + Most;
  std::vector<unsigned> Out = {unsigned(All ? 0 : std::min<size_t>(N, 5))};
  while (Out.back() < N) {
    // Some in a row are empty.
    const size_t Length = next(State) % 3 ? 1 + next(State) % Most : 0;
    if (Out.back() + Length > N)
      break;
    Out.push_back(unsigned(Out.back() + Length));
  }
  if (All)
    Out.push_back(unsigned(N));
  for (int I = 0; I < 3; ++I)
    Out.push_back(Out.back());
  return Out;
}

static void reductions(Kind K, size_t N, size_t Most, bool All) {
  const std::vector<unsigned> Offsets = offsets(N, Most, All);
  const size_t Segments = Offsets.size() - 1;
  const std::vector<int> A = randomValues<int>(N, 1000);
  std::vector<long long> Want(Segments, 5);
  std::vector<Affine> F(N), WantMaps(Segments, Affine{3, 4});
  uint64_t State = N;
  for (Affine &X : F)
    X = {uint32_t(next(State)) | 1, uint32_t(next(State))};
  for (size_t S = 0; S < Segments; ++S)
    for (size_t I = Offsets[S]; I < Offsets[S + 1]; ++I) {
      Want[S] += A[I];
      WantMaps[S] = Compose()(WantMaps[S], F[I]);
    }
  Array<int> In(K, A);
  Array<Affine> Maps(K, F), Results(K, Segments);
  Array<unsigned> Bounds(K, Offsets);
  Array<long long> Out(K, Segments);
  CHECK(gridspan::segmented_reduce(In.begin(), In.end(), Bounds.begin(),
                                   Segments, Out.begin(), 5LL));
  CHECK(cudaDeviceSynchronize());
  EXPECT(same(Out.contents(), Want));
  CHECK(gridspan::segmented_reduce(Maps.begin(), Maps.end(), Bounds.begin(),
                                   Segments, Results.begin(), Affine{3, 4},
                                   Compose()));
  CHECK(cudaDeviceSynchronize());
  EXPECT(same(Results.contents(), WantMaps));
}

struct Further {
  __host__ __device__ bool operator()(unsigned L, unsigned R) const {
    return L > R;
  }
};

static void sorts(Kind K, size_t N, size_t Most, bool All) {
  const std::vector<unsigned> Offsets = offsets(N, Most, All);
  const size_t Segments = Offsets.size() - 1;
  const std::vector<unsigned> A = randomValues<unsigned>(N, 50);
  std::vector<unsigned> Want = A, Order(N), WantKeys = A;
  for (size_t I = 0; I < N; ++I)
    Order[I] = unsigned(I);
  Array<unsigned> In(K, A), WithValues(K, A), Values(K, Order);
  Array<unsigned> Bounds(K, Offsets);
  for (size_t S = 0; S < Segments; ++S) {
    std::sort(Want.begin() + Offsets[S], Want.begin() + Offsets[S + 1]);
    std::stable_sort(Order.begin() + Offsets[S], Order.begin() + Offsets[S + 1],
                     [&](unsigned L, unsigned R) { return A[L] > A[R]; });
  }
  for (size_t I = 0; I < N; ++I)
    WantKeys[I] = A[Order[I]];
  CHECK(
      gridspan::segmented_sort(In.begin(), In.end(), Bounds.begin(), Segments));
  CHECK(cudaDeviceSynchronize());
  EXPECT(same(In.contents(), Want));
  CHECK(gridspan::segmented_sort_by_key(WithValues.begin(), WithValues.end(),
                                        Values.begin(), Bounds.begin(),
                                        Segments, Further()));
  CHECK(cudaDeviceSynchronize());
  EXPECT(same(WithValues.contents(), WantKeys));
  EXPECT(same(Values.contents(), Order));
}

/// Sums of rounded numbers depend on the order, and that on the offsets alone.
static void rounded(size_t N) {
  std::vector<float> A(N);
  uint64_t State = 1;
  for (float &X : A)
    X = float(next(State)) / 7;
  const std::vector<unsigned> Offsets = offsets(N, 9000, true);
  std::vector<float> Sums(Offsets.size() - 1);
  CHECK(gridspan::segmented_reduce(A.begin(), A.end(), Offsets.begin(),
                                   Sums.size(), Sums.begin(), 0.0F));
  uint64_t Hash = 0;
  for (float X : Sums) {
    uint32_t Bits;
    memcpy(&Bits, &X, sizeof Bits);
    Hash = Hash * 31 + Bits;
  }
  printf("%zu: %llx\n", N, (unsigned long long)Hash);
}

int main() {
  for (Kind K : Kinds) {
    for (size_t N : {size_t(0), size_t(1), size_t(2047), size_t(70001)})
      for (size_t Most : {size_t(1), size_t(20), size_t(30000)})
        for (bool All : {false, true}) {
          reductions(K, N, Most, All);
          sorts(K, N, Most, All);
        }
    reductions(K, 400009, 20, true);
    reductions(K, 400009, 300000, false);
    sorts(K, 400009, 20, true);
    sorts(K, 200009, 150000, false);
  }
  rounded(2500000);
  return finish();
}
