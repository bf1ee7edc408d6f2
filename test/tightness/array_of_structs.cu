// Particles as an array of structures.
//
// RUN: %gridspan++ -O2 %s -o %t
// RUN: %compare --split move \
// RUN:   %t | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_TRACE_ACCESS=%t.trace %t
// RUN: gridspan-check-ranges %t %t.trace
// CHECK: checksum {{[0-9a-f]+}}

#include "Inputs/program.h"

struct Particle {
  float position[3];
  float velocity[3];
  float mass;
  int kind;
};

__global__ void move(Particle *particles, int n, float dt) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  Particle &p = particles[i];
  for (int d = 0; d < 3; ++d)
    p.position[d] += dt * p.velocity[d] / p.mass;
}

int main(int argc, char **argv) {
  int scale = scaleOf(argc, argv);
  int n = 10000 * scale;
  Buffer<float> raw(pattern<float>(8 * n));
  move<<<divideUp(n, 64), 64>>>((Particle *)raw.Data, n, 0.5f);
  return finish(raw);
}
