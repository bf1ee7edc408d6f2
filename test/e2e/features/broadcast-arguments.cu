// Arguments that all chunks of a streamed launch read: each device has a copy of
// its own, or reads them over the link, with the same results.
//
// RUN: %gridspan++ -O2 %s -o %t
// RUN: env GRIDSPAN_DEVICES=cpu:1 %t > %t.expected
// RUN: env GRIDSPAN_DEVICES=cpu:2 GRIDSPAN_DEVICE_MEMORY=256KiB GRIDSPAN_REPORT=1 %t 2> %t.report > %t.out
// RUN: diff %t.expected %t.out
// RUN: FileCheck %s < %t.report
// RUN: env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_DEVICE_MEMORY=256KiB %t | diff %t.expected -
// RUN: %if thorough %{ env GRIDSPAN_DEVICES=cpu:3 GRIDSPAN_DEVICE_MEMORY=256KiB %t | diff %t.expected - %}
// RUN: %if thorough %{ env GRIDSPAN_DEVICES=cpu:4 GRIDSPAN_DEVICE_MEMORY=128KiB %t | diff %t.expected - %}
// RUN: env GRIDSPAN_DEVICES=cpu:2 GRIDSPAN_DEVICE_MEMORY=64KiB %t | diff %t.expected -
// RUN: env GRIDSPAN_DEVICES=cpu:2 GRIDSPAN_DEVICE_MEMORY=256KiB GRIDSPAN_PEER=0 %t | diff %t.expected -
//
// CHECK-DAG: filter{{.*}}: chunks read copies of parameter 1 that their devices have
// CHECK-DAG: lookup{{.*}}: chunks read copies of parameter 1 that their devices have
// CHECK-DAG: product{{.*}}: chunks read copies of parameter 2 that their devices have

#include "../Inputs/check.h"
#include <vector>

constexpr int N = 1 << 18, Taps = 32, Entries = 1 << 14, K = 64;

__global__ void filter(const float *weights, const float *in, float *out,
                       int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float sum = 0;
  for (int k = 0; k < Taps; ++k)
    if (i + k < n)
      sum += weights[k] * in[i + k];
  out[i] = sum;
}

__global__ void lookup(const float *table, const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = table[int(in[i]) & (Entries - 1)];
}

// C of n rows and K columns; B of K x K, which fits.
__global__ void product(const float *a, const float *b, float *c, int n) {
  int x = threadIdx.x, y = blockIdx.x * blockDim.y + threadIdx.y;
  if (y >= n)
    return;
  float sum = 0;
  for (int k = 0; k < K; ++k)
    sum += a[y * K + k] * b[k * K + x];
  c[y * K + x] = sum;
}

static void show(const char *name, const float *device) {
  std::vector<float> host(N);
  CHECK(cudaMemcpy(host.data(), device, N * sizeof(float),
                   cudaMemcpyDeviceToHost));
  double sum = 0;
  for (int i = 0; i < N; ++i)
    sum += host[i] * (1 + i % 7);
  printf("%s %.9g\n", name, sum);
}

int main() {
  std::vector<float> host(N);
  for (int i = 0; i < N; ++i)
    host[i] = float(i * 2654435761u >> 18);
  float *in, *out, *weights, *table, *b;
  CHECK(cudaMalloc(&weights, Taps * sizeof(float)));
  CHECK(cudaMalloc(&table, Entries * sizeof(float)));
  CHECK(cudaMalloc(&b, K * K * sizeof(float)));
  CHECK(cudaMalloc(&in, N * sizeof(float)));
  CHECK(cudaMalloc(&out, N * sizeof(float)));
  CHECK(cudaMemcpy(in, host.data(), N * sizeof(float), cudaMemcpyHostToDevice));
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < N; ++i)
      host[i] = float((i + round) % 97) / 8;
    CHECK(cudaMemcpy(weights, host.data(), Taps * sizeof(float),
                     cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(b, host.data(), K * K * sizeof(float),
                     cudaMemcpyHostToDevice));
    // The table is written where the last round's copies must not be read.
    CHECK(cudaMemcpy(table, host.data(), Entries * sizeof(float),
                     cudaMemcpyHostToDevice));
    for (int again = 0; again < 2; ++again) {
      filter<<<N / 256, 256>>>(weights, in, out, N);
      show("filter", out);
      lookup<<<N / 256, 256>>>(table, in, out, N);
      show("lookup", out);
      product<<<N / K / 4, dim3(K, 4)>>>(in, b, out, N / K);
      show("product", out);
    }
  }
  for (float *p : {in, out, weights, table, b})
    CHECK(cudaFree(p));
  return finish();
}
