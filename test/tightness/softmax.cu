// A softmax of each row: a block has a row and reduces it in shared memory.
//
// RUN: %gridspan++ -O2 %s -o %t
// RUN: %compare --split softmax \
// RUN:   %t | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_TRACE_ACCESS=%t.trace %t
// RUN: gridspan-check-ranges %t %t.trace
// CHECK: checksum {{[0-9a-f]+}}

#include "Inputs/program.h"

__global__ void softmax(int columns, const float *in, float *out) {
  __shared__ float partial[64];
  const float *row = in + (size_t)blockIdx.x * columns;
  float best = 0;
  for (int j = threadIdx.x; j < columns; j += blockDim.x)
    best = fmaxf(best, row[j]);
  partial[threadIdx.x] = best;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half)
      partial[threadIdx.x] =
          fmaxf(partial[threadIdx.x], partial[threadIdx.x + half]);
    __syncthreads();
  }
  best = partial[0];
  __syncthreads();
  float sum = 0;
  for (int j = threadIdx.x; j < columns; j += blockDim.x)
    sum += 1 / (1 + best - row[j]);
  partial[threadIdx.x] = sum;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half)
      partial[threadIdx.x] += partial[threadIdx.x + half];
    __syncthreads();
  }
  for (int j = threadIdx.x; j < columns; j += blockDim.x)
    out[(size_t)blockIdx.x * columns + j] =
        1 / (1 + best - row[j]) / partial[0];
}

int main(int argc, char **argv) {
  int scale = scaleOf(argc, argv);
  int rows = 64 * scale, columns = 300;
  Buffer<float> in(pattern<float>(rows * columns)), out(rows * columns);
  softmax<<<rows, 64>>>(columns, in, out);
  return finish(out);
}
