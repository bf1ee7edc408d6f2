// A three by three median of bytes; the border is copied.
//
// RUN: %gridspan++ -O2 %s -o %t
// RUN: %compare --split filter \
// RUN:   %t | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_TRACE_ACCESS=%t.trace %t
// RUN: gridspan-check-ranges %t %t.trace
// CHECK: checksum {{[0-9a-f]+}}

#include "Inputs/program.h"

__device__ void order(unsigned char &a, unsigned char &b) {
  unsigned char low = min(a, b);
  b = max(a, b);
  a = low;
}
__global__ void filter(const unsigned char *in, unsigned char *out, int width,
                       int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height)
    return;
  if (x == 0 || y == 0 || x == width - 1 || y == height - 1) {
    out[y * width + x] = in[y * width + x];
    return;
  }
  unsigned char v[9];
#pragma unroll
  for (int k = 0; k < 9; ++k)
    v[k] = in[(y + k / 3 - 1) * width + x + k % 3 - 1];
#pragma unroll
  for (int i = 0; i < 5; ++i)
#pragma unroll
    for (int j = i + 1; j < 9; ++j)
      order(v[i], v[j]);
  out[y * width + x] = v[4];
}

int main(int argc, char **argv) {
  int scale = scaleOf(argc, argv);
  int width = 203, height = 480 * scale;
  Buffer<unsigned char> in(pattern<unsigned char>(width * height));
  Buffer<unsigned char> out(width * height);
  dim3 block(32, 4), grid(divideUp(width, 32), divideUp(height, 4));
  filter<<<grid, block>>>(in, out, width, height);
  return finish(out);
}
