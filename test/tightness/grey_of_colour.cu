// Pixels of three and of four bytes.
//
// RUN: %gridspan++ -O2 %s -o %t
// RUN: %compare --split fromRgb --split fromRgba \
// RUN:   %t | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_TRACE_ACCESS=%t.trace %t
// RUN: gridspan-check-ranges %t %t.trace
// CHECK: checksum {{[0-9a-f]+}}

#include "Inputs/program.h"

__global__ void fromRgb(const unsigned char *rgb, unsigned char *grey,
                        int pixels) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < pixels)
    grey[i] =
        (77 * rgb[3 * i] + 150 * rgb[3 * i + 1] + 29 * rgb[3 * i + 2]) >> 8;
}
__global__ void fromRgba(const uchar4 *rgba, unsigned char *grey, int pixels) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= pixels)
    return;
  uchar4 p = rgba[i];
  grey[i] = (77 * p.x + 150 * p.y + 29 * p.z) >> 8;
}

int main(int argc, char **argv) {
  int scale = scaleOf(argc, argv);
  int pixels = 60000 * scale;
  Buffer<unsigned char> rgb(pattern<unsigned char>(3 * pixels));
  Buffer<unsigned char> rgba(pattern<unsigned char>(4 * pixels, 2));
  Buffer<unsigned char> a(pixels), b(pixels);
  fromRgb<<<divideUp(pixels, 128), 128>>>(rgb, a, pixels);
  fromRgba<<<divideUp(pixels, 128), 128>>>((const uchar4 *)rgba.Data, b,
                                           pixels);
  return finish(a, b);
}
