// A program sees one device, however many there are.
//
// RUN: %gridspan++ -O2 %s -o %t
// RUN: env GRIDSPAN_DEVICES=cpu:3 GRIDSPAN_DEVICE_MEMORY=64MiB %t | FileCheck %s
// CHECK: 1 device, current 0
// CHECK: memory 192 MiB
// CHECK: threads 1024, warp 32
// CHECK: versions 1 1

#include "../Inputs/check.h"

__global__ void kernel(int *p) { *p = 1; }

int main() {
  int count = 0, current = -1;
  CHECK(cudaGetDeviceCount(&count));
  CHECK(cudaSetDevice(0));
  CHECK(cudaGetDevice(&current));
  printf("%d device, current %d\n", count, current);
  cudaDeviceProp properties;
  CHECK(cudaGetDeviceProperties(&properties, 0));
  printf("memory %zu MiB\n", properties.totalGlobalMem >> 20);
  int threads = 0, warp = 0;
  CHECK(cudaDeviceGetAttribute(&threads, cudaDevAttrMaxThreadsPerBlock, 0));
  CHECK(cudaDeviceGetAttribute(&warp, cudaDevAttrWarpSize, 0));
  printf("threads %d, warp %d\n", threads, warp);
  int runtime = 0, driver = 0;
  CHECK(cudaRuntimeGetVersion(&runtime));
  CHECK(cudaDriverGetVersion(&driver));
  printf("versions %d %d\n", runtime >= 13000, driver >= runtime);
  cudaFuncAttributes attributes;
  CHECK(cudaFuncGetAttributes(&attributes, kernel));
  EXPECT(attributes.maxThreadsPerBlock > 0);
  int blocks = 0, size = 0;
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, 128, 0));
  EXPECT(blocks > 0);
  CHECK(cudaOccupancyMaxPotentialBlockSize(&blocks, &size, kernel));
  EXPECT(blocks > 0 && size > 0);
  CHECK(cudaDeviceReset());
  return finish();
}
