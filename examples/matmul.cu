// Matrix product C = A * B of n x n matrices, one thread an element, with the
// one-dimensional id that many first CUDA programs use.
//
// Usage: matmul [n]

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

__global__ void matmul(const float *A, const float *B, float *C, int N) {
  int id = blockIdx.x * blockDim.x + threadIdx.x;
  int iy = id / N;
  int ix = id % N;
  if (iy < N) {
    float sum = 0;
    for (int k = 0; k < N; ++k)
      sum += A[iy * N + k] * B[k * N + ix];
    C[iy * N + ix] = sum;
  }
}

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 384;
  size_t elements = (size_t)n * n, bytes = elements * sizeof(float);
  std::vector<float> A(elements), B(elements), C(elements);
  for (size_t i = 0; i < elements; ++i) {
    A[i] = (float)(i % 7) - 3;
    B[i] = (float)(i % 5) - 2;
  }
  float *dA, *dB, *dC;
  CHECK(cudaMalloc(&dA, bytes));
  CHECK(cudaMalloc(&dB, bytes));
  CHECK(cudaMalloc(&dC, bytes));
  CHECK(cudaMemcpy(dA, A.data(), bytes, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(dB, B.data(), bytes, cudaMemcpyHostToDevice));
  int block = 256;
  matmul<<<(unsigned)((elements + block - 1) / block), block>>>(dA, dB, dC, n);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(C.data(), dC, bytes, cudaMemcpyDeviceToHost));

  // Entries are small integers: float sums are exact up to 2^24 / 6. Check a
  // sample of rows, which includes the first and the last.
  double sum = 0;
  int wrong = 0;
  for (float c : C)
    sum += c;
  int step = n > 64 ? n / 64 : 1;
  for (int row = 0; row < n;
       row = row == n - 1 ? n : (row + step < n ? row + step : n - 1))
    for (int column = 0; column < n; ++column) {
      float expected = 0;
      for (int k = 0; k < n; ++k)
        expected += A[(size_t)row * n + k] * B[(size_t)k * n + column];
      wrong += C[(size_t)row * n + column] != expected;
    }
  printf("matmul: n %d, checksum %.17g, wrong %d\n", n, sum, wrong);
  puts(wrong ? "FAIL" : "PASS");
  CHECK(cudaFree(dA));
  CHECK(cudaFree(dB));
  CHECK(cudaFree(dC));
  return wrong != 0;
}
