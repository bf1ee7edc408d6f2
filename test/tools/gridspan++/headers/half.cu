// RUN: %gridspan++ -fno-gridspan -fsyntax-only %s

#include <cuda_bf16.h>
#include <cuda_fp16.h>

__global__ void kernel(__half *a, __half2 *b, __nv_bfloat16 *c) {
  int i = threadIdx.x;
  a[i] = __hadd(a[i], __float2half(1.f)) * a[i];
  b[i] = __hfma2(b[i], b[i], b[i]);
  c[i] = c[i] + c[i];
  atomicAdd(&a[i], __half(1.f));
}
float onHost(__half h) { return __half2float(h); }
