// Device code for the CPU device: carried, lowered and described, by default;
// the tiled clone where there is one. Not with -gridspan-cpu=false.
// RUN: %gridspan++ -O2 -c %s -o %t.o && llvm-nm %t.o | FileCheck %s
// RUN: %gridspan++ -O2 -mllvm -gridspan-cpu=false -c %s -o %t.off.o
// RUN: llvm-nm %t.off.o | FileCheck %s --check-prefix=OFF
// RUN: %gridspan++ -O2 -mllvm -gridspan-cpu-trace=false -c %s -o %t.nt.o
// RUN: llvm-nm %t.nt.o | FileCheck %s

// CHECK-DAG: __gridspan_cpu.{{.*}}_Z4fillPi__gridspan
// CHECK-DAG: __gridspan_cpu_kernel__Z4fillPi
// CHECK-DAG: __gridspan_cpu_module
// CHECK-DAG: __gridspan_cpu_variables
// OFF: __gridspan_kernels
// OFF-NOT: __gridspan_cpu

__device__ int Start;

__global__ void fill(int *x) { x[threadIdx.x] = 1; }
__global__ void from(int *x) { x[threadIdx.x] = Start; }

void f(int *x) {
  fill<<<1, 32>>>(x);
  from<<<1, 32>>>(x);
}
