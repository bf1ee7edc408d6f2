// Some of the elements, in their order: in memory and beyond it.
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
#include <cmath>
#include <gridspan/algorithm.h>
#include <limits>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>

struct Below {
  int Most;
  __host__ __device__ bool operator()(int X) const { return X < Most; }
};
/// Three bytes more than a word, so that elements cross all boundaries.
struct Tagged {
  int Name;
  short Number;
  char Rest[5];
  char Last;
};
struct SameName {
  __host__ __device__ bool operator()(const Tagged &L, const Tagged &R) const {
    return L.Name == R.Name;
  }
};

/// Takes some, none and all.
static void takes(Kind K, size_t N, int Most) {
  const std::vector<int> A = randomValues<int>(N, 1000);
  const Below Takes = {Most};
  std::vector<int> Want, Others;
  std::partition_copy(A.begin(), A.end(), std::back_inserter(Want),
                      std::back_inserter(Others), Takes);
  size_t Number = 99;
  {
    // With room for what is taken only.
    Array<int> In(K, A), Out(K, Want.size());
    CHECK(gridspan::copy_if(In.begin(), In.end(), Out.begin(), Takes, &Number));
    CHECK(cudaDeviceSynchronize());
    EXPECT(Number == Want.size());
    EXPECT(same(Out.contents(), Want));
    EXPECT(same(In.contents(), A));
  }
  {
    Array<int> In(K, A), Out(K, Want.size()), Rest(K, Others.size());
    Array<unsigned long long> OnKind(K, 1);
    CHECK(gridspan::partition_copy(In.begin(), In.end(), Out.begin(),
                                   Rest.begin(), Takes, OnKind.begin()));
    EXPECT(OnKind.contents()[0] == Want.size());
    EXPECT(same(Out.contents(), Want));
    EXPECT(same(Rest.contents(), Others));
    CHECK(gridspan::partition(In.begin(), In.end(), Takes, &Number));
    EXPECT(Number == Want.size());
    std::vector<int> All = Want;
    All.insert(All.end(), Others.begin(), Others.end());
    EXPECT(same(In.contents(), All));
  }
}

/// Runs of Most lengths at most.
static void runs(Kind K, size_t N, unsigned Most) {
  std::vector<int> A(N), Values = randomValues<int>(N, 1000);
  uint64_t State = N;
  for (size_t I = 0; I < N;) {
    const int Key = int(next(State) % 3);
    for (size_t Left = 1 + next(State) % Most; Left && I < N; --Left)
      A[I++] = Key;
  }
  std::vector<int> Want(A), Keys;
  Want.erase(std::unique(Want.begin(), Want.end()), Want.end());
  std::vector<long long> Sums, Longer(Values.begin(), Values.end());
  for (size_t I = 0; I < N; ++I) {
    if (I == 0 || A[I] != A[I - 1])
      Sums.push_back(0);
    Sums.back() += Values[I];
  }
  size_t Number = 99;
  {
    Array<int> In(K, A), Out(K, Want.size());
    CHECK(gridspan::unique_copy(In.begin(), In.end(), Out.begin(), &Number));
    CHECK(cudaDeviceSynchronize());
    EXPECT(Number == Want.size());
    EXPECT(same(Out.contents(), Want));
    Array<long long> In2(K, Longer), OutSums(K, Want.size());
    CHECK(gridspan::fill(Out.begin(), Out.end(), 7));
    CHECK(gridspan::reduce_by_key(In.begin(), In.end(), In2.begin(),
                                  Out.begin(), OutSums.begin(), &Number));
    CHECK(cudaDeviceSynchronize());
    EXPECT(Number == Want.size());
    EXPECT(same(Out.contents(), Want));
    EXPECT(same(OutSums.contents(), Sums));
    // Over the input.
    CHECK(gridspan::reduce_by_key(In.begin(), In.end(), In2.begin(), In.begin(),
                                  In2.begin(), &Number));
    CHECK(cudaDeviceSynchronize());
    std::vector<int> K2 = In.contents();
    std::vector<long long> V2 = In2.contents();
    K2.resize(Number);
    V2.resize(Number);
    EXPECT(same(K2, Want));
    EXPECT(same(V2, Sums));
  }
  {
    Array<int> In(K, A);
    CHECK(gridspan::unique(In.begin(), In.end(), &Number));
    CHECK(cudaDeviceSynchronize());
    EXPECT(Number == Want.size());
    std::vector<int> All = A;
    std::unique(All.begin(), All.end());
    std::vector<int> Found = In.contents();
    for (size_t I = 0; I < Number; ++I)
      EXPECT(Found[I] == Want[I]);
  }
}

/// Maps that do not commute, a different number of each.
static void ordered(Kind K, size_t N) {
  std::vector<unsigned> Keys(N);
  std::vector<Affine> F(N), Want;
  uint64_t State = N;
  for (size_t I = 0; I < N; ++I) {
    Keys[I] = I && next(State) % 100 ? Keys[I - 1] : unsigned(next(State));
    F[I] = {uint32_t(next(State)) | 1, uint32_t(next(State))};
    if (I && Keys[I] == Keys[I - 1])
      Want.back() = Compose()(Want.back(), F[I]);
    else
      Want.push_back(F[I]);
  }
  Array<unsigned> In(K, Keys);
  Array<Affine> Maps(K, F), Out(K, Want.size());
  size_t Number = 99;
  CHECK(gridspan::reduce_by_key(In.begin(), In.end(), Maps.begin(),
                                thrust::make_discard_iterator(), Out.begin(),
                                gridspan::detail::Equal(), Compose(), &Number));
  CHECK(cudaDeviceSynchronize());
  EXPECT(Number == Want.size());
  EXPECT(same(Out.contents(), Want));
}

static void structs(size_t N) {
  std::vector<Tagged> A(N);
  memset(A.data(), 0, N * sizeof(Tagged));
  uint64_t State = 5;
  for (size_t I = 0; I < N; ++I) {
    A[I].Name = int(next(State) % 2);
    A[I].Number = short(I);
    A[I].Last = char(I);
  }
  std::vector<Tagged> Want = A;
  Want.erase(std::unique(Want.begin(), Want.end(), SameName()), Want.end());
  size_t Number = 99;
  CHECK(gridspan::unique(A.begin(), A.end(), SameName(), &Number));
  A.resize(Number);
  EXPECT(same(A, Want));
}

/// A NaN is equal to nothing, zeros of both signs are equal.
static void floats() {
  const float NaN = std::numeric_limits<float>::quiet_NaN();
  std::vector<float> A = {0.0F, -0.0F, 0.0F, NaN, NaN, 1, 1, NaN};
  size_t Number = 99;
  CHECK(gridspan::unique(A.begin(), A.end(), &Number));
  EXPECT(Number == 5);
  EXPECT(A[0] == 0 && !std::signbit(A[0]) && A[3] == 1);
  EXPECT(std::isnan(A[1]) && std::isnan(A[2]) && std::isnan(A[4]));
}

/// Iterators without memory.
static void counted(size_t N) {
  std::vector<int> Out(N / 2), Want(N / 2);
  thrust::counting_iterator<int> First(0);
  size_t Number = 99;
  CHECK(gridspan::copy_if(First, First + N, Out.begin(), Below{int(N / 2)},
                          &Number));
  for (size_t I = 0; I < N / 2; ++I)
    Want[I] = int(I);
  EXPECT(Number == N / 2);
  EXPECT(same(Out, Want));
}

/// Sums of rounded numbers depend on the order, and that on the runs alone.
static void rounded(size_t N) {
  std::vector<float> A(N), Sums(N);
  std::vector<unsigned> Keys(N);
  uint64_t State = 1;
  for (size_t I = 0; I < N; ++I) {
    A[I] = float(next(State)) / 7;
    Keys[I] = unsigned(I / 1001);
  }
  size_t Number = 0;
  CHECK(gridspan::reduce_by_key(Keys.begin(), Keys.end(), A.begin(),
                                Keys.begin(), Sums.begin(), &Number));
  uint64_t Hash = 0;
  for (size_t I = 0; I < Number; ++I) {
    uint32_t Bits;
    memcpy(&Bits, &Sums[I], sizeof Bits);
    Hash = Hash * 31 + Bits;
  }
  printf("%zu: %zu %llx\n", N, Number, (unsigned long long)Hash);
}

int main() {
  for (size_t N : {size_t(0), size_t(1), size_t(3839), size_t(3840),
                   size_t(3841), size_t(70001), size_t(400009)})
    for (Kind K : Kinds) {
      takes(K, N, 300);
      runs(K, N, 9);
      ordered(K, N);
    }
  for (Kind K : Kinds) {
    takes(K, 400009, 0);
    takes(K, 400009, 1000);
    runs(K, 400009, 100000);
    runs(K, 400009, 1);
  }
  structs(300001);
  floats();
  counted(300001);
  rounded(500009);
  return finish();
}
