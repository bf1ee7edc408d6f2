// At -O0 kernels are described, without warning, as not analysed.
// RUN: %gridspan++ -O0 -c %s -o %t.o 2>%t.err && llvm-nm %t.o | FileCheck %s
// RUN: llvm-strings %t.o | FileCheck %s --check-prefix=REASON
// RUN: FileCheck %s --check-prefix=ERR --allow-empty < %t.err
// RUN: %gridspan++ -O0 -g -c %s -o %t.o 2>%t.err && llvm-nm %t.o | FileCheck %s
// RUN: FileCheck %s --check-prefix=ERR --allow-empty < %t.err

// CHECK-DAG: U __gridspan_cudaLaunchKernel
// CHECK-DAG: __gridspan_kernels
// CHECK-NOT: __gridspan_stub
// REASON: not-analysed
// ERR-NOT: warning

__global__ void local(int *x) { x[threadIdx.x] = 1; }

void f(int *x) { local<<<1, 32>>>(x); }
