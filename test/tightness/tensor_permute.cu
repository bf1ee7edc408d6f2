// A packed 4-D tensor from channels first to channels last; indices by
// quotients and remainders of the element's number.
//
// RUN: %gridspan++ -O2 %s -o %t
// RUN: %compare --split permute \
// RUN:   %t | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_TRACE_ACCESS=%t.trace %t
// RUN: gridspan-check-ranges %t %t.trace
// CHECK: checksum {{[0-9a-f]+}}

#include "Inputs/program.h"

__global__ void permute(int total, int C, int H, int W, const float *in,
                        float *out) {
  int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= total)
    return;
  int c = id % C;
  int w = id / C % W;
  int h = id / (C * W) % H;
  int n = id / (C * W * H);
  out[id] = in[((n * C + c) * H + h) * W + w];
}

int main(int argc, char **argv) {
  int scale = scaleOf(argc, argv);
  int N = 16 * scale, C = 6, H = 20, W = 24, total = N * C * H * W;
  Buffer<float> in(pattern<float>(total)), out(total);
  permute<<<divideUp(total, 128), 128>>>(total, C, H, W, in, out);
  return finish(out);
}
