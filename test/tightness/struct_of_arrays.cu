// Particles as a structure of arrays, passed by value.
//
// RUN: %gridspan++ -O2 %s -o %t
// RUN: %compare --split move \
// RUN:   %t | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_TRACE_ACCESS=%t.trace %t
// RUN: gridspan-check-ranges %t %t.trace
// CHECK: checksum {{[0-9a-f]+}}

#include "Inputs/program.h"

struct Particles {
  double *position[3];
  const double *velocity[3];
  const float *mass;
  int count;
};

__global__ void move(Particles p, double dt) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= p.count)
    return;
  p.position[0][i] += dt * p.velocity[0][i] / p.mass[i];
  p.position[1][i] += dt * p.velocity[1][i] / p.mass[i];
  p.position[2][i] += dt * p.velocity[2][i] / p.mass[i];
}

int main(int argc, char **argv) {
  int scale = scaleOf(argc, argv);
  int n = 9000 * scale;
  Buffer<double> x(pattern<double>(n)), y(pattern<double>(n, 2));
  Buffer<double> z(pattern<double>(n, 3)), v(pattern<double>(3 * n, 4));
  Buffer<float> mass(pattern<float>(n, 5));
  Particles p = {{x, y, z}, {v, v + n, v + 2 * n}, mass, n};
  move<<<divideUp(n, 64), 64>>>(p, 0.5);
  return finish(x, y, z);
}
