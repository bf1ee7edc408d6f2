// A bilateral filter: neighbours are clamped to the image and weighed by
// distance and by difference.
//
// RUN: %gridspan++ -O2 %s -o %t
// RUN: %compare --split filter \
// RUN:   %t | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_TRACE_ACCESS=%t.trace %t
// RUN: gridspan-check-ranges %t %t.trace
// CHECK: checksum {{[0-9a-f]+}}

#include "Inputs/program.h"

__global__ void filter(const float *in, float *out, int width, int height,
                       int radius, float range) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height)
    return;
  float here = in[y * width + x], sum = 0, weights = 0;
  for (int v = -radius; v <= radius; ++v)
    for (int u = -radius; u <= radius; ++u) {
      int nx = x + u < 0 ? 0 : x + u >= width ? width - 1 : x + u;
      int ny = y + v < 0 ? 0 : y + v >= height ? height - 1 : y + v;
      float value = in[ny * width + nx], difference = (value - here) / range;
      float weight = 1 / (1 + u * u + v * v + difference * difference);
      sum += weight * value;
      weights += weight;
    }
  out[y * width + x] = sum / weights;
}

int main(int argc, char **argv) {
  int scale = scaleOf(argc, argv);
  int width = 96, height = 384 * scale;
  Buffer<float> in(pattern<float>(width * height)), out(width * height);
  dim3 block(32, 4), grid(divideUp(width, 32), divideUp(height, 4));
  filter<<<grid, block>>>(in, out, width, height, 2, 40.0f);
  return finish(out);
}
