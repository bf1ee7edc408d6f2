// Small vector updates of a batch; a block has a problem and its threads stride
// over the elements.
//
// RUN: %gridspan++ -O2 %s -o %t
// RUN: %compare --split scaleRows \
// RUN:   %t | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_TRACE_ACCESS=%t.trace %t
// RUN: gridspan-check-ranges %t %t.trace
// CHECK: checksum {{[0-9a-f]+}}

#include "Inputs/program.h"

__global__ void scaleRows(int n, int stride, const float *factors,
                          float *data) {
  float factor = factors[blockIdx.x];
  float *mine = data + (size_t)blockIdx.x * stride;
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    mine[i] *= factor;
}

int main(int argc, char **argv) {
  int scale = scaleOf(argc, argv);
  int n = 200, stride = 208, count = 128 * scale;
  Buffer<float> factors(pattern<float>(count));
  Buffer<float> data(pattern<float>(count * stride, 2));
  scaleRows<<<count, 64>>>(n, stride, factors, data);
  return finish(data);
}
