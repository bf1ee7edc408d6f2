// What can go wrong with a rank ends all of them, within 10 seconds, with a
// message that names it.
//
// REQUIRES: mpi
// RUN: %gridspan++ -O2 %untraced %s -o %t
// RUN: %gridspan++ -O2 %untraced -DOTHER=1 %s -o %t.other
// RUN: %python %S/Inputs/check_faults.py %t %t.other | FileCheck %s

// CHECK: {{^}}killed: ended
// CHECK: rank 0 killed: ended
// CHECK: {{^}}stopped: ended
// CHECK: rank 0 stopped: ended
// CHECK: interrupted: ended
// CHECK: interrupted by a terminal: ended
// CHECK: terminated: ended
// CHECK: exit in the middle: ended
// CHECK: other program: ended
// CHECK: no such devices: ended
// CHECK: illegal address: ended
// CHECK: no library: ended
// CHECK: one process only: ended

#include "../e2e/Inputs/check.h"
#include <string>

#ifndef OTHER
#define OTHER 0
#endif

__global__ void add(int *data, int wrong) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  data[i] += 1 + OTHER;
  // Of the last block only, which runs on the last rank.
  if (wrong && blockIdx.x == gridDim.x - 1 && threadIdx.x == 0)
    *(volatile int *)nullptr = 1;
}

int main(int argc, char **argv) {
  const std::string how = argc > 1 ? argv[1] : "";
  const int wrong = how == "wrong";
  constexpr int n = 1 << 20;
  int *data;
  CHECK(cudaMalloc(&data, n * sizeof(int)));
  CHECK(cudaMemset(data, 0, n * sizeof(int)));
  for (long step = 0;; ++step) {
    add<<<n / 256, 256>>>(data, wrong);
    const cudaError_t error = cudaDeviceSynchronize();
    if (error) {
      printf("step failed: %s\n", cudaGetErrorName(error));
      return 1;
    }
    if (step == 3) {
      printf("steps\n");
      fflush(stdout);
      // With work on all ranks.
      add<<<n / 256, 256>>>(data, 0);
      if (how == "exit")
        exit(5);
    }
  }
}
