// Grid-stride loops over the rows and columns of an image; 64-bit counters.
//
// RUN: %gridspan++ -O2 %s -o %t
// RUN: %compare --split gamma \
// RUN:   %t | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_TRACE_ACCESS=%t.trace %t
// RUN: gridspan-check-ranges %t %t.trace
// CHECK: checksum {{[0-9a-f]+}}

#include "Inputs/program.h"

__global__ void gamma(size_t width, size_t height, const float *in,
                      float *out) {
  for (size_t y = blockIdx.y * blockDim.y + threadIdx.y; y < height;
       y += gridDim.y * blockDim.y)
    for (size_t x = blockIdx.x * blockDim.x + threadIdx.x; x < width;
         x += gridDim.x * blockDim.x)
      out[y * width + x] = in[y * width + x] * in[y * width + x];
}

int main(int argc, char **argv) {
  int scale = scaleOf(argc, argv);
  size_t width = 200, height = 200 * scale;
  Buffer<float> in(pattern<float>(width * height)), out(width * height);
  gamma<<<dim3(2, 8), dim3(32, 4)>>>(width, height, in, out);
  return finish(out);
}
