// Steps between two managed arrays that devices would have room for, but had not
// when they were allocated. Steps that nobody waits for leave them on devices,
// but for the ends, which the kernel does not write and the host changes
// meanwhile. When every step is waited for, all comes home each time, while
// later chunks run.
//
// RUN: %gridspan++ -O2 %s -o %t
// RUN: env GRIDSPAN_DEVICES=cpu:1 %t 24 24 0 > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_DEVICE_MEMORY=2MiB GRIDSPAN_SCHEDULE=static GRIDSPAN_REPORT=%t.json %t 24 24 1800000 | diff %t.expected -
// RUN: %python %S/Inputs/traffic.py %t.json 20 1
// RUN: env GRIDSPAN_DEVICES=cpu:2 GRIDSPAN_DEVICE_MEMORY=1MiB GRIDSPAN_SCHEDULE=static GRIDSPAN_REPORT=%t.json %t 24 24 1800000 | diff %t.expected -
// RUN: %python %S/Inputs/traffic.py %t.json 13 1
// RUN: env GRIDSPAN_DEVICES=cpu:4 GRIDSPAN_DEVICE_MEMORY=512KiB GRIDSPAN_SCHEDULE=static GRIDSPAN_REPORT=%t.json %t 24 24 1800000 | diff %t.expected -
// RUN: %python %S/Inputs/traffic.py %t.json 10 1
// Runs of eight steps: what is guessed wrong once is not the second time.
// RUN: env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_DEVICE_MEMORY=2MiB GRIDSPAN_SCHEDULE=static GRIDSPAN_REPORT=%t.json %t 24 8 1800000 | diff %t.expected -
// RUN: %python %S/Inputs/traffic.py %t.json 25 1
// RUN: env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_DEVICE_MEMORY=2MiB GRIDSPAN_SCHEDULE=static GRIDSPAN_REPORT=%t.json %t 24 1 1800000 | diff %t.expected -
// RUN: %python %S/Inputs/traffic.py %t.json 52 0
//
// CHECK: sum {{[0-9.]+}}, ends 24 24

#include "../Inputs/check.h"
#include <utility>

constexpr int N = 100000;

__global__ void step(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > 0 && i < n - 1)
    out[i] = 0.25f * in[i - 1] + 0.5f * in[i] + 0.25f * in[i + 1];
}

int main(int argc, char **argv) {
  const int steps = atoi(argv[1]), run = atoi(argv[2]);
  const size_t before = atoll(argv[3]);
  void *other = nullptr;
  if (before)
    CHECK(cudaMalloc(&other, before));
  float *x, *y;
  CHECK(cudaMallocManaged(&x, (N + 2) * sizeof(float)));
  CHECK(cudaMallocManaged(&y, (N + 2) * sizeof(float)));
  CHECK(cudaFree(other));
  for (int i = 0; i < N + 2; ++i)
    x[i] = y[i] = i % 100;
  float *first = x, *second = y;
  for (int s = 1; s <= steps; ++s) {
    step<<<(N + 127) / 128, 128>>>(x + 1, y + 1, N);
    CHECK(cudaGetLastError());
    std::swap(x, y);
    // No kernel touches these.
    first[0] = second[N + 1] = s;
    if (s % run == 0)
      CHECK(cudaDeviceSynchronize());
  }
  CHECK(cudaDeviceSynchronize());
  double sum = 0;
  for (int i = 1; i <= N; ++i)
    sum += x[i] * (i % 13);
  printf("sum %.3f, ends %.0f %.0f\n", sum, first[0], second[N + 1]);
  CHECK(cudaFree(x));
  CHECK(cudaFree(y));
}
