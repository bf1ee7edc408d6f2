// The maximum of patches of 2 by 2 of an image with channels.
//
// RUN: %gridspan++ -O2 %s -o %t
// RUN: %compare --split pool \
// RUN:   %t | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_TRACE_ACCESS=%t.trace %t
// RUN: gridspan-check-ranges %t %t.trace
// CHECK: checksum {{[0-9a-f]+}}

#include "Inputs/program.h"

__global__ void pool(const float *in, float *out, int channels, int height,
                     int width) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  int c = blockIdx.z;
  if (x >= width / 2 || y >= height / 2)
    return;
  const float *plane = in + (size_t)c * height * width;
  float best = plane[2 * y * width + 2 * x];
  for (int v = 0; v < 2; ++v)
    for (int u = 0; u < 2; ++u)
      best = fmaxf(best, plane[(2 * y + v) * width + 2 * x + u]);
  out[((size_t)c * (height / 2) + y) * (width / 2) + x] = best;
}

int main(int argc, char **argv) {
  int scale = scaleOf(argc, argv);
  int channels = 16 * scale, height = 64, width = 128;
  Buffer<float> in(pattern<float>(channels * height * width));
  Buffer<float> out(channels * height * width / 4);
  pool<<<dim3(2, 8, channels), dim3(32, 4)>>>(in, out, channels, height, width);
  return finish(out);
}
