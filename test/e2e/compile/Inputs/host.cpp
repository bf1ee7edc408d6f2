#include <cstdio>
#include <cuda_runtime.h>

float first();
int second();
int ownOfFirst();
int ownOfSecond();

int main() {
  int host = 7, back = 0, *device = nullptr;
  cudaMalloc(&device, sizeof(int));
  cudaMemcpy(device, &host, sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpy(&back, device, sizeof(int), cudaMemcpyDeviceToHost);
  printf("first %g second %d own %d own %d host %d\n", first(), second(),
         ownOfFirst(), ownOfSecond(), back);
}
