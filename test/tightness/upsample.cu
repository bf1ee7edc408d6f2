// Doubling an image: every pixel of the result reads one of the source.
//
// RUN: %gridspan++ -O2 %s -o %t
// RUN: %compare --split enlarge \
// RUN:   %t | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_TRACE_ACCESS=%t.trace %t
// RUN: gridspan-check-ranges %t %t.trace
// CHECK: checksum {{[0-9a-f]+}}

#include "Inputs/program.h"

__global__ void enlarge(const int *in, int *out, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 2 * width && y < 2 * height)
    out[y * 2 * width + x] = in[(y >> 1) * width + (x >> 1)];
}

int main(int argc, char **argv) {
  int scale = scaleOf(argc, argv);
  int width = 80, height = 192 * scale;
  Buffer<int> in(pattern<int>(width * height)), out(4 * width * height);
  enlarge<<<dim3(5, divideUp(2 * height, 4)), dim3(32, 4)>>>(in, out, width,
                                                             height);
  return finish(out);
}
