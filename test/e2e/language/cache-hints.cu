// Loads and stores with cache hints are ordinary accesses: exact ranges, split
// over devices.
//
// RUN: %gridspan++ -O2 -arch=sm_90 %s -o %t
// RUN: %compare --devices 1,3 --split scalars --split vectors %t | FileCheck %s
// CHECK: scalars 0 vectors 0

#include "../Inputs/check.h"

template <class T> __global__ void scalars(const T *in, T *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  __stwb(out + i, T(__ldcg(in + i) + __ldca(in + i)));
  __stcg(out + i, T(__ldcs(in + i) + __ldlu(in + i)));
  __stcs(out + i, T(__ldcs(in + i) + __ldlu(in + i)));
  __stwt(out + i, T(__ldcv(in + i) + __ldlu(in + i)));
}

__global__ void vectors(const float4 *in, float4 *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float4 v = __ldcs(in + i), w = __ldcg(in + i);
  __stcs(out + i, make_float4(v.x + w.x, v.y + w.y, v.z + w.z, v.w + w.w));
}

int main() {
  const int n = 1 << 16;
  float *in, *out;
  CHECK(cudaMallocManaged(&in, n * sizeof(float)));
  CHECK(cudaMallocManaged(&out, n * sizeof(float)));
  for (int i = 0; i < n; ++i)
    in[i] = i;
  scalars<<<n / 256, 256>>>(in, out);
  CHECK(cudaDeviceSynchronize());
  int wrong[2] = {};
  for (int i = 0; i < n; ++i)
    wrong[0] += out[i] != 2.f * i;
  CHECK(cudaMemset(out, 0, n * sizeof(float)));
  vectors<<<n / 1024, 256>>>((const float4 *)in, (float4 *)out);
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < n; ++i)
    wrong[1] += out[i] != 2.f * i;
  printf("scalars %d vectors %d\n", wrong[0], wrong[1]);
}
