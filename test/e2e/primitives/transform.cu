// Element by element, on memory of all kinds.
//
// RUN: %gridspan++ -O2 -w %s -o %t
// RUN: env GRIDSPAN_DEVICES=cpu:1 %t | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:3 GRIDSPAN_SCHEDULE=static %t | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_DEVICE_MEMORY=1MiB %t | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:3 GRIDSPAN_DEVICE_MEMORY=1MiB %t | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:2 GRIDSPAN_DEVICE_MEMORY=1MiB \
// RUN:   GRIDSPAN_PEER=0 %t | FileCheck %s
// RUN: env GRIDSPAN_COPY_THREADS=4 GRIDSPAN_DEVICES=cpu:2 \
// RUN:   GRIDSPAN_DEVICE_MEMORY=1MiB %t | FileCheck %s
// CHECK: PASS

#include "Inputs/memory.h"
#include <algorithm>
#include <gridspan/algorithm.h>
#include <numeric>
#include <thrust/device_vector.h>
#include <thrust/iterator/counting_iterator.h>

struct Twice {
  __host__ __device__ int operator()(int X) const { return 2 * X + 1; }
};
struct Minus {
  __host__ __device__ int operator()(int L, int R) const { return L - R; }
};
struct Triple {
  double X, Y, Z;
};
struct Swap {
  __host__ __device__ Triple operator()(const Triple &T) const {
    return {T.Z, T.X, T.Y};
  }
};
struct Increment {
  __host__ __device__ void operator()(int &X) const { ++X; }
};

static void onKind(Kind K, size_t N) {
  const std::vector<int> A = randomValues<int>(N, 1000);
  const std::vector<int> B = randomValues<int>(N, 77);
  std::vector<int> Want(N);
  Array<int> In(K, A), Other(K, B), Out(K, N);
  std::transform(A.begin(), A.end(), Want.begin(), Twice());
  CHECK(gridspan::transform(In.begin(), In.end(), Out.begin(), Twice()));
  CHECK(cudaDeviceSynchronize());
  EXPECT(same(Out.contents(), Want));
  EXPECT(same(In.contents(), A));

  std::transform(A.begin(), A.end(), B.begin(), Want.begin(), Minus());
  CHECK(gridspan::transform(In.begin(), In.end(), Other.begin(), Out.begin(),
                            Minus()));
  EXPECT(same(Out.contents(), Want));
  // In place, and both inputs the same.
  CHECK(gridspan::transform(In.begin(), In.end(), In.begin(), In.begin(),
                            Minus()));
  EXPECT(same(In.contents(), std::vector<int>(N, 0)));

  CHECK(gridspan::iota(Out.begin(), Out.end(), 5));
  std::iota(Want.begin(), Want.end(), 5);
  EXPECT(same(Out.contents(), Want));
  CHECK(gridspan::for_each(Out.begin(), Out.end(), Increment()));
  std::for_each(Want.begin(), Want.end(), Increment());
  EXPECT(same(Out.contents(), Want));
  CHECK(gridspan::fill(Out.begin(), Out.end(), 9));
  EXPECT(same(Out.contents(), std::vector<int>(N, 9)));
}

static void structs(size_t N) {
  std::vector<Triple> A(N), Want(N);
  for (size_t I = 0; I < N; ++I)
    A[I] = {double(I), I + 0.25, I + 0.5};
  std::transform(A.begin(), A.end(), Want.begin(), Swap());
  cudaStream_t S;
  CHECK(cudaStreamCreate(&S));
  // Iterators of the library's vectors are memory as pointers are.
  std::vector<Triple> Out(N);
  CHECK(gridspan::transform(A.begin(), A.end(), Out.begin(), Swap(), S));
  EXPECT(same(Out, Want));
  thrust::device_vector<Triple> D(N);
  CHECK(gridspan::transform(A.data(), A.data() + N, D.begin(), Swap(), S));
  CHECK(cudaStreamSynchronize(S));
  std::vector<Triple> Back(N);
  if (N)
    toHost(Back.data(), thrust::raw_pointer_cast(D.data()), N);
  EXPECT(same(Back, Want));
  CHECK(cudaStreamDestroy(S));
}

/// Iterators without memory.
static void counted(size_t N) {
  std::vector<int> Out(N), Want(N);
  thrust::counting_iterator<int> First(3);
  CHECK(gridspan::transform(First, First + N, Out.begin(), Twice()));
  for (size_t I = 0; I < N; ++I)
    Want[I] = Twice()(int(I) + 3);
  EXPECT(same(Out, Want));
}

/// Two results in one allocation, one behind the other, and one that overlaps
/// its input's other half.
static void parts(size_t N) {
  std::vector<int> A = randomValues<int>(2 * N, 1000), Want = A;
  std::transform(Want.begin(), Want.begin() + N, Want.begin() + N, Twice());
  CHECK(gridspan::transform(A.begin(), A.begin() + N, A.begin() + N, Twice()));
  EXPECT(same(A, Want));
}

int main() {
  for (size_t N : {size_t(0), size_t(1), size_t(255), size_t(257),
                   size_t(4096 / 4), size_t(70001), size_t(400009)}) {
    for (Kind K : Kinds)
      onKind(K, N);
    structs(N);
    counted(N);
    parts(N);
  }
  return finish();
}
