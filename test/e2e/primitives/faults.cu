// Every call that a primitive makes fails once. The error is returned, what was
// only read is as it was, nothing beside the operands has been touched, and the
// same call works afterwards: memory that was lent is the program's again.
//
// CUB's headers would bring the primitives before the macros below.
//
// The host and the CPU device do little here, and compile faster unoptimized.
// RUN: %gridspan++ -O1 -Xarch_host -O0 %untraced -w -fno-gridspan-primitives \
// RUN:   %s -o %t
// RUN: env GRIDSPAN_DEVICES=cpu:1 %t | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:2 GRIDSPAN_DEVICE_MEMORY=1MiB %t | FileCheck %s
// CHECK: PASS

#include "Inputs/memory.h"
#include <algorithm>
#include <cub/device/device_radix_sort.cuh>
#include <numeric>
#include <optional>
#include <thrust/device_vector.h>

/// Calls until one fails; none if it is negative.
static long CallsLeft = -1;
static bool fails() { return CallsLeft >= 0 && CallsLeft-- == 0; }

// Only those of the headers below.
#define cudaLaunchKernel(...)                                                  \
  (fails() ? cudaErrorLaunchFailure : cudaLaunchKernel(__VA_ARGS__))
#define cudaMallocAsync(...)                                                   \
  (fails() ? cudaErrorMemoryAllocation : cudaMallocAsync(__VA_ARGS__))
#define cudaMemcpyAsync(...)                                                   \
  (fails() ? cudaErrorLaunchFailure : cudaMemcpyAsync(__VA_ARGS__))
#define cudaMemsetAsync(...)                                                   \
  (fails() ? cudaErrorLaunchFailure : cudaMemsetAsync(__VA_ARGS__))
#define cudaMemGetInfo(...)                                                    \
  (fails() ? cudaErrorLaunchFailure : cudaMemGetInfo(__VA_ARGS__))
#include <gridspan/hash_map.h>

struct Further {
  __host__ __device__ bool operator()(int L, int R) const { return L > R; }
};
struct IsOdd {
  __host__ __device__ bool operator()(int X) const { return X % 2; }
};
struct Modulo {
  __host__ __device__ int operator()(int X) const { return X % 100; }
};

/// Runs Call with each of its calls failing, and then with none. Prepare is
/// called before each.
template <class First, class Second, class Third>
static void eachCall(const char *Name, First Prepare, Second Call,
                     Third Check) {
  long Number = 0;
  for (bool Failed = true; Failed; ++Number) {
    Prepare();
    CallsLeft = Number;
    const cudaError_t Error = Call();
    Failed = CallsLeft < 0;
    CallsLeft = -1;
    if (Failed != (Error != cudaSuccess)) {
      printf("%s: call %ld: %s\n", Name, Number, cudaGetErrorString(Error));
      ++Failures;
    }
    CHECK(cudaDeviceSynchronize());
    Check(Failed);
  }
  EXPECT(Number > 1);
}

/// A primitive from In to Out.
template <class Call>
static void fromTo(const char *Name, Kind K, size_t N, size_t M,
                   const std::vector<int> &Want, Call Do) {
  std::vector<int> A = randomValues<int>(N, 1000);
  std::sort(A.begin(), A.end());
  Array<int> In(K, A), Out(K, M);
  eachCall(
      Name, [] {}, [&] { return Do(In, Out); },
      [&](bool Failed) {
        EXPECT(same(In.contents(), A));
        if (!Failed)
          EXPECT(same(Out.contents(), Want));
      });
}

/// A primitive that changes its elements.
template <class Call>
static void inPlace(const char *Name, Kind K, size_t N,
                    const std::vector<int> &Want, Call Do) {
  std::vector<int> A = randomValues<int>(N, 1000);
  std::sort(A.begin(), A.end());
  Array<int> Data(K, A);
  eachCall(
      Name,
      [&] {
        CHECK(cudaMemcpy(Data.begin(), A.data(), N * sizeof(int),
                         cudaMemcpyDefault));
      },
      [&] { return Do(Data); },
      [&](bool Failed) {
        if (!Failed)
          EXPECT(same(Data.contents(), Want));
      });
}

static void onKind(Kind K, size_t N) {
  std::vector<int> A = randomValues<int>(N, 1000);
  std::sort(A.begin(), A.end());
  const std::vector<int> Offsets = {0, int(N / 3), int(N / 3), int(N)};
  Array<int> Bounds(K, Offsets);
  size_t Number = 0;

  std::vector<int> Want(N);
  std::inclusive_scan(A.begin(), A.end(), Want.begin());
  fromTo("scan", K, N, N, Want, [](auto &In, auto &Out) {
    return gridspan::inclusive_scan(In.begin(), In.end(), Out.begin());
  });
  Want = {std::accumulate(A.begin(), A.end(), 0)};
  fromTo("reduce", K, N, 1, Want, [](auto &In, auto &Out) {
    return gridspan::reduce(In.begin(), In.end(), 0, Out.begin());
  });
  Want.clear();
  std::copy_if(A.begin(), A.end(), std::back_inserter(Want), IsOdd());
  fromTo("copy_if", K, N, Want.size(), Want, [&](auto &In, auto &Out) {
    return gridspan::copy_if(In.begin(), In.end(), Out.begin(), IsOdd(),
                             &Number);
  });
  Want.resize(2 * N);
  std::merge(A.begin(), A.end(), A.begin(), A.end(), Want.begin());
  fromTo("merge", K, N, 2 * N, Want, [](auto &In, auto &Out) {
    return gridspan::merge(In.begin(), In.end(), In.begin(), In.end(),
                           Out.begin());
  });
  Want.resize(N);
  for (size_t I = 0; I < N; ++I)
    Want[I] = int(std::lower_bound(A.begin(), A.end(), A[I]) - A.begin());
  fromTo("lower_bound", K, N, N, Want, [](auto &In, auto &Out) {
    return gridspan::lower_bound(In.begin(), In.end(), In.begin(), In.end(),
                                 Out.begin());
  });
  Want.assign(100, 0);
  for (int X : A)
    ++Want[X % 100];
  fromTo("histogram", K, N, 100, Want, [](auto &In, auto &Out) {
    return gridspan::histogram(In.begin(), In.end(), Out.begin(), 100,
                               Modulo());
  });
  Want = {std::accumulate(A.begin(), A.begin() + N / 3, 0), 0,
          std::accumulate(A.begin() + N / 3, A.end(), 0)};
  fromTo("segmented_reduce", K, N, 3, Want, [&](auto &In, auto &Out) {
    return gridspan::segmented_reduce(In.begin(), In.end(), Bounds.begin(), 3,
                                      Out.begin(), 0);
  });
  Want.resize(N);
  for (size_t I = 0; I < N; ++I)
    Want[I] = A[A[I]];
  fromTo("gather", K, N, N, Want, [](auto &In, auto &Out) {
    return gridspan::gather(In.begin(), In.end(), In.begin(), In.end(),
                            Out.begin());
  });
  Want.assign(1000, 0);
  for (int X : A)
    Want[X] = X;
  fromTo("scatter", K, N, 1000, Want, [](auto &In, auto &Out) {
    if (cudaError_t Error = gridspan::fill(Out.begin(), Out.end(), 0))
      return Error;
    return gridspan::scatter(In.begin(), In.end(), In.begin(), Out.begin(),
                             Out.end());
  });

  std::vector<int> Backwards(A.rbegin(), A.rend());
  inPlace("sort", K, N, Backwards, [](auto &Data) {
    return gridspan::sort(Data.begin(), Data.end(), Further());
  });
  Want = A;
  std::reverse(Want.begin(), Want.begin() + N / 3);
  std::reverse(Want.begin() + N / 3, Want.end());
  inPlace("segmented_sort", K, N, Want, [&](auto &Data) {
    return gridspan::segmented_sort(Data.begin(), Data.end(), Bounds.begin(), 3,
                                    Further());
  });
  Want = A;
  std::stable_partition(Want.begin(), Want.end(), IsOdd());
  inPlace("partition", K, N, Want, [&](auto &Data) {
    return gridspan::partition(Data.begin(), Data.end(), IsOdd(), &Number);
  });
}

/// A map has the keys that it had.
static void maps(size_t N) {
  std::vector<uint64_t> Old(N), New(N), Found(N);
  std::iota(Old.begin(), Old.end(), 0);
  std::iota(New.begin(), New.end(), N);
  std::optional<gridspan::hash_map<uint64_t, uint64_t>> Map;
  eachCall(
      "insert",
      [&] {
        Map.emplace();
        CHECK(Map->insert(Old.begin(), Old.end(), Old.begin()));
      },
      [&] { return Map->insert(New.begin(), New.end(), New.begin()); },
      [&](bool) {
        CHECK(Map->find(Old.begin(), Old.end(), Found.begin(), ~0ULL));
        EXPECT(same(Found, Old));
        std::vector<unsigned char> IsIn(N);
        CHECK(Map->contains(New.begin(), New.end(), IsIn.begin()));
        EXPECT(Map->size() == N + size_t(std::count(IsIn.begin(), IsIn.end(),
                                                    (unsigned char)1)));
        CHECK(Map->insert(New.begin(), New.end(), New.begin()));
        EXPECT(Map->size() == 2 * N);
        CHECK(Map->find(New.begin(), New.end(), Found.begin(), ~0ULL));
        EXPECT(same(Found, New));
        // No slot is full of what was not put in.
        std::vector<uint64_t> Keys(Map->size()), Values(Map->size());
        CHECK(Map->retrieve_all(Keys.begin(), Values.begin()));
        EXPECT(same(Keys, Values));
        std::sort(Keys.begin(), Keys.end());
        EXPECT(std::adjacent_find(Keys.begin(), Keys.end()) == Keys.end());
        EXPECT(Keys.back() == 2 * N - 1);
      });
}

int main() {
  for (Kind K : {Kind::Pageable, Kind::Device})
    onKind(K, 20011);
  maps(8001);
  return finish();
}
