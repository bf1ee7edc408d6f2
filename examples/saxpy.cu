// SAXPY: y = a * x + y, one thread an element.
//
// Usage: saxpy [elements] [repetitions]

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(Call)                                                            \
  do {                                                                         \
    cudaError_t Error = (Call);                                                \
    if (Error != cudaSuccess) {                                                \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__,                       \
              cudaGetErrorString(Error));                                      \
      exit(1);                                                                 \
    }                                                                          \
  } while (0)

__global__ void saxpy(int n, float a, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = a * x[i] + y[i];
}

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 1 << 22;
  int repetitions = argc > 2 ? atoi(argv[2]) : 4;
  const float a = 0.5f;

  std::vector<float> x(n), y(n), result(n);
  for (int i = 0; i < n; ++i) {
    x[i] = (float)(i % 1000);
    y[i] = (float)(i % 17);
  }

  float *dx, *dy;
  size_t bytes = sizeof(float) * n;
  CHECK(cudaMalloc(&dx, bytes));
  CHECK(cudaMalloc(&dy, bytes));
  CHECK(cudaMemcpy(dx, x.data(), bytes, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(dy, y.data(), bytes, cudaMemcpyHostToDevice));

  for (int r = 0; r < repetitions; ++r)
    saxpy<<<(n + 255) / 256, 256>>>(n, a, dx, dy);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(result.data(), dy, bytes, cudaMemcpyDeviceToHost));

  // All values are multiples of one half and small, so float is exact.
  double sum = 0;
  int wrong = 0;
  for (int i = 0; i < n; ++i) {
    sum += result[i];
    wrong += result[i] != y[i] + repetitions * a * x[i];
  }
  printf("saxpy: n %d, checksum %.17g, wrong %d\n", n, sum, wrong);
  puts(wrong ? "FAIL" : "PASS");

  CHECK(cudaFree(dx));
  CHECK(cudaFree(dy));
  return wrong != 0;
}
