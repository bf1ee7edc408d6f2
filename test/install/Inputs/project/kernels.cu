__global__ void twice(int *data, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    data[i] *= 2;
}

void launchTwice(int *data, int n) { twice<<<(n + 63) / 64, 64>>>(data, n); }
