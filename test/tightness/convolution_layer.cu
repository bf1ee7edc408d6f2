// A convolution of images with channels; blockIdx.z is image and output
// channel.
//
// RUN: %gridspan++ -O2 %s -o %t
// RUN: %compare --split convolve \
// RUN:   %t | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_TRACE_ACCESS=%t.trace %t
// RUN: gridspan-check-ranges %t %t.trace
// CHECK: checksum {{[0-9a-f]+}}

#include "Inputs/program.h"

__global__ void convolve(int inputs, int outputs, int height, int width,
                         const float *in, const float *weights, float *out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  int image = blockIdx.z / outputs, o = blockIdx.z % outputs;
  if (x >= width - 2 || y >= height - 2)
    return;
  float sum = 0;
  for (int c = 0; c < inputs; ++c)
    for (int v = 0; v < 3; ++v)
      for (int u = 0; u < 3; ++u)
        sum += weights[((o * inputs + c) * 3 + v) * 3 + u] *
               in[((image * inputs + c) * height + y + v) * width + x + u];
  out[((image * outputs + o) * (height - 2) + y) * (width - 2) + x] = sum;
}

int main(int argc, char **argv) {
  int scale = scaleOf(argc, argv);
  int images = 8 * scale, inputs = 3, outputs = 4, height = 30, width = 34;
  Buffer<float> in(pattern<float>(images * inputs * height * width));
  Buffer<float> weights(pattern<float>(outputs * inputs * 9, 2));
  Buffer<float> out(images * outputs * (height - 2) * (width - 2));
  convolve<<<dim3(1, 7, images * outputs), dim3(32, 4)>>>(
      inputs, outputs, height, width, in, weights, out);
  return finish(out);
}
