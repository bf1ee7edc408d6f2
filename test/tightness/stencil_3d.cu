// A seven-point stencil on a three-dimensional grid of blocks.
//
// RUN: %gridspan++ -O2 %s -o %t
// RUN: %compare --split diffuse \
// RUN:   %t | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_TRACE_ACCESS=%t.trace %t
// RUN: gridspan-check-ranges %t %t.trace
// CHECK: checksum {{[0-9a-f]+}}

#include "Inputs/program.h"

__global__ void diffuse(const float *in, float *out, int nx, int ny, int nz) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  int z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x < 1 || y < 1 || z < 1 || x >= nx - 1 || y >= ny - 1 || z >= nz - 1)
    return;
  int i = (z * ny + y) * nx + x, plane = nx * ny;
  out[i] = in[i] + 0.1f * (in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx] +
                           in[i - plane] + in[i + plane] - 6 * in[i]);
}

int main(int argc, char **argv) {
  int scale = scaleOf(argc, argv);
  int nx = 32, ny = 12, nz = 240 * scale;
  Buffer<float> a(pattern<float>(nx * ny * nz)), b(nx * ny * nz);
  diffuse<<<dim3(1, 3, nz / 2), dim3(32, 4, 2)>>>(a, b, nx, ny, nz);
  return finish(b);
}
