// Streams, events, host functions and default-stream semantics.
//
// RUN: %gridspan++ -O2 %s -o %t
// RUN: %compare --split add --split fill %t | FileCheck %s
// RUN: %gridspan++ -O2 --default-stream per-thread %s -o %t
// RUN: %compare --devices 1,3 --split add --split fill %t | FileCheck %s
// CHECK: PASS

#include "../Inputs/check.h"

__global__ void fill(int *data, int n, int value) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    data[i] = value;
}

__global__ void add(int *out, const int *a, const int *b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = a[i] + b[i];
}

static bool all(const int *device, int n, int value) {
  int *host = nullptr;
  CHECK(cudaMallocHost(&host, n * sizeof(int)));
  toHost(host, device, n);
  bool good = true;
  for (int i = 0; i < n; ++i)
    good &= host[i] == value;
  CHECK(cudaFreeHost(host));
  return good;
}

int main() {
  const int n = 100003, grid = (n + 127) / 128;
  int *a, *b, *c;
  CHECK(cudaMalloc(&a, n * sizeof(int)));
  CHECK(cudaMalloc(&b, n * sizeof(int)));
  CHECK(cudaMalloc(&c, n * sizeof(int)));
  cudaStream_t s, t;
  CHECK(cudaStreamCreate(&s));
  CHECK(cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking));
  cudaEvent_t ready, begin, end;
  CHECK(cudaEventCreateWithFlags(&ready, cudaEventDisableTiming));
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));

  // Across streams by an event.
  CHECK(cudaEventRecord(begin, s));
  for (int round = 0; round < 20; ++round) {
    fill<<<grid, 128, 0, s>>>(a, n, round);
    CHECK(cudaEventRecord(ready, s));
    fill<<<grid, 128, 0, t>>>(b, n, 2 * round);
    CHECK(cudaStreamWaitEvent(t, ready, 0));
    add<<<grid, 128, 0, t>>>(c, a, b, n);
    CHECK(cudaEventRecord(ready, t));
    CHECK(cudaStreamWaitEvent(s, ready, 0));
  }
  CHECK(cudaEventRecord(end, s));
  CHECK(cudaStreamSynchronize(t));
  EXPECT(all(c, n, 3 * 19));
  CHECK(cudaEventSynchronize(end));
  CHECK(cudaEventQuery(end));
  CHECK(cudaStreamQuery(s));
  float ms = -1;
  CHECK(cudaEventElapsedTime(&ms, begin, end));
  EXPECT(ms >= 0);

  // Asynchronous copies in stream order.
  int *pinned;
  CHECK(cudaHostAlloc(&pinned, 2 * n * sizeof(int), cudaHostAllocDefault));
  for (int i = 0; i < n; ++i)
    pinned[i] = i;
  CHECK(cudaMemcpyAsync(a, pinned, n * sizeof(int), cudaMemcpyHostToDevice, s));
  CHECK(cudaMemsetAsync(b, 0, n * sizeof(int), s));
  add<<<grid, 128, 0, s>>>(c, a, b, n);
  CHECK(cudaMemcpyAsync(pinned + n, c, n * sizeof(int), cudaMemcpyDeviceToHost,
                        s));
  CHECK(cudaStreamSynchronize(s));
  int wrong = 0;
  for (int i = 0; i < n; ++i)
    wrong += pinned[n + i] != i;
  EXPECT(wrong == 0);

  // The default stream waits for blocking streams, and they for it.
  for (int round = 0; round < 20; ++round) {
    fill<<<grid, 128, 0, s>>>(a, n, round);
#ifndef CUDA_API_PER_THREAD_DEFAULT_STREAM
    fill<<<grid, 128>>>(b, n, 1);
    add<<<grid, 128, 0, s>>>(c, a, b, n);
#else
    fill<<<grid, 128, 0, s>>>(b, n, 1);
    add<<<grid, 128, 0, s>>>(c, a, b, n);
    CHECK(cudaStreamSynchronize(s));
#endif
    EXPECT(all(c, n, round + 1));
  }

  // Host functions in stream order.
  static int calls = 0;
  fill<<<grid, 128, 0, s>>>(a, n, 5);
  CHECK(cudaLaunchHostFunc(s, [](void *p) { ++*(int *)p; }, &calls));
  fill<<<grid, 128, 0, s>>>(a, n, 6);
  CHECK(cudaStreamSynchronize(s));
  EXPECT(calls == 1);
  EXPECT(all(a, n, 6));

  CHECK(cudaFreeHost(pinned));
  CHECK(cudaEventDestroy(ready));
  CHECK(cudaStreamDestroy(s));
  CHECK(cudaStreamDestroy(t));
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaGetLastError());
  return finish();
}
