// cuBLAS on buffers that split kernels write and read.
//
// REQUIRES: gpu
// RUN: %gridspan++ -O2 %s -lcublas -o %t
// RUN: %t | FileCheck %s
// RUN: env GRIDSPAN_SCHEDULE=static %t | FileCheck %s
// CHECK: PASS

#include "../Inputs/check.h"
#include <cublas_v2.h>
#include <vector>

#define CHECK_BLAS(Call)                                                       \
  do {                                                                         \
    cublasStatus_t Status = (Call);                                            \
    if (Status != CUBLAS_STATUS_SUCCESS) {                                     \
      printf("%s:%d: %s: status %d\n", __FILE__, __LINE__, #Call, Status);     \
      exit(1);                                                                 \
    }                                                                          \
  } while (0)

__global__ void init(float *m, int n, int add) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < n && y < n)
    m[y * n + x] = (x + 3 * y + add) % 7 - 3;
}

__global__ void axpy(float *out, const float *a, const float *b, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    out[i] = a[i] + 2 * b[i];
}

static float entry(int x, int y, int add) { return (x + 3 * y + add) % 7 - 3; }

int main() {
  const int n = 2048;
  const size_t bytes = sizeof(float) * n * n;
  float *a, *b, *c, *d;
  for (float **m : {&a, &b, &c, &d})
    CHECK(cudaMalloc(m, bytes));
  cublasHandle_t handle;
  CHECK_BLAS(cublasCreate(&handle));
  cudaStream_t s;
  CHECK(cudaStreamCreate(&s));
  CHECK_BLAS(cublasSetStream(handle, s));
  const dim3 grid(n / 32, n / 8), block(32, 8);
  const float one = 1, zero = 0;
  std::vector<float> host(n * n);
  for (int round = 0; round < 4; ++round) {
    init<<<grid, block, 0, s>>>(a, n, round);
    init<<<grid, block, 0, s>>>(b, n, 2 * round);
    // Column-major: with rows as we see them, c = b * a. All values are small
    // whole numbers, so the sums are exact.
    CHECK_BLAS(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, a,
                           n, b, n, &zero, c, n));
    axpy<<<n * n / 256, 256, 0, s>>>(d, a, c, n * n);
    CHECK(cudaMemcpyAsync(host.data(), d, bytes, cudaMemcpyDeviceToHost, s));
    CHECK(cudaStreamSynchronize(s));
    int wrong = 0;
    for (int y = 0; y < n; y += 37)
      for (int x = 0; x < n; x += 41) {
        float sum = 0;
        for (int k = 0; k < n; ++k)
          sum += entry(k, y, 2 * round) * entry(x, k, round);
        wrong += host[y * n + x] != entry(x, y, round) + 2 * sum;
      }
    EXPECT(wrong == 0);
  }
  CHECK_BLAS(cublasDestroy(handle));
  return finish();
}
