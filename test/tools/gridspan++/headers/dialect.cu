// Forms of the language that nvcc takes: copies of threadIdx, register
// variables, macros of short names, functions of math.h on the host without
// std::, inline assembly with blocks, escapes and named operands.
//
// RUN: %gridspan++ -fno-gridspan -arch=sm_90 -std=c++17 -fsyntax-only %s \
// RUN:   -DN=1024 -DT=float -DX -DA=1 -DB=2 -Dx1=3 2>&1 | FileCheck %s
// CHECK-COUNT-2: 'register' storage class specifier
// CHECK-NOT: {{error|warning}}:
//
// CUDA's first header and ours are clean whatever warnings are asked for.
// RUN: %gridspan++ -fno-gridspan -arch=sm_90 -std=c++17 -fsyntax-only -x cu \
// RUN:   -Wall -Wextra -Wconversion -Wshadow -Werror /dev/null
//
// A program's own cuda.h is not taken for the toolkit's.
// RUN: rm -rf %t && mkdir %t && echo "int ownHeader;" > %t/cuda.h
// RUN: %gridspan++ -fno-gridspan -arch=sm_90 -fsyntax-only -DOWN -I%t %s \
// RUN:   -w -DN=1 -DT=int

#ifdef OWN
#include "cuda.h"
int *own = &ownHeader;
#endif

template <class V> __device__ unsigned sum(V v) { return v.x + v.y + v.z; }
constexpr int square(int i) { return i * i; }

__global__ void indices(unsigned *p) {
  auto t = threadIdx;
  const auto b = blockIdx;
  const auto &d = blockDim;
  uint3 copy = threadIdx;
  dim3 grid;
  grid = gridDim;
  p[t.x] = b.y + d.z + copy.x + grid.x + sum(threadIdx) + sum<uint3>(blockIdx);
  register unsigned r = square(3);
  p[N] = r;
}

__global__ void assembly(T *out, int *in) {
  int lane, value, old;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  asm volatile("{ .reg .u32 t; add.u32 t, %[a], 1; mov.u32 %[r], t; }"
               : [r] "=r"(value)
               : [a] "r"(lane)
               : "memory");
  asm volatile("atom.add.u32 %0, [%1], %2;"
               : "=r"(old)
               : "l"(in), "r"(value)
               : "memory");
  out[0] = old;
}

bool onHost(float f, double d) {
  return isfinite(f) && !isnan(d) && !isinf(f) && !signbit(d);
}
