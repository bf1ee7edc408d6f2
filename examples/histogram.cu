// Histogram of bytes: each block counts in shared memory, then adds its counts
// to the result with global atomics.
//
// Usage: histogram [bytes]

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

constexpr int Bins = 256;
constexpr int PerThread = 16;

__global__ void histogram(const unsigned char *data, size_t n,
                          unsigned *counts) {
  __shared__ unsigned local[Bins];
  for (int b = threadIdx.x; b < Bins; b += blockDim.x)
    local[b] = 0;
  __syncthreads();
  size_t first = (size_t)blockIdx.x * blockDim.x * PerThread + threadIdx.x;
  for (int k = 0; k < PerThread; ++k) {
    size_t i = first + (size_t)k * blockDim.x;
    if (i < n)
      atomicAdd(&local[data[i]], 1u);
  }
  __syncthreads();
  for (int b = threadIdx.x; b < Bins; b += blockDim.x)
    if (local[b])
      atomicAdd(&counts[b], local[b]);
}

int main(int argc, char **argv) {
  size_t n = argc > 1 ? strtoull(argv[1], nullptr, 10) : (size_t)1 << 22;
  std::vector<unsigned char> data(n);
  std::vector<unsigned> expected(Bins), counts(Bins);
  unsigned state = 12345;
  for (size_t i = 0; i < n; ++i) {
    state = state * 1664525u + 1013904223u;
    data[i] = (unsigned char)(state >> 24 & (state >> 16));
    ++expected[data[i]];
  }
  unsigned char *ddata;
  unsigned *dcounts;
  CHECK(cudaMalloc(&ddata, n));
  CHECK(cudaMalloc(&dcounts, Bins * sizeof(unsigned)));
  CHECK(cudaMemcpy(ddata, data.data(), n, cudaMemcpyHostToDevice));
  CHECK(cudaMemset(dcounts, 0, Bins * sizeof(unsigned)));
  int block = 256;
  size_t perBlock = (size_t)block * PerThread;
  histogram<<<(unsigned)((n + perBlock - 1) / perBlock), block>>>(ddata, n,
                                                                  dcounts);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(counts.data(), dcounts, Bins * sizeof(unsigned),
                   cudaMemcpyDeviceToHost));
  int wrong = 0;
  unsigned long long sum = 0;
  for (int b = 0; b < Bins; ++b) {
    wrong += counts[b] != expected[b];
    sum += (unsigned long long)counts[b] * (b + 1);
  }
  printf("histogram: n %zu, checksum %llu, wrong %d\n", n, sum, wrong);
  puts(wrong ? "FAIL" : "PASS");
  CHECK(cudaFree(ddata));
  CHECK(cudaFree(dcounts));
  return wrong != 0;
}
