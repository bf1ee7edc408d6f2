// From source to descriptors, through both compilations, at every level.
// RUN: %gridspan++ -O1 -c %s -o %t.1.o && llvm-nm %t.1.o | FileCheck %s
// RUN: %gridspan++ -O2 -c %s -o %t.2.o && llvm-nm %t.2.o | FileCheck %s
// RUN: %gridspan++ -O3 -c %s -o %t.3.o && llvm-nm %t.3.o | FileCheck %s
// RUN: %gridspan++ -O2 -g -c %s -o %t.g.o 2>&1 | count 0
// RUN: llvm-nm %t.g.o | FileCheck %s

// CHECK-DAG: U __gridspan_cudaLaunchKernel
// CHECK-DAG: __gridspan_kernels
// CHECK-DAG: __gridspan_module
// CHECK-DAG: __gridspan_stub__Z5scaleIdEviT_PS0___gridspan
// CHECK-DAG: __gridspan_stub__Z5scaleIfEviT_PS0___gridspan
// CHECK-DAG: __gridspan_stub__ZL5localPi__gridspan
// CHECK-DAG: U __gridspan_register_module
// CHECK-NOT: U cuda

#include "Inputs/kernels.cuh"

static __global__ void local(int *x) { x[threadIdx.x] = 1; }

void f(float *x, double *y, int *z) {
  scale<float><<<4, 128>>>(500, 2, x);
  scale<double><<<4, 128>>>(500, 2, y);
  local<<<1, 32>>>(z);
}
