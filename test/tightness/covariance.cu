// Covariance of the columns of a data matrix: means, centring, and products of
// columns, each pair once.
//
// RUN: %gridspan++ -O2 %s -o %t
// RUN: %compare --split average --split center --split covariance \
// RUN:   %t | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_TRACE_ACCESS=%t.trace %t
// RUN: gridspan-check-ranges %t %t.trace
// CHECK: checksum {{[0-9a-f]+}}

#include "Inputs/program.h"

__global__ void average(int rows, int columns, const float *data, float *mean) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j >= columns)
    return;
  float sum = 0;
  for (int i = 0; i < rows; ++i)
    sum += data[i * columns + j];
  mean[j] = sum / rows;
}
__global__ void center(int rows, int columns, float *data, const float *mean) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < rows && j < columns)
    data[i * columns + j] -= mean[j];
}
__global__ void covariance(int rows, int columns, const float *data,
                           float *result) {
  int a = blockIdx.x * blockDim.x + threadIdx.x;
  if (a >= columns)
    return;
  for (int b = a; b < columns; ++b) {
    float sum = 0;
    for (int i = 0; i < rows; ++i)
      sum += data[i * columns + a] * data[i * columns + b];
    result[a * columns + b] = sum / (rows - 1);
    result[b * columns + a] = sum / (rows - 1);
  }
}

int main(int argc, char **argv) {
  int root = rootOf(scaleOf(argc, argv));
  int rows = 24, columns = 128 * root;
  Buffer<float> data(pattern<float>(rows * columns)), mean(columns);
  Buffer<float> result(columns * columns);
  average<<<columns / 16, 16>>>(rows, columns, data, mean);
  center<<<dim3(columns / 32, rows / 2), dim3(32, 2)>>>(rows, columns, data,
                                                        mean);
  covariance<<<columns / 16, 16>>>(rows, columns, data, result);
  return finish(mean, result);
}
