// In-place relaxation where threads of the other colour leave.
//
// RUN: %gridspan++ -O2 %s -o %t
// RUN: %compare --split relax \
// RUN:   %t | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_TRACE_ACCESS=%t.trace %t
// RUN: gridspan-check-ranges %t %t.trace
// CHECK: checksum {{[0-9a-f]+}}

#include "Inputs/program.h"

__global__ void relax(float *field, int width, int height, int colour) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || x > width - 2 || y < 1 || y > height - 2)
    return;
  if ((x + y) % 2 != colour)
    return;
  int i = y * width + x;
  field[i] += 0.8f * (0.25f * (field[i - 1] + field[i + 1] + field[i - width] +
                               field[i + width]) -
                      field[i]);
}

int main(int argc, char **argv) {
  int scale = scaleOf(argc, argv);
  int width = 200, height = 400 * scale;
  Buffer<float> field(pattern<float>(width * height));
  dim3 block(32, 4), grid(divideUp(width, 32), divideUp(height, 4));
  relax<<<grid, block>>>(field, width, height, 0);
  relax<<<grid, block>>>(field, width, height, 1);
  return finish(field);
}
