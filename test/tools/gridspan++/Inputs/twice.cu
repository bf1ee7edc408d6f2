// Prints 2 4 6.
#include <cstdio>

__global__ void twice(int *A) { A[blockIdx.x * blockDim.x + threadIdx.x] *= 2; }

int main() {
  int Host[3] = {1, 2, 3}, *A;
  if (cudaMalloc(&A, sizeof(Host)) ||
      cudaMemcpy(A, Host, sizeof(Host), cudaMemcpyDefault))
    return 1;
  twice<<<3, 1>>>(A);
  if (cudaMemcpy(Host, A, sizeof(Host), cudaMemcpyDefault))
    return 2;
  std::printf("%d %d %d\n", Host[0], Host[1], Host[2]);
}
