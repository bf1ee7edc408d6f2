// Error codes and sticky errors, as CUDA 13 gives them on a GPU.
//
// RUN: %gridspan++ -O2 %s -o %t
// RUN: env GRIDSPAN_DEVICES=cpu:1 %t | FileCheck %s
// RUN: %compare --devices 1,3 %t | FileCheck %s

#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

__global__ void store(int *p) { *p = 42; }
__global__ void __launch_bounds__(64) bounded(int *p) { *p = threadIdx.x; }
__global__ void dynamic(int *p) {
  extern __shared__ int stage[];
  stage[threadIdx.x] = threadIdx.x;
  *p = stage[0];
}

static void show(const char *what, int error) {
  printf("%s: %d, then %d\n", what, error, (int)cudaGetLastError());
}

int main() {
  int *p = nullptr, value = 0;
  // CHECK: malloc: 0, then 0
  show("malloc", cudaMalloc(&p, 4096));

  // CHECK-NEXT: too many threads: 1, then 1
  store<<<1, 2048>>>(p);
  show("too many threads", cudaPeekAtLastError());
  // CHECK-NEXT: empty grid: 1, then 1
  store<<<0, 1>>>(p);
  show("empty grid", cudaPeekAtLastError());
  // CHECK-NEXT: shared memory: 1, then 1
  dynamic<<<1, 1, 1 << 20>>>(p);
  show("shared memory", cudaPeekAtLastError());
  // CHECK-NEXT: launch bounds: 1, then 1
  bounded<<<1, 65>>>(p);
  show("launch bounds", cudaPeekAtLastError());
  // CHECK-NEXT: opt in: 0, then 0
  show("opt in",
       cudaFuncSetAttribute(
           dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536));
  dynamic<<<1, 1, 65536>>>(p);
  // CHECK-NEXT: more shared memory: 0, then 0
  show("more shared memory", cudaDeviceSynchronize());
  // CHECK-NEXT: later work: 0, then 0
  store<<<1, 1>>>(p);
  show("later work", cudaMemcpy(&value, p, 4, cudaMemcpyDeviceToHost));
  // CHECK-NEXT: value 42
  printf("value %d\n", value);

  void *q = nullptr;
  size_t pitch = 0, huge = (size_t)1 << 60;
  // CHECK-NEXT: huge malloc: 2, then 2
  show("huge malloc", cudaMalloc(&q, huge));
  // CHECK-NEXT: huge pitch: 2, then 2
  show("huge pitch",
       cudaMallocPitch(&q, &pitch, (size_t)1 << 30, (size_t)1 << 30));
  // CHECK-NEXT: huge host: 2, then 2
  show("huge host", cudaMallocHost(&q, huge));
  // CHECK-NEXT: huge managed: 2, then 2
  show("huge managed", cudaMallocManaged(&q, huge));
  // CHECK-NEXT: huge async: 2, then 2
  show("huge async", cudaMallocAsync(&q, huge, 0));
  q = &value;
  // CHECK-NEXT: no bytes: 0, then 0
  show("no bytes", cudaMalloc(&q, 0));
  // CHECK-NEXT: null 1
  printf("null %d\n", q == nullptr);

  // CHECK-NEXT: interior free: 1, then 1
  show("interior free", cudaFree(p + 1));
  // CHECK-NEXT: free: 0, then 0
  show("free", cudaFree(p));
  // CHECK-NEXT: second free: 1, then 1
  show("second free", cudaFree(p));
  void *host = malloc(4096);
  // CHECK-NEXT: free of malloc: 1, then 1
  show("free of malloc", cudaFree(host));
  // CHECK-NEXT: free host of malloc: 1, then 1
  show("free host of malloc", cudaFreeHost(host));
  // CHECK-NEXT: free of null: 0, then 0
  show("free of null", cudaFree(nullptr));
  // CHECK-NEXT: unregister: 713, then 713
  show("unregister", cudaHostUnregister(host));

  cudaMalloc(&p, 4096);
  // CHECK-NEXT: direction: 21, then 21
  show("direction", cudaMemcpy(p, host, 16, (cudaMemcpyKind)77));
  // CHECK-NEXT: pitch: 12, then 12
  show("pitch", cudaMemcpy2D(p, 16, host, 16, 32, 2, cudaMemcpyHostToDevice));

  cudaEvent_t from, to;
  cudaEventCreate(&from);
  cudaEventCreate(&to);
  float ms = 0;
  // CHECK-NEXT: elapsed: 400, then 400
  show("elapsed", cudaEventElapsedTime(&ms, from, to));
  // CHECK-NEXT: device: 101, then 101
  show("device", cudaSetDevice(-1));
  // CHECK-NEXT: name cudaErrorInvalidValue: invalid argument
  printf("name %s: %s\n", cudaGetErrorName(cudaErrorInvalidValue),
         cudaGetErrorString(cudaErrorInvalidValue));
  // CHECK-NEXT: end: 0, then 0
  show("end", cudaDeviceSynchronize());
}
