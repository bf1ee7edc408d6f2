// Loads that all come before the stores need no clone, however many they are.
// RUN: %gridspan++ -O2 --cuda-device-only -S -Rpass=gridspan %s -o - 2>&1 \
// RUN:   | FileCheck %s
// CHECK-NOT: _Z4copyPKiPii__gridspan__noalias
// CHECK: _Z5mixedPKiPii__gridspan__noalias

constexpr int N = 160;

__global__ void copy(const int *in, int *out, int n) {
  int v[N];
#pragma unroll
  for (int i = 0; i < N; ++i)
    v[i] = i * 32 + threadIdx.x < n ? in[i * 32 + threadIdx.x] : i;
#pragma unroll
  for (int i = 0; i < N; ++i)
    if (i * 32 + threadIdx.x < n)
      out[i * 32 + threadIdx.x] = v[N - 1 - i];
}

__global__ void mixed(const int *in, int *out, int n) {
#pragma unroll
  for (int i = 0; i < N; ++i)
    if (i * 32 + threadIdx.x < n)
      out[i * 32 + threadIdx.x] = in[i];
}
