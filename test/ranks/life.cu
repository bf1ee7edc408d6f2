// Only rank 0 runs the program: its constructors, its output and its exit are
// there once. What kernels print on other ranks is there when their device has
// been waited for; the blocks of one launch print in any order, as CUDA has it.
//
// REQUIRES: mpi
// RUN: %gridspan++ -O2 %untraced %s -o %t
// RUN: env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_SCHEDULE=static gridspan-run -n 3 %t \
// RUN:   | FileCheck %s
// RUN: sh -c "gridspan-run -n 2 %t early; echo status $?" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=EARLY
// RUN: env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_SCHEDULE=static \
// RUN:   sh -c "gridspan-run -n 2 %t middle; echo status $?" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=MIDDLE
//
// A program that it starts is no rank, and started without mpirun there are none.
// RUN: env GRIDSPAN_DEVICES=cpu:1 gridspan-run -n 2 %t child %t \
// RUN:   | FileCheck %s --check-prefix=CHILD
// RUN: env GRIDSPAN_DEVICES=cpu:1 %t | FileCheck %s

#include "../e2e/Inputs/check.h"
#include <cstdlib>
#include <cstring>
#include <string>

// CHECK: constructor
// CHECK-NOT: constructor
// CHECK-DAG: element 0{{$}}
// CHECK-DAG: element 8192{{$}}
// CHECK-DAG: element 16384{{$}}
// CHECK-DAG: element 24576{{$}}
// CHECK-NOT: element
// CHECK: constant 7
// CHECK-NEXT: 65536 right
// CHECK-NEXT: mapped 65536 right
// CHECK-NOT: constructor
// EARLY: constructor
// EARLY-NOT: constructor
// EARLY: status 3
// MIDDLE: element 24576
// MIDDLE-NOT: right
// MIDDLE: status 5
// CHILD: constructor
// CHILD: constructor
// CHILD: 65536 right
// CHILD: child 0

struct Loud {
  Loud() {
    printf("constructor\n");
    fflush(stdout);
  }
} TheLoud;

__constant__ int factor;

__global__ void speak(int *data) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  data[i] = factor * i;
  if (i % 8192 == 0 && i < 32768)
    printf("element %d\n", i);
}

__global__ void add(int *data) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  data[i] += 1;
}

int main(int argc, char **argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  if (what == "early")
    exit(3);
  if (what == "child") {
    fflush(stdout);
    const int status = system(argv[2]);
    printf("child %d\n", status);
    return 0;
  }
  constexpr int n = 65536;
  const int seven = 7;
  int *data;
  CHECK(cudaMalloc(&data, n * sizeof(int)));
  CHECK(cudaMemcpyToSymbol(factor, &seven, sizeof(seven)));
  speak<<<n / 256, 256>>>(data);
  CHECK(cudaDeviceSynchronize());
  if (what == "middle")
    exit(5);
  int back = 0;
  CHECK(cudaMemcpyFromSymbol(&back, factor, sizeof(back)));
  printf("constant %d\n", back);
  for (int step = 0; step < 20; ++step)
    add<<<n / 256, 256>>>(data);
  static int host[n];
  CHECK(cudaMemcpy(host, data, sizeof(host), cudaMemcpyDeviceToHost));
  int right = 0;
  for (int i = 0; i < n; ++i)
    right += host[i] == 7 * i + 20;
  printf("%d right\n", right);

  // Memory of the host is rank 0's.
  int *mapped;
  CHECK(cudaHostAlloc(&mapped, sizeof(host), cudaHostAllocMapped));
  memcpy(mapped, host, sizeof(host));
  add<<<n / 256, 256>>>(mapped);
  CHECK(cudaDeviceSynchronize());
  right = 0;
  for (int i = 0; i < n; ++i)
    right += mapped[i] == 7 * i + 21;
  printf("mapped %d right\n", right);
}
