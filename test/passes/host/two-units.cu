// Two translation units with the same template kernel: descriptors are internal,
// so the objects link; the stub that names the kernel is one.
// RUN: %gridspan++ -O2 -c %s -o %t.a.o
// RUN: %gridspan++ -O2 -DSECOND -c %s -o %t.b.o
// RUN: ld.lld -r %t.a.o %t.b.o -o %t.o
// RUN: llvm-nm %t.o | FileCheck %s

// CHECK-DAG: __gridspan_kernels
// CHECK-DAG: __gridspan_kernels
// CHECK-DAG: W _Z20__device_stub__scaleIfEviT_PS0_
// CHECK-NOT: _Z20__device_stub__scaleIfEviT_PS0_

#include "Inputs/kernels.cuh"

#ifdef SECOND
void g(float *x) { scale<float><<<8, 128>>>(900, 3, x); }
#else
void f(float *x) { scale<float><<<4, 128>>>(500, 2, x); }
#endif
