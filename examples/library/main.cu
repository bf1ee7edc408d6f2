// A program that uses the library, with a kernel of its own.
//
// Usage: blur_program [elements]

#include "blur.h"
#include <cstdio>
#include <cstdlib>
#include <vector>

__global__ void ramp(float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = 3 * (i % 256);
}

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 1 << 20;
  float *in, *out;
  if (cudaMalloc(&in, n * sizeof(float)) != cudaSuccess ||
      cudaMalloc(&out, n * sizeof(float)) != cudaSuccess)
    return 1;
  ramp<<<(n + 255) / 256, 256>>>(in, n);
  if (!blur(in, out, n))
    return 1;
  std::vector<float> result(n);
  if (cudaMemcpy(result.data(), out, n * sizeof(float),
                 cudaMemcpyDeviceToHost) != cudaSuccess)
    return 1;

  // Sums of three small integers are exact.
  int wrong = 0;
  for (int i = 0; i < n; ++i) {
    int left = 3 * ((i - 1) % 256), here = 3 * (i % 256),
        right = 3 * ((i + 1) % 256);
    bool isInside = i > 0 && i < n - 1;
    wrong += result[i] != (isInside ? (left + here + right) / 3.0f : here);
  }
  printf("blur_program: n %d, wrong %d\n", n, wrong);
  puts(wrong ? "FAIL" : "PASS");
  return wrong != 0;
}
