// The same results under every schedule, on devices of one speed and of several:
// even work, skewed work, a grid-stride loop, atomics, data that all devices
// read, and streams. Blocks that are handed out go to whoever is free.
//
// RUN: %gridspan++ -O2 %s -o %t
// RUN: env GRIDSPAN_DEVICES=cpu:1 %t > %t.expected
// RUN: env GRIDSPAN_DEVICES=cpu:2 GRIDSPAN_SCHEDULE=static %t | diff %t.expected -
// RUN: env GRIDSPAN_DEVICES=cpu:2 GRIDSPAN_SCHEDULE=dynamic GRIDSPAN_REPORT=1 %t 2> %t.report | diff %t.expected -
// RUN: FileCheck %s < %t.report
// RUN: env GRIDSPAN_DEVICES=cpu:3 GRIDSPAN_SCHEDULE=hybrid %t | diff %t.expected -
// RUN: env GRIDSPAN_DEVICES=cpu:2 GRIDSPAN_CPU_SPEEDS=1,0.3 GRIDSPAN_SCHEDULE=dynamic %t | diff %t.expected -
// RUN: env GRIDSPAN_DEVICES=cpu:4 GRIDSPAN_CPU_SPEEDS=0.5,1,0.2,0.7 GRIDSPAN_SCHEDULE=hybrid:70%% %t | diff %t.expected -
// RUN: env GRIDSPAN_DEVICES=cpu:2 GRIDSPAN_CPU_SPEEDS=1,0.5 GRIDSPAN_SCHEDULE=auto %t | diff %t.expected -
// RUN: env GRIDSPAN_DEVICES=cpu:2 GRIDSPAN_SCHEDULE=dynamic GRIDSPAN_TRACE=%t.trace.json %t | diff %t.expected -
// RUN: %python -c "import json,sys; E=json.load(open(sys.argv[1])); E=E.get('traceEvents',E) if isinstance(E,dict) else E; N=sum('triangle' in str(e.get('name','')) and e.get('ph')=='X' for e in E); sys.exit(N < 40)" %t.trace.json
//
// Without peer access tiles are static, and the report says why.
// RUN: env GRIDSPAN_DEVICES=cpu:2 GRIDSPAN_SCHEDULE=dynamic GRIDSPAN_PEER=0 GRIDSPAN_REPORT=1 %t 2> %t.report | diff %t.expected -
// RUN: FileCheck --check-prefix=APART %s < %t.report
//
// RUN: env GRIDSPAN_SCHEDULE=guided not %t 2>&1 | FileCheck --check-prefix=VALUES %s
// RUN: env GRIDSPAN_SCHEDULE=hybrid:2 not %t 2>&1 | FileCheck --check-prefix=VALUES %s
//
// CHECK-DAG: triangle({{.*}}: handed out 12 of 12 launches in {{[0-9][0-9]+}} packets
// CHECK-DAG: strided({{.*}}: handed out 10 of 10 launches
// CHECK-DAG: product({{.*}}: handed out 10 of 10 launches
//
// APART-NOT: handed out {{[0-9]+}} of
// APART: triangle({{.*}}: blocks were not handed out: packets-need-peer-access
//
// VALUES: GRIDSPAN_SCHEDULE={{.*}}: expected auto, single, static, dynamic, hybrid,

#include "../Inputs/check.h"
#include <vector>

constexpr int N = 1 << 12, Side = 96;

/// Thread I does I steps.
__global__ void triangle(const int *in, int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  unsigned x = in[i];
  for (int k = 0; k < i; ++k)
    x = x * 1664525u + 1013904223u;
  out[i] = int(x);
}

__global__ void strided(const int *in, int *out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
       i += gridDim.x * blockDim.x)
    out[i] = in[i] * 3 + out[i];
}

__global__ void count(const int *in, int *bins, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    atomicAdd(&bins[unsigned(in[i]) % 64], 1);
}

/// Every block reads all of b.
__global__ void product(const int *a, const int *b, int *c, int side) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= side || y >= side)
    return;
  int sum = 0;
  for (int k = 0; k < side; ++k)
    sum += a[y * side + k] * b[k * side + x];
  c[y * side + x] += sum;
}

int main() {
  int *in, *out, *bins, *other;
  CHECK(cudaMalloc(&in, Side * Side * sizeof(int)));
  CHECK(cudaMalloc(&out, Side * Side * sizeof(int)));
  CHECK(cudaMalloc(&other, Side * Side * sizeof(int)));
  CHECK(cudaMalloc(&bins, 64 * sizeof(int)));
  std::vector<int> host(Side * Side);
  for (int i = 0; i < Side * Side; ++i)
    host[i] = i * 7919 % 1009;
  const size_t bytes = host.size() * sizeof(int);
  CHECK(cudaMemset(bins, 0, 64 * sizeof(int)));
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  for (int k = 0; k < 10; ++k) {
    CHECK(cudaMemcpyAsync(in, host.data(), bytes, cudaMemcpyHostToDevice,
                          stream));
    triangle<<<N / 64, 64, 0, stream>>>(in, out, N);
    strided<<<13, 32, 0, stream>>>(out, in, N);
    count<<<N / 64, 64, 0, stream>>>(in, bins, N);
    CHECK(cudaMemcpyAsync(other, in, bytes, cudaMemcpyDeviceToDevice, stream));
    product<<<dim3(Side / 16, Side / 8), dim3(16, 8), 0, stream>>>(in, other,
                                                                   out, Side);
    // The stream is not done before its packets are.
    if (k % 3 == 0)
      CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaGetLastError());
    // The default stream waits for the other one.
    CHECK(cudaMemcpy(host.data(), out, bytes, cudaMemcpyDeviceToHost));
  }
  // Two streams at once.
  cudaStream_t second;
  CHECK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
  CHECK(cudaDeviceSynchronize());
  triangle<<<N / 64, 64, 0, stream>>>(in, out, N);
  triangle<<<N / 64, 64, 0, second>>>(in, other, N);
  CHECK(cudaStreamSynchronize(second));
  CHECK(cudaStreamSynchronize(stream));
  std::vector<int> sums(64), copy(host.size());
  CHECK(
      cudaMemcpy(sums.data(), bins, 64 * sizeof(int), cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(copy.data(), other, bytes, cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(host.data(), out, bytes, cudaMemcpyDeviceToHost));
  unsigned hash = 0;
  for (int i = 0; i < Side * Side; ++i)
    hash = hash * 31 + host[i] + 7 * copy[i];
  for (int i = 0; i < 64; ++i)
    hash = hash * 31 + sums[i];
  std::printf("%u\n", hash);
  return finish();
}
