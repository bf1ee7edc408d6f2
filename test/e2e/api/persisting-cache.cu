// Programs that keep part of their data in the L2 cache do so by hints, which the
// CPU device takes and does without.
//
// RUN: %gridspan++ -O2 %s -o %t
// RUN: env GRIDSPAN_DEVICES=cpu:2 %t | FileCheck %s
// CHECK: PASS

#include "../Inputs/check.h"

__global__ void addOne(int *Data, int N) {
  const int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < N)
    ++Data[I];
}

int main() {
  constexpr int N = 1000;
  cudaDeviceProp Properties;
  CHECK(cudaGetDeviceProperties(&Properties, 0));
  int Most = 0, Window = 0;
  CHECK(cudaDeviceGetAttribute(&Most, cudaDevAttrMaxPersistingL2CacheSize, 0));
  CHECK(
      cudaDeviceGetAttribute(&Window, cudaDevAttrMaxAccessPolicyWindowSize, 0));
  EXPECT(Most > 0 && Most == Properties.persistingL2CacheMaxSize);
  EXPECT(Window > 0 && Window == Properties.accessPolicyMaxWindowSize);
  CHECK(cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, Most));

  int *Data;
  CHECK(cudaMallocManaged(&Data, N * sizeof(int)));
  for (int I = 0; I < N; ++I)
    Data[I] = I;
  cudaStream_t S;
  CHECK(cudaStreamCreate(&S));
  cudaStreamAttrValue Value = {};
  Value.accessPolicyWindow.base_ptr = Data;
  Value.accessPolicyWindow.num_bytes = N * sizeof(int);
  Value.accessPolicyWindow.hitRatio = 1;
  Value.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
  CHECK(
      cudaStreamSetAttribute(S, cudaStreamAttributeAccessPolicyWindow, &Value));
  addOne<<<(N + 127) / 128, 128, 0, S>>>(Data, N);
  CHECK(cudaStreamSynchronize(S));
  CHECK(cudaCtxResetPersistingL2Cache());
  bool Same = true;
  for (int I = 0; I < N; ++I)
    Same &= Data[I] == I + 1;
  EXPECT(Same);
  CHECK(cudaStreamDestroy(S));
  CHECK(cudaFree(Data));
  return finish();
}
