__global__ void doubled(int *P, int N) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < N)
    P[I] *= 2;
}

void twice(int *P, int N) { doubled<<<(N + 255) / 256, 256>>>(P, N); }
