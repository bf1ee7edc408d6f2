// Vector loads and stores, and a block copy of a structure of 48 bytes.
//
// RUN: %gridspan++ -O2 %s -o %t
// RUN: %compare --split scale4 --split copyRecords \
// RUN:   %t | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_TRACE_ACCESS=%t.trace %t
// RUN: gridspan-check-ranges %t %t.trace
// CHECK: checksum {{[0-9a-f]+}}

#include "Inputs/program.h"

struct Record {
  long long words[6];
};

__global__ void scale4(int n, float a, const float4 *in, float4 *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float4 v = in[i];
  out[i] = make_float4(a * v.x, a * v.y, a * v.z, a * v.w);
}
__global__ void copyRecords(int n, const Record *in, Record *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[n - 1 - i] = in[i];
}

int main(int argc, char **argv) {
  int scale = scaleOf(argc, argv);
  int n = 6000 * scale;
  Buffer<float> in(pattern<float>(4 * n)), out(4 * n);
  Buffer<long long> records(pattern<long long>(6 * n)), copies(6 * n);
  scale4<<<divideUp(n, 64), 64>>>(n, 2.0f, (const float4 *)in.Data,
                                  (float4 *)out.Data);
  copyRecords<<<divideUp(n, 64), 64>>>(n, (const Record *)records.Data,
                                       (Record *)copies.Data);
  return finish(out, copies);
}
