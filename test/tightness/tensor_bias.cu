// A bias per channel on a packed 4-D tensor; the channel by quotient and
// remainder.
//
// RUN: %gridspan++ -O2 %s -o %t
// RUN: %compare --split addBias \
// RUN:   %t | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_TRACE_ACCESS=%t.trace %t
// RUN: gridspan-check-ranges %t %t.trace
// CHECK: checksum {{[0-9a-f]+}}

#include "Inputs/program.h"

__global__ void addBias(int total, int channels, int area, const float *bias,
                        float *data) {
  int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= total)
    return;
  int c = id / area % channels;
  data[id] = fmaxf(0.0f, data[id] + bias[c] - 128);
}

int main(int argc, char **argv) {
  int scale = scaleOf(argc, argv);
  int images = 16 * scale, channels = 8, area = 500,
      total = images * channels * area;
  Buffer<float> bias(pattern<float>(channels)), data(pattern<float>(total, 2));
  addBias<<<divideUp(total, 128), 128>>>(total, channels, area, bias, data);
  return finish(data);
}
