// RUN: %gridspan++ -O0 -Rpass-missed=gridspan -c %s -o %t.o 2>&1 | FileCheck %s
// At -O0 nothing is analysed, which is said once.

// CHECK: unoptimized.cu:[[# @LINE + 2]]:1: remark: kernels are not analysed at -O0, nothing is split
// CHECK-NOT: remark
__global__ void first(int *p) { *p = 1; }
__global__ void second(int *p) { *p = 2; }
