// Thrust and CUB on buffers that split kernels write and read.
//
// RUN: %gridspan++ -O2 -w %s -o %t
// RUN: %compare --devices 1,3 --split fill --split scale --no-peers scale=split \
// RUN:   %t | FileCheck %s
// CHECK: PASS

#include "../Inputs/check.h"
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <thrust/device_ptr.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/reduce.h>
#include <thrust/transform.h>

__global__ void fill(int *data, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    data[i] = i % 1000;
}

__global__ void scale(int *out, const int *in, int n, int factor) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = factor * in[i];
}

struct AddOne {
  __host__ __device__ int operator()(int x) const { return x + 1; }
};

int main() {
  const int n = 300007, grid = (n + 255) / 256;
  long long sum = 0;
  for (int i = 0; i < n; ++i)
    sum += i % 1000;

  int *a, *b;
  CHECK(cudaMalloc(&a, n * sizeof(int)));
  CHECK(cudaMalloc(&b, n * sizeof(int)));
  cudaStream_t s;
  CHECK(cudaStreamCreate(&s));
  thrust::device_vector<int> v(n);
  int *raw = thrust::raw_pointer_cast(v.data());
  auto first = thrust::device_pointer_cast(b);

  for (int round = 1; round <= 3; ++round) {
    // A split launch, Thrust on what it wrote, a split launch on that.
    fill<<<grid, 256, 0, s>>>(a, n);
    scale<<<grid, 256, 0, s>>>(b, a, n, round);
    thrust::transform(thrust::cuda::par.on(s), first, first + n, v.begin(),
                      AddOne());
    scale<<<grid, 256, 0, s>>>(a, raw, n, 2);
    auto second = thrust::device_pointer_cast(a);
    long long total =
        thrust::reduce(thrust::cuda::par.on(s), second, second + n, 0LL);
    EXPECT(total == 2 * (round * sum + n));

    // CUB with memory of its own, in the default stream.
    int *result;
    CHECK(cudaMalloc(&result, sizeof(int)));
    size_t bytes = 0;
    CHECK(cub::DeviceReduce::Sum(nullptr, bytes, b, result, n));
    void *scratch;
    CHECK(cudaMalloc(&scratch, bytes));
    CHECK(cub::DeviceReduce::Sum(scratch, bytes, b, result, n));
    int got = 0;
    toHost(&got, result, 1);
    EXPECT(got == static_cast<int>(round * sum));
    CHECK(cudaFree(scratch));
    CHECK(cudaFree(result));
  }

  // A prefix sum, then a split launch.
  size_t bytes = 0;
  CHECK(cub::DeviceScan::InclusiveSum(nullptr, bytes, v.data(), v.data(), n));
  thrust::device_vector<char> scratch(bytes);
  thrust::fill(v.begin(), v.end(), 1);
  CHECK(cub::DeviceScan::InclusiveSum(thrust::raw_pointer_cast(scratch.data()),
                                      bytes, raw, a, n));
  scale<<<grid, 256>>>(b, a, n, 3);
  std::vector<int> host(n);
  toHost(host.data(), b, n);
  int wrong = 0;
  for (int i = 0; i < n; ++i)
    wrong += host[i] != 3 * (i + 1);
  EXPECT(wrong == 0);
  CHECK(cudaStreamDestroy(s));
  CHECK(cudaDeviceSynchronize());
  return finish();
}
