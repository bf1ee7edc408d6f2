#include "kernels.h"
#include "material.h"

static __global__ void diffuse(const float *Before, float *After, int N) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I >= N)
    return;
  float Here = Before[I];
  float Left = I > 0 ? Before[I - 1] : Here;
  float Right = I + 1 < N ? Before[I + 1] : Here;
  After[I] = Here + flow(Left, Here) - flow(Here, Right);
}

static __global__ void melt(const float *Cells, int N, float Limit) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < N && Cells[I] > Limit)
    atomicAdd(&Melted, 1ULL);
}

static int blocks(int N) { return (N + 255) / 256; }

void setConductivity(float Value) {
  cudaMemcpyToSymbol(Conductivity, &Value, sizeof(Value));
}

void step(const float *Before, float *After, int N) {
  diffuse<<<blocks(N), 256>>>(Before, After, N);
}

unsigned long long countMelted(const float *Cells, int N, float Limit) {
  melt<<<blocks(N), 256>>>(Cells, N, Limit);
  unsigned long long Count = 0;
  cudaMemcpyFromSymbol(&Count, Melted, sizeof(Count));
  return Count;
}
