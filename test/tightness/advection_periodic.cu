// Upwind advection on a periodic field: neighbours by remainders.
//
// RUN: %gridspan++ -O2 %s -o %t
// RUN: %compare --split advect \
// RUN:   %t | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_TRACE_ACCESS=%t.trace %t
// RUN: gridspan-check-ranges %t %t.trace
// CHECK: checksum {{[0-9a-f]+}}

#include "Inputs/program.h"

__global__ void advect(int width, int height, float u, float v, const float *in,
                       float *out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height)
    return;
  int west = (x + width - 1) % width, south = (y + height - 1) % height;
  float here = in[y * width + x];
  out[y * width + x] = here - u * (here - in[y * width + west]) -
                       v * (here - in[south * width + x]);
}

int main(int argc, char **argv) {
  int scale = scaleOf(argc, argv);
  int width = 160, height = 480 * scale;
  Buffer<float> a(pattern<float>(width * height)), b(width * height);
  dim3 block(32, 4), grid(divideUp(width, 32), divideUp(height, 4));
  advect<<<grid, block>>>(width, height, 0.3f, 0.2f, a, b);
  advect<<<grid, block>>>(width, height, 0.3f, 0.2f, b, a);
  return finish(a);
}
