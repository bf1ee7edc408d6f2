// Managed memory between the host and the devices: in memory it is the driver's
// (on the CPU device, the host's), with a cap some of it is paged. A histogram,
// steps of a stencil between which the host changes one element, a structure
// that kernels and the host share, and hints.
//
// RUN: %gridspan++ -O2 %s -o %t
// RUN: env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_REPORT=1 %t 2> %t.plain > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: FileCheck --check-prefix IN-MEMORY %s < %t.plain
// RUN: env GRIDSPAN_DEVICES=cpu:2 GRIDSPAN_SCHEDULE=static GRIDSPAN_REPORT=%t.json %t | diff %t.expected -
// RUN: FileCheck --check-prefix SPLIT %s < %t.json
// RUN: env GRIDSPAN_DEVICES=cpu:3 GRIDSPAN_SCHEDULE=static GRIDSPAN_PEER=0 %t | diff %t.expected -
// RUN: env GRIDSPAN_DEVICES=cpu:4 GRIDSPAN_DEVICE_MEMORY=1MiB GRIDSPAN_SCHEDULE=static %t | diff %t.expected -
// RUN: env GRIDSPAN_DEVICES=cpu:2 GRIDSPAN_DEVICE_MEMORY=256KiB GRIDSPAN_SCHEDULE=static GRIDSPAN_REPORT=1 %t 2> %t.capped | diff %t.expected -
// RUN: FileCheck --check-prefix CAPPED %s < %t.capped
// RUN: env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_DEVICE_MEMORY=64KiB %t | diff %t.expected -
//
// CHECK: steps {{[0-9]+}}
// CHECK: histogram 300000
// CHECK: counted 20
// IN-MEMORY-NOT: streamed
// SPLIT: "name": "smooth({{.*}}
// SPLIT: "split_launches": 20
// SPLIT: "streamed_launches": 0
// CAPPED: streamed

#include "../Inputs/check.h"
#include <numeric>
#include <utility>

constexpr int N = 300000, Bins = 64;

struct State {
  int launches;
  float largest;
};

__global__ void smooth(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float left = i > 0 ? in[i - 1] : 0, right = i + 1 < n ? in[i + 1] : 0;
  out[i] = 0.25f * left + 0.5f * in[i] + 0.25f * right;
}

__global__ void count(const int *keys, int n, int *bins) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    atomicAdd(&bins[keys[i]], 1);
}

__global__ void note(State *state, const float *data) {
  state->launches++;
  state->largest = data[0];
}

template <typename T> static T *managed(int n) {
  T *out;
  CHECK(cudaMallocManaged(&out, n * sizeof(T)));
  return out;
}

int main() {
  float *x = managed<float>(N), *y = managed<float>(N);
  int *keys = managed<int>(N), *bins = managed<int>(Bins);
  State *state = managed<State>(1);
  for (int i = 0; i < N; ++i) {
    x[i] = i % 100;
    keys[i] = i * 7 % Bins;
  }
  cudaMemLocation device = {}, host = {};
  device.type = cudaMemLocationTypeDevice;
  host.type = cudaMemLocationTypeHost;
  CHECK(cudaMemAdvise(keys, N * sizeof(int), cudaMemAdviseSetReadMostly, host));
  CHECK(cudaMemPrefetchAsync(x, N * sizeof(float), device, 0, nullptr));
  for (int step = 0; step < 20; ++step) {
    smooth<<<(N + 255) / 256, 256>>>(x, y, N);
    note<<<1, 1>>>(state, y);
    CHECK(cudaDeviceSynchronize());
    std::swap(x, y);
    x[step * 1000] += state->launches;
  }
  CHECK(cudaMemPrefetchAsync(x, N * sizeof(float), host, 0, nullptr));
  CHECK(cudaDeviceSynchronize());
  double sum = 0;
  for (int i = 0; i < N; ++i)
    sum += x[i] * (i % 7);
  printf("steps %.0f %g\n", sum, state->largest);
  count<<<(N + 127) / 128, 128>>>(keys, N, bins);
  CHECK(cudaDeviceSynchronize());
  printf("histogram %d\n", std::accumulate(bins, bins + Bins, 0));
  for (int b = 0; b < Bins; ++b)
    printf("%d ", bins[b]);
  printf("\ncounted %d\n", state->launches);
  // The host and copies see the same memory.
  std::pair<float, float> ends;
  CHECK(cudaMemcpy(&ends.first, x, sizeof(float), cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(x + N - 1, x, sizeof(float), cudaMemcpyDefault));
  CHECK(cudaMemset(x, 0, sizeof(float)));
  CHECK(cudaDeviceSynchronize());
  printf("copies %d\n", ends.first == x[N - 1] && x[0] == 0);
  for (void *p :
       {(void *)x, (void *)y, (void *)keys, (void *)bins, (void *)state})
    CHECK(cudaFree(p));
}
