// A 3-D stencil whose threads march along z through a column of cells.
//
// RUN: %gridspan++ -O2 %s -o %t
// RUN: %compare --split march \
// RUN:   %t | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_TRACE_ACCESS=%t.trace %t
// RUN: gridspan-check-ranges %t %t.trace
// CHECK: checksum {{[0-9a-f]+}}

#include "Inputs/program.h"

__global__ void march(const double *__restrict__ in, double *__restrict__ out,
                      int nx, int ny, int nz) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x == 0 || y == 0 || x >= nx - 1 || y >= ny - 1)
    return;
  int plane = nx * ny, i = y * nx + x + plane;
  double below = in[i - plane], here = in[i];
  for (int z = 1; z < nz - 1; ++z, i += plane) {
    double above = in[i + plane];
    out[i] = 0.4 * here + 0.1 * (in[i - 1] + in[i + 1] + in[i - nx] +
                                 in[i + nx] + below + above);
    below = here;
    here = above;
  }
}

int main(int argc, char **argv) {
  int scale = scaleOf(argc, argv);
  int nx = 64, ny = 240 * scale, nz = 8;
  Buffer<double> a(pattern<double>(nx * ny * nz)), b(nx * ny * nz);
  march<<<dim3(nx / 32, ny / 4), dim3(32, 4)>>>(a, b, nx, ny, nz);
  return finish(b);
}
