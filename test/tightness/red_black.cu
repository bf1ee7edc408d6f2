// Gauss-Seidel relaxation in place: cells of one colour, then of the other. A
// thread has a pair of cells and takes the one of the colour.
//
// RUN: %gridspan++ -O2 %s -o %t
// RUN: %compare --split relax \
// RUN:   %t | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_TRACE_ACCESS=%t.trace %t
// RUN: gridspan-check-ranges %t %t.trace
// CHECK: checksum {{[0-9a-f]+}}

#include "Inputs/program.h"

__global__ void relax(float *field, int width, int height, int colour) {
  int pair = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y + 1;
  int x = 2 * pair + 1 + ((y + colour) & 1);
  if (y >= height - 1 || x >= width - 1)
    return;
  float *cell = field + y * width + x;
  *cell = 0.25f * (cell[-1] + cell[1] + cell[-width] + cell[width]);
}

int main(int argc, char **argv) {
  int scale = scaleOf(argc, argv);
  int width = 258, height = 400 * scale + 2;
  Buffer<float> field(pattern<float>(width * height));
  dim3 block(32, 4), grid(divideUp(width / 2, 32), divideUp(height - 2, 4));
  for (int step = 0; step < 4; ++step)
    relax<<<grid, block>>>(field, width, height, step & 1);
  return finish(field);
}
