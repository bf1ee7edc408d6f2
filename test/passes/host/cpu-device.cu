// Device code for the CPU device: carried, lowered and described, by default;
// the tiled clone where there is one. Not with -gridspan-cpu=false.
// RUN: %gridspan++ -O2 -c %s -o %t.o && llvm-nm %t.o | FileCheck %s
// RUN: %gridspan++ -O2 -mllvm -gridspan-cpu=false -c %s -o %t.off.o
// RUN: llvm-nm %t.off.o | FileCheck %s --check-prefix=OFF
// RUN: %gridspan++ -O2 -mllvm -gridspan-cpu-trace=false -c %s -o %t.nt.o
// RUN: llvm-nm %t.nt.o | FileCheck %s

// Clones for distinct arguments run the ordinary code, unless asked for.
// RUN: llvm-nm %t.o | FileCheck %s --check-prefix=ORDINARY
// RUN: %gridspan++ -O2 -mllvm -gridspan-cpu-noalias -c %s -o %t.na.o
// RUN: llvm-nm %t.na.o | FileCheck %s --check-prefix=NOALIAS

// CHECK-DAG: __gridspan_cpu.{{.*}}_Z4fillPi__gridspan
// CHECK-DAG: __gridspan_cpu_kernel__Z4fillPi
// CHECK-DAG: __gridspan_cpu_module
// CHECK-DAG: __gridspan_cpu_variables
// ORDINARY-NOT: __gridspan_cpu{{.*}}noalias
// NOALIAS-DAG: __gridspan_cpu.{{.*}}_Z7averagePKfPfi__gridspan__noalias
// NOALIAS-DAG: __gridspan_cpu_noalias__Z7averagePKfPfi
// OFF: __gridspan_kernels
// OFF-NOT: __gridspan_cpu

__device__ int Start;

__global__ void fill(int *x) { x[threadIdx.x] = 1; }
__global__ void from(int *x) { x[threadIdx.x] = Start; }
__global__ void average(const float *in, float *out, int n) {
  for (int i = 1; i < n; ++i)
    out[i] = in[i - 1] + in[i];
}

void f(int *x, float *y) {
  fill<<<1, 32>>>(x);
  from<<<1, 32>>>(x);
  average<<<1, 1>>>(y, y, 8);
}
