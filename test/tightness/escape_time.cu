// Iterations until a complex sequence escapes: writes only, uneven work.
//
// RUN: %gridspan++ -O2 %s -o %t
// RUN: %compare --split escape \
// RUN:   %t | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_TRACE_ACCESS=%t.trace %t
// RUN: gridspan-check-ranges %t %t.trace
// CHECK: checksum {{[0-9a-f]+}}

#include "Inputs/program.h"

__global__ void escape(int width, int height, int limit,
                       unsigned short *result) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height)
    return;
  float cr = 3.0f * x / width - 2, ci = 2.0f * y / height - 1, zr = 0, zi = 0;
  int n = 0;
  while (n < limit && zr * zr + zi * zi < 4) {
    float next = zr * zr - zi * zi + cr;
    zi = 2 * zr * zi + ci;
    zr = next;
    ++n;
  }
  result[y * width + x] = n;
}

int main(int argc, char **argv) {
  int scale = scaleOf(argc, argv);
  int width = 200, height = 300 * scale;
  Buffer<unsigned short> result(width * height);
  escape<<<dim3(divideUp(width, 32), divideUp(height, 4)), dim3(32, 4)>>>(
      width, height, 50, result);
  return finish(result);
}
