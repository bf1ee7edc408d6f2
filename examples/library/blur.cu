// The library: its kernel runs on memory that the program has allocated.

#include "blur.h"

__global__ void blurKernel(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > 0 && i < n - 1)
    out[i] = (in[i - 1] + in[i] + in[i + 1]) / 3;
  else if (i < n)
    out[i] = in[i];
}

bool blur(const float *in, float *out, int n) {
  blurKernel<<<(n + 255) / 256, 256>>>(in, out, n);
  return cudaGetLastError() == cudaSuccess;
}
