#include <cstdio>
#include <cuda_runtime.h>
#include <gridspan/ABI.h>

void launchTwice(int *data, int n);

int main() {
  const int n = 1001;
  static int data[n];
  for (int i = 0; i < n; ++i)
    data[i] = i;
  int *device = nullptr;
  cudaMalloc(&device, sizeof(data));
  cudaMemcpy(device, data, sizeof(data), cudaMemcpyHostToDevice);
  launchTwice(device, n);
  cudaError_t error =
      cudaMemcpy(data, device, sizeof(data), cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (int i = 0; i < n; ++i)
    wrong += data[i] != 2 * i;
  cudaFree(device);
  printf("%s, wrong %d\n", cudaGetErrorName(error), wrong);
  return wrong != 0;
}
