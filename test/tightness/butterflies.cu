// Steps of a Walsh-Hadamard transform: the pair of a thread by shifts and
// masks.
//
// RUN: %gridspan++ -O2 %s -o %t
// RUN: %compare --split butterfly \
// RUN:   %t | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_TRACE_ACCESS=%t.trace %t
// RUN: gridspan-check-ranges %t %t.trace
// CHECK: checksum {{[0-9a-f]+}}

#include "Inputs/program.h"

__global__ void butterfly(int logDistance, int *data) {
  unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned low = t & ((1u << logDistance) - 1);
  unsigned i = ((t >> logDistance) << (logDistance + 1)) | low;
  unsigned j = i + (1u << logDistance);
  int a = data[i], b = data[j];
  data[i] = a + b;
  data[j] = a - b;
}

int main(int argc, char **argv) {
  int scale = scaleOf(argc, argv);
  int logSize = 13;
  while ((1 << logSize) < (1 << 13) * scale)
    ++logSize;
  Buffer<int> data(pattern<int>(1 << logSize));
  for (int step = 0; step < logSize; ++step)
    butterfly<<<(1 << logSize) / 128, 64>>>(step, data);
  return finish(data);
}
