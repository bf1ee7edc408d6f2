// A nine-point stencil on the inner cells of a field with a padded pitch.
//
// RUN: %gridspan++ -O2 %s -o %t
// RUN: %compare --split smooth \
// RUN:   %t | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_TRACE_ACCESS=%t.trace %t
// RUN: gridspan-check-ranges %t %t.trace
// CHECK: checksum {{[0-9a-f]+}}

#include "Inputs/program.h"

__global__ void smooth(const float *in, float *out, int width, int height,
                       size_t pitch) {
  int x = blockIdx.x * blockDim.x + threadIdx.x + 1;
  int y = blockIdx.y * blockDim.y + threadIdx.y + 1;
  if (x >= width - 1 || y >= height - 1)
    return;
  float sum = 0;
  for (int dy = -1; dy <= 1; ++dy)
    for (int dx = -1; dx <= 1; ++dx)
      sum += in[(y + dy) * pitch + x + dx];
  out[y * pitch + x] = sum / 9;
}

int main(int argc, char **argv) {
  int scale = scaleOf(argc, argv);
  int width = 250, height = 450 * scale, pitch = 256;
  Buffer<float> a(pattern<float>(pitch * height)),
      b(pattern<float>(pitch * height));
  dim3 block(32, 4), grid(divideUp(width - 2, 32), divideUp(height - 2, 4));
  smooth<<<grid, block>>>(a, b, width, height, pitch);
  smooth<<<grid, block>>>(b, a, width, height, pitch);
  return finish(a, b);
}
