// Prefix sums on memory of all kinds.
//
// RUN: %gridspan++ -O2 -w %s -o %t
// RUN: env GRIDSPAN_DEVICES=cpu:1 %t > %t.1
// RUN: FileCheck %s < %t.1
// RUN: env GRIDSPAN_DEVICES=cpu:3 GRIDSPAN_SCHEDULE=static %t | diff - %t.1
// RUN: env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_DEVICE_MEMORY=1MiB %t | diff - %t.1
// RUN: env GRIDSPAN_DEVICES=cpu:3 GRIDSPAN_DEVICE_MEMORY=4MiB %t | diff - %t.1
// CHECK: PASS

#include "Inputs/memory.h"
#include <gridspan/algorithm.h>
#include <numeric>

static void onKind(Kind K, size_t N) {
  const std::vector<unsigned> A = randomValues<unsigned>(N, 1000000);
  std::vector<unsigned> Want(N);
  Array<unsigned> In(K, A), Out(K, N);
  CHECK(gridspan::inclusive_scan(In.begin(), In.end(), Out.begin()));
  std::inclusive_scan(A.begin(), A.end(), Want.begin());
  CHECK(cudaDeviceSynchronize());
  EXPECT(same(Out.contents(), Want));
  CHECK(gridspan::exclusive_scan(In.begin(), In.end(), Out.begin(), 11U));
  std::exclusive_scan(A.begin(), A.end(), Want.begin(), 11U);
  EXPECT(same(Out.contents(), Want));
  EXPECT(same(In.contents(), A));
  // In place.
  CHECK(gridspan::inclusive_scan(In.begin(), In.end(), In.begin()));
  std::inclusive_scan(A.begin(), A.end(), Want.begin());
  EXPECT(same(In.contents(), Want));

  std::vector<Affine> F(N), G(N);
  uint64_t State = N;
  for (Affine &X : F)
    X = {uint32_t(next(State)) | 1, uint32_t(next(State))};
  Array<Affine> Maps(K, F), Results(K, N);
  CHECK(gridspan::inclusive_scan(Maps.begin(), Maps.end(), Results.begin(),
                                 Compose()));
  std::inclusive_scan(F.begin(), F.end(), G.begin(), Compose());
  EXPECT(same(Results.contents(), G));
  CHECK(gridspan::exclusive_scan(Maps.begin(), Maps.end(), Results.begin(),
                                 Affine{5, 6}, Compose()));
  std::exclusive_scan(F.begin(), F.end(), G.begin(), Affine{5, 6}, Compose());
  EXPECT(same(Results.contents(), G));
}

/// More than one segment where devices are small. Sums of rounded numbers
/// depend on the order, which is the same on all devices.
static void rounded(size_t N) {
  std::vector<float> A(N), Out(N);
  uint64_t State = 1;
  for (float &X : A)
    X = float(next(State)) / 7;
  CHECK(gridspan::inclusive_scan(A.begin(), A.end(), Out.begin()));
  uint64_t Hash = 0;
  for (float X : Out) {
    uint32_t Bits;
    memcpy(&Bits, &X, sizeof Bits);
    Hash = Hash * 31 + Bits;
  }
  printf("%zu: %a %llx\n", N, Out[N - 1], (unsigned long long)Hash);
}

int main() {
  for (size_t N : {size_t(0), size_t(1), size_t(3839), size_t(3840),
                   size_t(3841), size_t(70001), size_t(400009)})
    for (Kind K : Kinds)
      onKind(K, N);
  rounded(2500000);
  return finish();
}
