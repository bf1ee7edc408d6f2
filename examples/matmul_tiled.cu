// Matrix product C = A * B through 16 x 16 tiles in shared memory.
// A is m x k, B is k x n, C is m x n, all in row-major order.
//
// Usage: matmul_tiled [m] [n] [k]

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

constexpr int Tile = 16;

__global__ void matmulTiled(const float *A, const float *B, float *C, int M,
                            int N, int K) {
  __shared__ float a[Tile][Tile];
  __shared__ float b[Tile][Tile];
  int row = blockIdx.y * Tile + threadIdx.y;
  int column = blockIdx.x * Tile + threadIdx.x;
  float sum = 0;
  for (int t = 0; t < K; t += Tile) {
    a[threadIdx.y][threadIdx.x] =
        row < M && t + threadIdx.x < K ? A[row * K + t + threadIdx.x] : 0.0f;
    b[threadIdx.y][threadIdx.x] = t + threadIdx.y < K && column < N
                                      ? B[(t + threadIdx.y) * N + column]
                                      : 0.0f;
    __syncthreads();
    for (int k = 0; k < Tile; ++k)
      sum += a[threadIdx.y][k] * b[k][threadIdx.x];
    __syncthreads();
  }
  if (row < M && column < N)
    C[row * N + column] = sum;
}

int main(int argc, char **argv) {
  int m = argc > 1 ? atoi(argv[1]) : 256;
  int n = argc > 2 ? atoi(argv[2]) : m;
  int k = argc > 3 ? atoi(argv[3]) : m;
  std::vector<float> A((size_t)m * k), B((size_t)k * n), C((size_t)m * n);
  for (size_t i = 0; i < A.size(); ++i)
    A[i] = (float)(i % 7) - 3;
  for (size_t i = 0; i < B.size(); ++i)
    B[i] = (float)(i % 5) - 2;
  float *dA, *dB, *dC;
  CHECK(cudaMalloc(&dA, A.size() * sizeof(float)));
  CHECK(cudaMalloc(&dB, B.size() * sizeof(float)));
  CHECK(cudaMalloc(&dC, C.size() * sizeof(float)));
  CHECK(cudaMemcpy(dA, A.data(), A.size() * sizeof(float),
                   cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(dB, B.data(), B.size() * sizeof(float),
                   cudaMemcpyHostToDevice));
  dim3 block(Tile, Tile), grid((n + Tile - 1) / Tile, (m + Tile - 1) / Tile);
  matmulTiled<<<grid, block>>>(dA, dB, dC, m, n, k);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(C.data(), dC, C.size() * sizeof(float),
                   cudaMemcpyDeviceToHost));

  double sum = 0;
  int wrong = 0;
  for (float c : C)
    sum += c;
  int step = m > 64 ? m / 64 : 1;
  for (int row = 0; row < m; row += step)
    for (int column = 0; column < n; ++column) {
      float expected = 0;
      for (int i = 0; i < k; ++i)
        expected += A[(size_t)row * k + i] * B[(size_t)i * n + column];
      wrong += C[(size_t)row * n + column] != expected;
    }
  printf("matmul_tiled: m %d, n %d, k %d, checksum %.17g, wrong %d\n", m, n, k,
         sum, wrong);
  puts(wrong ? "FAIL" : "PASS");
  CHECK(cudaFree(dA));
  CHECK(cudaFree(dB));
  CHECK(cudaFree(dC));
  return wrong != 0;
}
