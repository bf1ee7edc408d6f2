// RUN: %gridspan++ -fno-gridspan -fsyntax-only %s

#include <cub/block/block_reduce.cuh>
#include <cuda/atomic>
#include <cuda/std/array>
#include <cuda/std/complex>
#include <thrust/device_vector.h>
#include <thrust/for_each.h>

__global__ void kernel(int *p) {
  using Reduce = cub::BlockReduce<int, 128>;
  __shared__ typename Reduce::TempStorage storage;
  int sum = Reduce(storage).Sum(p[threadIdx.x]);
  cuda::std::array<int, 4> a{1, 2, 3, 4};
  cuda::std::complex<float> c(1, 2);
  cuda::atomic_ref<int, cuda::thread_scope_device> counter(p[1]);
  counter.fetch_add(1);
  p[0] = a[1] + int(c.real()) + sum;
}
void onDevice() {
  thrust::device_vector<int> v(10);
  int k = 2;
  thrust::for_each(v.begin(), v.end(), [=] __device__(int &x) { x += k; });
}
