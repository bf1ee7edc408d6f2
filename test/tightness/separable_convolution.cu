// A separable filter: rows with clamped columns, then columns with clamped
// rows.
//
// RUN: %gridspan++ -O2 %s -o %t
// RUN: %compare --split convolveRows --split convolveColumns \
// RUN:   %t | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_TRACE_ACCESS=%t.trace %t
// RUN: gridspan-check-ranges %t %t.trace
// CHECK: checksum {{[0-9a-f]+}}

#include "Inputs/program.h"

constexpr int Radius = 3;
__constant__ float Filter[2 * Radius + 1] = {1, 6, 15, 20, 15, 6, 1};

__global__ void convolveRows(const float *in, float *out, int width,
                             int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height)
    return;
  float sum = 0;
  for (int r = -Radius; r <= Radius; ++r)
    sum += Filter[r + Radius] * in[y * width + min(max(x + r, 0), width - 1)];
  out[y * width + x] = sum / 64;
}
__global__ void convolveColumns(const float *in, float *out, int width,
                                int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height)
    return;
  float sum = 0;
  for (int r = -Radius; r <= Radius; ++r)
    sum += Filter[r + Radius] * in[min(max(y + r, 0), height - 1) * width + x];
  out[y * width + x] = sum / 64;
}

int main(int argc, char **argv) {
  int scale = scaleOf(argc, argv);
  int width = 120, height = 480 * scale;
  Buffer<float> image(pattern<float>(width * height));
  Buffer<float> middle(width * height), result(width * height);
  dim3 block(32, 4), grid(divideUp(width, 32), divideUp(height, 4));
  convolveRows<<<grid, block>>>(image, middle, width, height);
  convolveColumns<<<grid, block>>>(middle, result, width, height);
  return finish(result);
}
