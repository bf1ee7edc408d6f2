// A template kernel that several translation units instantiate.
#pragma once
template <class T> __global__ void scale(int n, T a, T *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    x[i] *= a;
}
