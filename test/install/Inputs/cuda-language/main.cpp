#include <cstdio>
#include <cuda_runtime.h>
#include <vector>

void twice(int *P, int N);

int main() {
  const int N = 1 << 20;
  std::vector<int> H(N, 21);
  int *P = nullptr;
  cudaMalloc(reinterpret_cast<void **>(&P), N * sizeof(int));
  cudaMemcpy(P, H.data(), N * sizeof(int), cudaMemcpyHostToDevice);
  twice(P, N);
  cudaMemcpy(H.data(), P, N * sizeof(int), cudaMemcpyDeviceToHost);
  int Wrong = 0;
  for (int Value : H)
    Wrong += Value != 42;
  std::printf("wrong %d\n", Wrong);
  return cudaGetLastError();
}
