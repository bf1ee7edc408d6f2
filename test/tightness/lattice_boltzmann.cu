// Streaming and collision of a lattice gas of five directions, a plane of cells
// for each direction.
//
// RUN: %gridspan++ -O2 %s -o %t
// RUN: %compare --split collide \
// RUN:   %t | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_TRACE_ACCESS=%t.trace %t
// RUN: gridspan-check-ranges %t %t.trace
// CHECK: checksum {{[0-9a-f]+}}

#include "Inputs/program.h"

__global__ void collide(const float *in, float *out, int width, int height,
                        float omega) {
  int x = blockIdx.x * blockDim.x + threadIdx.x + 1;
  int y = blockIdx.y * blockDim.y + threadIdx.y + 1;
  if (x >= width - 1 || y >= height - 1)
    return;
  size_t cells = (size_t)width * height, i = (size_t)y * width + x;
  float rest = in[i], east = in[cells + i - 1], west = in[2 * cells + i + 1];
  float north = in[3 * cells + i - width], south = in[4 * cells + i + width];
  float density = rest + east + west + north + south;
  float ux = (east - west) / density, uy = (north - south) / density;
  out[i] = rest + omega * (density / 3 - rest);
  out[cells + i] = east + omega * (density * (1 + 3 * ux) / 6 - east);
  out[2 * cells + i] = west + omega * (density * (1 - 3 * ux) / 6 - west);
  out[3 * cells + i] = north + omega * (density * (1 + 3 * uy) / 6 - north);
  out[4 * cells + i] = south + omega * (density * (1 - 3 * uy) / 6 - south);
}

int main(int argc, char **argv) {
  int scale = scaleOf(argc, argv);
  int width = 130, height = 320 * scale + 2;
  Buffer<float> a(pattern<float>(5 * width * height)), b(5 * width * height);
  dim3 block(32, 4), grid(divideUp(width - 2, 32), divideUp(height - 2, 4));
  collide<<<grid, block>>>(a, b, width, height, 0.6f);
  return finish(b);
}
