// RUN: %gridspan++ -O2 --cuda-device-only -S %s -o - | FileCheck %s
// The clone is a kernel with the original's launch bounds for the back end too,
// also where device functions that were inlined and deleted leave their
// addresses behind (which made the back end take clones for device functions).

template <int N> __device__ float inner(float x) { return x * N + 1; }
template <int N> __device__ float outer(float x) {
  return inner<N>(x) + inner<N + 1>(x);
}

// CHECK: .visible .entry _Z5firstPf__gridspan(
// CHECK: .visible .entry _Z6secondPf__gridspan(
// CHECK: .maxntid 96
// CHECK: .visible .entry _Z5thirdPf__gridspan(
__global__ void first(float *p) { p[blockIdx.x] = outer<1>(p[threadIdx.x]); }
__global__ __launch_bounds__(96) void second(float *p) {
  p[blockIdx.x] = outer<3>(p[threadIdx.x]) + outer<5>(p[1]);
}
__global__ void third(float *p) { p[blockIdx.x] = outer<7>(p[threadIdx.x]); }
