// The order of split launches with streams, events, host functions and graphs.
// The CPU device has no graphs.
//
// RUN: %gridspan++ -O2 %s -o %t
// RUN: %compare --devices 1,2,4 --split add --split fill --split toHostMemory \
// RUN:   --no-peers add=split --no-peers toHostMemory=split %t | FileCheck %s
// CHECK: PASS

#include "../Inputs/check.h"
#include <thread>

constexpr int n = 400003, grid = (n + 255) / 256;

__global__ void fill(int *data, int n, int value) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    data[i] = value;
}

__global__ void add(int *out, const int *a, int n, int value) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = a[i] + value;
}

__global__ void toHostMemory(int *host, const int *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    host[i] = a[i];
}

static int *device() {
  int *p;
  CHECK(cudaMalloc(&p, n * sizeof(int)));
  CHECK(cudaMemset(p, 0, n * sizeof(int)));
  return p;
}

static int *pinned() {
  int *p;
  CHECK(cudaMallocHost(&p, n * sizeof(int)));
  return p;
}

static bool all(const int *host, int value) {
  for (int i = 0; i < n; ++i)
    if (host[i] != value)
      return false;
  return true;
}

/// An event covers the parts of all devices: what they wrote to the host's
/// memory is there when it has come.
static void eventsCoverAllParts() {
  int *a = device(), *host = pinned();
  cudaStream_t s;
  CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
  cudaEvent_t begin, middle, end;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&middle));
  CHECK(cudaEventCreate(&end));
  CHECK(cudaDeviceSynchronize());
  for (int round = 1; round <= 10; ++round) {
    CHECK(cudaEventRecord(begin, s));
    fill<<<grid, 256, 0, s>>>(a, n, round);
    CHECK(cudaEventRecord(middle, s));
    toHostMemory<<<grid, 256, 0, s>>>(host, a, n);
    CHECK(cudaEventRecord(end, s));
    CHECK(cudaEventSynchronize(end));
    EXPECT(all(host, round));
    CHECK(cudaEventQuery(begin));
    CHECK(cudaStreamQuery(s));
    float half = -1, whole = -1;
    CHECK(cudaEventElapsedTime(&half, begin, middle));
    CHECK(cudaEventElapsedTime(&whole, begin, end));
    EXPECT(half >= 0 && whole >= half);
  }
  CHECK(cudaStreamDestroy(s));
  CHECK(cudaFree(a));
  CHECK(cudaFreeHost(host));
}

/// A chain through two streams, as long as the program never waits.
static void streamsWaitForEvents() {
  int *a = device(), *host = pinned();
  cudaStream_t s[2];
  cudaEvent_t done[2];
  for (int i = 0; i < 2; ++i) {
    CHECK(cudaStreamCreateWithFlags(&s[i], cudaStreamNonBlocking));
    CHECK(cudaEventCreateWithFlags(&done[i], cudaEventDisableTiming));
  }
  CHECK(cudaDeviceSynchronize());
  for (int round = 0; round < 100; ++round) {
    const int me = round % 2;
    CHECK(cudaStreamWaitEvent(s[me], done[1 - me], 0));
    add<<<grid, 256, 0, s[me]>>>(a, a, n, 1);
    CHECK(cudaEventRecord(done[me], s[me]));
  }
  CHECK(
      cudaMemcpyAsync(host, a, n * sizeof(int), cudaMemcpyDeviceToHost, s[1]));
  CHECK(cudaStreamSynchronize(s[1]));
  EXPECT(all(host, 100));

  // Halves of one buffer from two streams at once.
  const int half = n / 2;
  for (int round = 0; round < 20; ++round) {
    add<<<grid, 256, 0, s[0]>>>(a, a, half, 1);
    add<<<grid, 256, 0, s[1]>>>(a + half, a + half, n - half, 1);
  }
  CHECK(cudaStreamSynchronize(s[0]));
  CHECK(
      cudaMemcpyAsync(host, a, n * sizeof(int), cudaMemcpyDeviceToHost, s[1]));
  CHECK(cudaStreamSynchronize(s[1]));
  EXPECT(all(host, 120));
  for (int i = 0; i < 2; ++i)
    CHECK(cudaStreamDestroy(s[i]));
  CHECK(cudaFree(a));
  CHECK(cudaFreeHost(host));
}

/// The legacy default stream is between all blocking streams.
static void legacyDefaultStream() {
  int *a = device(), *host = pinned();
  cudaStream_t s, t;
  CHECK(cudaStreamCreate(&s));
  CHECK(cudaStreamCreate(&t));
  for (int round = 0; round < 20; ++round) {
    add<<<grid, 256, 0, s>>>(a, a, n, 1);
    add<<<grid, 256, 0, cudaStreamLegacy>>>(a, a, n, 1);
    add<<<grid, 256, 0, t>>>(a, a, n, 1);
    // Waits for t, and s for it.
    CHECK(cudaMemsetAsync(host, 0, sizeof(int), cudaStreamLegacy));
  }
  CHECK(cudaMemcpyAsync(host, a, n * sizeof(int), cudaMemcpyDeviceToHost,
                        cudaStreamLegacy));
  CHECK(cudaStreamSynchronize(cudaStreamLegacy));
  EXPECT(all(host, 60));
  CHECK(cudaStreamDestroy(s));
  CHECK(cudaStreamDestroy(t));
  CHECK(cudaFree(a));
  CHECK(cudaFreeHost(host));
}

/// Threads with a default stream each, one waiting for the other's event.
static void perThreadDefaultStreams() {
  int *a = device(), *host = pinned();
  cudaEvent_t first;
  CHECK(cudaEventCreateWithFlags(&first, cudaEventDisableTiming));
  CHECK(cudaDeviceSynchronize());
  std::thread([&] {
    for (int round = 0; round < 30; ++round)
      add<<<grid, 256, 0, cudaStreamPerThread>>>(a, a, n, 1);
    CHECK(cudaEventRecord(first, cudaStreamPerThread));
  }).join();
  std::thread([&] {
    CHECK(cudaStreamWaitEvent(cudaStreamPerThread, first, 0));
    add<<<grid, 256, 0, cudaStreamPerThread>>>(a, a, n, 100);
    CHECK(cudaMemcpyAsync(host, a, n * sizeof(int), cudaMemcpyDeviceToHost,
                          cudaStreamPerThread));
    CHECK(cudaStreamSynchronize(cudaStreamPerThread));
  }).join();
  EXPECT(all(host, 130));
  CHECK(cudaEventDestroy(first));
  CHECK(cudaFree(a));
  CHECK(cudaFreeHost(host));
}

/// A host function sees what is before it and is seen by what is behind it.
static void hostFunctions() {
  int *a = device(), *b = device(), *host = pinned();
  cudaStream_t s;
  CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
  CHECK(cudaDeviceSynchronize());
  for (int round = 0; round < 10; ++round) {
    add<<<grid, 256, 0, s>>>(a, a, n, 1);
    CHECK(cudaMemcpyAsync(host, a, n * sizeof(int), cudaMemcpyDeviceToHost, s));
    CHECK(cudaLaunchHostFunc(
        s,
        [](void *data) {
          for (int i = 0; i < n; ++i)
            static_cast<int *>(data)[i] *= 2;
        },
        host));
    CHECK(cudaMemcpyAsync(b, host, n * sizeof(int), cudaMemcpyHostToDevice, s));
    add<<<grid, 256, 0, s>>>(a, b, n, 0);
  }
  toHostMemory<<<grid, 256, 0, s>>>(host, a, n);
  CHECK(cudaStreamSynchronize(s));
  EXPECT(all(host, 2046)); // x -> 2 (x + 1)
  CHECK(cudaStreamDestroy(s));
  CHECK(cudaFree(a));
  CHECK(cudaFree(b));
  CHECK(cudaFreeHost(host));
}

/// Captured launches go into the graph, which runs when it is launched, between
/// split launches.
static void graphs() {
  int *a = device(), *b = device(), *host = pinned();
  cudaStream_t s, t;
  CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking));
  cudaEvent_t fork, join;
  CHECK(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
  CHECK(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));
  CHECK(cudaDeviceSynchronize());
  cudaError_t begin = cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
  if (begin == cudaErrorNotSupported) {
    (void)cudaGetLastError();
  } else {
    CHECK(begin);
    add<<<grid, 256, 0, s>>>(a, a, n, 1);
    CHECK(cudaEventRecord(fork, s));
    CHECK(cudaStreamWaitEvent(t, fork, 0));
    add<<<grid, 256, 0, t>>>(b, a, n, 5);
    CHECK(cudaEventRecord(join, t));
    CHECK(cudaStreamWaitEvent(s, join, 0));
    CHECK(cudaMemcpyAsync(host, b, n * sizeof(int), cudaMemcpyDeviceToHost, s));
    cudaGraph_t graph;
    CHECK(cudaStreamEndCapture(s, &graph));
    cudaGraphExec_t exec;
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaMemsetAsync(a, 0, n * sizeof(int), s)); // nothing has run yet
    for (int round = 1; round <= 5; ++round) {
      CHECK(cudaGraphLaunch(exec, s));
      CHECK(cudaStreamSynchronize(s));
      EXPECT(all(host, 11 * round - 10 + 5));
      add<<<grid, 256, 0, s>>>(a, a, n, 10); // split
    }
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
  }
  CHECK(cudaStreamDestroy(s));
  CHECK(cudaStreamDestroy(t));
  CHECK(cudaFree(a));
  CHECK(cudaFree(b));
  CHECK(cudaFreeHost(host));
}

int main() {
  eventsCoverAllParts();
  streamsWaitForEvents();
  legacyDefaultStream();
  perThreadDefaultStreams();
  hostFunctions();
  graphs();
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaGetLastError());
  return finish();
}
