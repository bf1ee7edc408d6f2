// Assignment of points to the nearest of a few centres; a row of features each.
//
// RUN: %gridspan++ -O2 %s -o %t
// RUN: %compare --split assign \
// RUN:   %t | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_TRACE_ACCESS=%t.trace %t
// RUN: gridspan-check-ranges %t %t.trace
// CHECK: checksum {{[0-9a-f]+}}

#include "Inputs/program.h"

__global__ void assign(int points, int centres, int features,
                       const float *point, const float *centre, int *nearest) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= points)
    return;
  int best = 0;
  float least = 1e30f;
  for (int c = 0; c < centres; ++c) {
    float distance = 0;
    for (int f = 0; f < features; ++f) {
      float d = point[i * features + f] - centre[c * features + f];
      distance += d * d;
    }
    if (distance < least) {
      least = distance;
      best = c;
    }
  }
  nearest[i] = best;
}

int main(int argc, char **argv) {
  int scale = scaleOf(argc, argv);
  int points = 4000 * scale, centres = 6, features = 5;
  Buffer<float> point(pattern<float>(points * features));
  Buffer<float> centre(pattern<float>(centres * features, 2));
  Buffer<int> nearest(points);
  assign<<<divideUp(points, 64), 64>>>(points, centres, features, point, centre,
                                       nearest);
  return finish(nearest);
}
