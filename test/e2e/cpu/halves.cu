// Half precision and bfloat16, whose headers are inline assembly.
//
// RUN: %gridspan++ -O2 %s -o %t
// RUN: env GRIDSPAN_DEVICES=cpu:1 %t | FileCheck %s
// RUN: %gridspan++ -O0 %s -o %t.O0
// RUN: env GRIDSPAN_DEVICES=cpu:1 %t.O0 | FileCheck %s
// CHECK: PASS

#include "../Inputs/check.h"
#include <cmath>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

constexpr int Results = 6;

__global__ void halves(const float *in, float *out) {
  float x = in[threadIdx.x], *o = out + threadIdx.x * Results;
  __half a = __float2half(x), b = __float2half(x * 0.5f + 1);
  __half2 p = __halves2half2(a, b);
  p = __hfma2(p, p, __float2half2_rn(0.25f));
  o[0] = __half2float(__hadd(a, b));
  o[1] = __low2float(p) + __high2float(p);
  o[2] = __half2float(hexp(a));
  o[3] = __hlt(a, b) ? __half2float(hsqrt(b)) : -1;
  o[4] = __bfloat162float(__float2bfloat16(x));
  o[5] = __half2float(__hmax(a, b)) + __half2float(__hdiv(a, b));
}

__global__ void sums(__half *sum, __half2 *pair) {
  atomicAdd(sum, __float2half(0.5f));
  atomicAdd(pair, __floats2half2_rn(1, 2));
}

int main() {
  float in[32], out[32 * Results];
  for (int i = 0; i < 32; ++i)
    in[i] = i * 0.1f - 1;
  float *deviceIn = toDevice(in, 32), *device = toDevice(out, 32 * Results);
  halves<<<1, 32>>>(deviceIn, device);
  toHost(out, device, 32 * Results);
  for (int i = 0; i < 32; ++i) {
    float a = in[i], b = a * 0.5f + 1;
    float expected[Results] = {a + b,   a * a + b * b + 0.5f,
                               expf(a), a < b ? sqrtf(b) : -1,
                               a,       fmaxf(a, b) + a / b};
    for (int k = 0; k < Results; ++k)
      EXPECT(fabsf(out[i * Results + k] - expected[k]) <=
             0.005f * fmaxf(1, fabsf(expected[k])));
  }

  unsigned zeros[2] = {}, *bits = toDevice(zeros, 2);
  sums<<<2, 20>>>((__half *)bits, (__half2 *)(bits + 1));
  toHost(zeros, bits, 2);
  EXPECT(__half2float(*(__half *)zeros) == 20);
  EXPECT(__low2float(*(__half2 *)(zeros + 1)) == 40);
  EXPECT(__high2float(*(__half2 *)(zeros + 1)) == 80);
  return finish();
}
