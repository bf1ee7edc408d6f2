// Calls of CUB on memory of several devices that stay as they are, with the
// reasons; and calls that somebody has switched off.
//
// RUN: %gridspan++ -O1 -Xarch_host -O0 %untraced -w %s -o %t
// RUN: env GRIDSPAN_DEVICES=cpu:2 GRIDSPAN_SCHEDULE=static GRIDSPAN_REPORT=1 %t > %t.out 2>&1
// RUN: FileCheck %s < %t.out
// RUN: env GRIDSPAN_DEVICES=cpu:2 GRIDSPAN_SCHEDULE=static GRIDSPAN_PRIMITIVES=0 GRIDSPAN_REPORT=%t.json %t | FileCheck %s --check-prefix=RIGHT
// RUN: FileCheck %s --check-prefix=OFF < %t.json
// RUN: %gridspan++ -O1 -Xarch_host -O0 %untraced -w -fno-gridspan-primitives -DSUM_ONLY %s -o %t.off
// RUN: env GRIDSPAN_DEVICES=cpu:2 GRIDSPAN_SCHEDULE=static GRIDSPAN_REPORT=%t.json %t.off | FileCheck %s --check-prefix=RIGHT
// RUN: FileCheck %s --check-prefix=NONE < %t.json
// CHECK: PASS
// CHECK-DAG: reduce: 1 calls ran as Gridspan's primitive
// CHECK-DAG: reduce: 1 calls on large data ran as the library's: captured-call
// CHECK-DAG: reduce: 1 calls on large data ran as the library's: element-not-trivial
// CHECK-DAG: reduce: 1 calls on large data ran as the library's: element-too-large
// CHECK-DAG: reduce_by_key: 1 calls on large data ran as the library's: not-contiguous
// CHECK-DAG: segmented_reduce: 1 calls on large data ran as the library's: segments-apart
// CHECK-DAG: segmented_reduce: 1 calls on large data ran as the library's: offsets-of-two-types
// CHECK-DAG: segmented_reduce: 1 calls on large data ran as the library's: places-in-segments
// CHECK: captured-call: the stream is being captured into a graph
// RIGHT: PASS
// OFF: "function": "reduce",
// OFF-NEXT: "calls": 4,
// OFF-NEXT: "taken": false,
// OFF-NEXT: "why_not": "switched-off"
// NONE: "calls": []

#include "Inputs/calls.h"
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_segmented_reduce.cuh>
#include <numeric>
#include <thrust/iterator/counting_iterator.h>

struct Counted {
  int V;
  __host__ __device__ Counted(int V = 0) : V(V) {}
  __host__ __device__ Counted(const Counted &O) : V(O.V) {}
  __host__ __device__ Counted &operator=(const Counted &O) {
    V = O.V;
    return *this;
  }
};
struct Large {
  int V;
  int Other[150];
};
template <class T> struct Add {
  __host__ __device__ T operator()(const T &L, const T &R) const {
    T Out = L;
    Out.V += R.V;
    return Out;
  }
};

constexpr int Count = 400009;

template <class T> static void ofStructs() {
  const int N = int(1600000 / sizeof(T));
  std::vector<T> A(N);
  int Want = 0;
  for (int I = 0; I < N; ++I)
    Want += A[I].V = I % 5;
  T *In = nullptr, *Out = nullptr, Sum;
  CHECK(cudaMalloc(&In, N * sizeof(T)));
  CHECK(cudaMalloc(&Out, sizeof(T)));
  CHECK(cudaMemcpy(In, A.data(), N * sizeof(T), cudaMemcpyDefault));
  twice([&](void *S, size_t &Bytes) {
    return cub::DeviceReduce::Reduce(S, Bytes, In, Out, N, Add<T>(), T{});
  });
  CHECK(cudaMemcpy(&Sum, Out, sizeof(T), cudaMemcpyDefault));
  EXPECT(Sum.V == Want);
  CHECK(cudaFree(In));
  CHECK(cudaFree(Out));
}

int main() {
  std::vector<int> A(Count, 1);
  Array<int> In(OnDevices, A), Sum(OnDevices, 1), Sums(OnDevices, Count);
  twice([&](void *S, size_t &Bytes) {
    return cub::DeviceReduce::Sum(S, Bytes, In.begin(), Sum.begin(), Count);
  });
  EXPECT(Sum.contents()[0] == Count);
#ifndef SUM_ONLY
  ofStructs<Counted>();
  ofStructs<Large>();
  // In a graph.
  {
    void *Storage = nullptr;
    size_t Bytes = 0;
    cudaStream_t Stream;
    cudaGraph_t Graph;
    cudaGraphExec_t Exec;
    CHECK(cudaStreamCreate(&Stream));
    CHECK(cub::DeviceReduce::Sum(Storage, Bytes, In.begin(), Sum.begin(), Count,
                                 Stream));
    CHECK(cudaMalloc(&Storage, Bytes));
    CHECK(cudaMemset(Sum.begin(), 0, sizeof(int)));
    CHECK(cudaStreamBeginCapture(Stream, cudaStreamCaptureModeThreadLocal));
    CHECK(cub::DeviceReduce::Sum(Storage, Bytes, In.begin(), Sum.begin(), Count,
                                 Stream));
    CHECK(cudaStreamEndCapture(Stream, &Graph));
    CHECK(cudaGraphInstantiate(&Exec, Graph, 0));
    CHECK(cudaGraphLaunch(Exec, Stream));
    CHECK(cudaStreamSynchronize(Stream));
    EXPECT(Sum.contents()[0] == Count);
    CHECK(cudaGraphExecDestroy(Exec));
    CHECK(cudaGraphDestroy(Graph));
    CHECK(cudaStreamDestroy(Stream));
    CHECK(cudaFree(Storage));
  }
  // Keys that are nowhere.
  twice([&](void *S, size_t &Bytes) {
    return cub::DeviceReduce::ReduceByKey(
        S, Bytes, thrust::make_counting_iterator(0), Sums.begin(), In.begin(),
        Sums.begin(), Sum.begin(), cuda::std::plus<>(), Count);
  });
  EXPECT(Sum.contents()[0] == Count);
  // Segments with gaps, and others that CUB knows more of.
  const std::vector<int> Begins = {0, 1000}, Ends = {900, Count};
  const std::vector<long long> LongEnds = {900, Count};
  Array<int> From(OnDevices, Begins), To(OnDevices, Ends), Two(OnDevices, 2);
  Array<long long> LongTo(OnDevices, LongEnds);
  // New arrays each time: launches may have brought the pages of others to one
  // device.
  Array<int> Second(OnDevices, A), Third(OnDevices, A);
  twice([&](void *S, size_t &Bytes) {
    return cub::DeviceSegmentedReduce::Sum(
        S, Bytes, Second.begin(), Two.begin(), 2, From.begin(), To.begin());
  });
  EXPECT((Two.contents() == std::vector<int>{900, Count - 1000}));
  twice([&](void *S, size_t &Bytes) {
    return cub::DeviceSegmentedReduce::Sum(S, Bytes, Third.begin(), Two.begin(),
                                           2, From.begin(), LongTo.begin());
  });
  EXPECT((Two.contents() == std::vector<int>{900, Count - 1000}));
  // Places, which are counted from the begin of each segment.
  using Place = cub::KeyValuePair<int, int>;
  A[700] = A[1300] = 0;
  Array<int> Fourth(OnDevices, A),
      Offsets(OnDevices, std::vector<int>{0, 1000, Count});
  Array<Place> Places(OnDevices, 2);
  twice([&](void *S, size_t &Bytes) {
    return cub::DeviceSegmentedReduce::ArgMin(
        S, Bytes, Fourth.begin(), Places.begin(), 2, Offsets.begin(),
        Offsets.begin() + 1);
  });
  EXPECT(Places.contents()[0].key == 700 && Places.contents()[0].value == 0);
  EXPECT(Places.contents()[1].key == 300 && Places.contents()[1].value == 0);
#endif
  return finish();
}
