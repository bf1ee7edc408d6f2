#include "twice.cuh"

static __global__ void own(int *data, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    data[i] = 3;
}

float first() { return runTwice(1.0f); }
int ownOfFirst() { return runOwn(own); }
