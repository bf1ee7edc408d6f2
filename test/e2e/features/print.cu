// printf from kernels; blocks run in ascending order on one device.
//
// RUN: %gridspan++ -O2 %s -o %t
// RUN: env GRIDSPAN_DEVICES=cpu:1 %t | FileCheck %s
// RUN: %gridspan++ -O0 %s -o %t.O0
// RUN: env GRIDSPAN_DEVICES=cpu:1 %t.O0 | FileCheck %s

// CHECK: block 0: 1.50 text 4294967296 c 100%
// CHECK-NEXT: block 1: 2.50 text 4294967297 c 100%
// CHECK-NEXT: nothing to format
// CHECK-NEXT: result 37

#include "../Inputs/check.h"

__global__ void speak(const float *values) {
  printf("block %d: %.2f %s %lld %c %d%%\n", blockIdx.x, values[blockIdx.x],
         "text", (1ll << 32) + blockIdx.x, 'c', 100);
}

__global__ void plain(int *result) {
  *result = printf("nothing to format\n") + 37;
}

int main() {
  float values[2] = {1.5f, 2.5f};
  int result = 0;
  speak<<<2, 1>>>(toDevice(values, 2));
  int *device = toDevice(&result, 1);
  CHECK(cudaDeviceSynchronize());
  plain<<<1, 1>>>(device);
  toHost(&result, device, 1);
  CHECK(cudaDeviceSynchronize());
  printf("result %d\n", result);
}
