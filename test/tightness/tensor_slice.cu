// A slice of a packed 4-D tensor, to a packed smaller one; 64-bit indices.
//
// RUN: %gridspan++ -O2 %s -o %t
// RUN: %compare --split slice \
// RUN:   %t | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_TRACE_ACCESS=%t.trace %t
// RUN: gridspan-check-ranges %t %t.trace
// CHECK: checksum {{[0-9a-f]+}}

#include "Inputs/program.h"

__global__ void slice(long long total, int n1, int n2, int n3, int from,
                      int step, int full3, const double *in, double *out) {
  long long id = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= total)
    return;
  long long i3 = id % n3, i2 = id / n3 % n2, i1 = id / (n3 * n2) % n1;
  long long i0 = id / ((long long)n3 * n2 * n1);
  out[id] = in[((i0 * n1 + i1) * n2 + i2) * full3 + from + i3 * step];
}

int main(int argc, char **argv) {
  int scale = scaleOf(argc, argv);
  int n0 = 24 * scale, n1 = 5, n2 = 12, n3 = 20, from = 3, step = 1, full3 = 32;
  long long total = (long long)n0 * n1 * n2 * n3;
  Buffer<double> in(pattern<double>(n0 * n1 * n2 * full3)), out(total);
  slice<<<divideUp(total, 64), 64>>>(total, n1, n2, n3, from, step, full3, in,
                                     out);
  return finish(out);
}
