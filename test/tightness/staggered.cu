// Maxwell's equations in two dimensions on staggered grids: the electric field
// lies on the edges, the magnetic field in the cells.
//
// RUN: %gridspan++ -O2 %s -o %t
// RUN: %compare --split updateEx --split updateEy --split updateHz \
// RUN:   %t | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_TRACE_ACCESS=%t.trace %t
// RUN: gridspan-check-ranges %t %t.trace
// CHECK: checksum {{[0-9a-f]+}}

#include "Inputs/program.h"

__global__ void updateEx(int nx, int ny, float *ex, const float *hz) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < nx && j > 0 && j < ny)
    ex[j * nx + i] -= 0.5f * (hz[j * nx + i] - hz[(j - 1) * nx + i]);
}
__global__ void updateEy(int nx, int ny, float *ey, const float *hz) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i > 0 && i < nx && j < ny)
    ey[j * (nx + 1) + i] -= 0.5f * (hz[j * nx + i] - hz[j * nx + i - 1]);
}
__global__ void updateHz(int nx, int ny, const float *ex, const float *ey,
                         float *hz) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < nx && j < ny)
    hz[j * nx + i] -= 0.7f * (ey[j * (nx + 1) + i + 1] - ey[j * (nx + 1) + i] +
                              ex[(j + 1) * nx + i] - ex[j * nx + i]);
}

int main(int argc, char **argv) {
  int scale = scaleOf(argc, argv);
  int nx = 120, ny = 400 * scale;
  Buffer<float> ex(pattern<float>(nx * (ny + 1)));
  Buffer<float> ey(pattern<float>((nx + 1) * ny, 2));
  Buffer<float> hz(pattern<float>(nx * ny, 3));
  dim3 block(32, 4), grid(divideUp(nx, 32), divideUp(ny, 4));
  for (int step = 0; step < 2; ++step) {
    updateEx<<<grid, block>>>(nx, ny, ex, hz);
    updateEy<<<grid, block>>>(nx, ny, ey, hz);
    updateHz<<<grid, block>>>(nx, ny, ex, ey, hz);
  }
  return finish(ex, ey, hz);
}
