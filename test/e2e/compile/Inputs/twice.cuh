#pragma once
#include <cuda_runtime.h>

template <class T> __global__ void twice(T *data, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    data[i] = data[i] * 2;
}

template <class T> T runTwice(T value) {
  const int n = 20011;
  T *host = new T[n], *device = nullptr;
  for (int i = 0; i < n; ++i)
    host[i] = value;
  cudaMalloc(&device, n * sizeof(T));
  cudaMemcpy(device, host, n * sizeof(T), cudaMemcpyHostToDevice);
  twice<<<(n + 255) / 256, 256>>>(device, n);
  cudaMemcpy(host, device, n * sizeof(T), cudaMemcpyDeviceToHost);
  T result = host[n - 1];
  for (int i = 0; i < n; ++i)
    if (host[i] != result)
      result = -1;
  cudaFree(device);
  delete[] host;
  return result;
}

template <class Kernel> int runOwn(Kernel kernel) {
  const int n = 3000;
  int host[n], *device = nullptr;
  cudaMalloc(&device, sizeof(host));
  kernel<<<(n + 99) / 100, 100>>>(device, n);
  cudaMemcpy(host, device, sizeof(host), cudaMemcpyDeviceToHost);
  cudaFree(device);
  return host[n - 1];
}
