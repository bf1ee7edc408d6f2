// A step of modified Gram-Schmidt on the columns of a row-major matrix.
//
// RUN: %gridspan++ -O2 %s -o %t
// RUN: %compare --split project --split subtract \
// RUN:   %t | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_TRACE_ACCESS=%t.trace %t
// RUN: gridspan-check-ranges %t %t.trace
// CHECK: checksum {{[0-9a-f]+}}

#include "Inputs/program.h"

__global__ void project(int rows, int columns, int k, const float *A,
                        const float *Q, float *R) {
  int j = blockIdx.x * blockDim.x + threadIdx.x + k + 1;
  if (j >= columns)
    return;
  float dot = 0;
  for (int i = 0; i < rows; ++i)
    dot += Q[i * columns + k] * A[i * columns + j];
  R[k * columns + j] = dot;
}
__global__ void subtract(int rows, int columns, int k, float *A, const float *Q,
                         const float *R) {
  int j = blockIdx.x * blockDim.x + threadIdx.x + k + 1;
  if (j >= columns)
    return;
  for (int i = 0; i < rows; ++i)
    A[i * columns + j] -= Q[i * columns + k] * R[k * columns + j];
}

int main(int argc, char **argv) {
  int root = rootOf(scaleOf(argc, argv));
  int rows = 24, columns = 1024 * root;
  Buffer<float> A(pattern<float>(rows * columns)),
      Q(pattern<float>(rows * columns, 2));
  Buffer<float> R(columns * columns);
  for (int k = 0; k < 2; ++k) {
    unsigned blocks = divideUp(columns - k - 1, 64);
    project<<<blocks, 64>>>(rows, columns, k, A, Q, R);
    subtract<<<blocks, 64>>>(rows, columns, k, A, Q, R);
  }
  return finish(A, R);
}
