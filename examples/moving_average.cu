// Simple moving average of a series, in three versions: plain, with
// __restrict__ arguments, and with the window staged in shared memory.
//
// Usage: moving_average [elements] [window]

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(Call)                                                            \
  do {                                                                         \
    cudaError_t Error = (Call);                                                \
    if (Error != cudaSuccess) {                                                \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__,                       \
              cudaGetErrorString(Error));                                      \
      exit(1);                                                                 \
    }                                                                          \
  } while (0)

// out[i] is the mean of in[i .. i + window - 1]; there are n - window + 1.
__global__ void averagePlain(int n, int window, const float *in, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > n - window)
    return;
  float sum = 0;
  for (int j = 0; j < window; ++j)
    sum += in[i + j];
  out[i] = sum / window;
}

__global__ void averageRestrict(int n, int window, const float *__restrict__ in,
                                float *__restrict__ out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > n - window)
    return;
  float sum = 0;
  for (int j = 0; j < window; ++j)
    sum += in[i + j];
  out[i] = sum / window;
}

__global__ void averageShared(int n, int window, const float *in, float *out) {
  extern __shared__ float stage[];
  int first = blockIdx.x * blockDim.x;
  for (int k = threadIdx.x; k < (int)blockDim.x + window - 1; k += blockDim.x)
    stage[k] = first + k < n ? in[first + k] : 0.0f;
  __syncthreads();
  int i = first + threadIdx.x;
  if (i > n - window)
    return;
  float sum = 0;
  for (int j = 0; j < window; ++j)
    sum += stage[threadIdx.x + j];
  out[i] = sum / window;
}

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 1 << 20;
  int window = argc > 2 ? atoi(argv[2]) : 31;
  if (window < 1 || window > n || window > 4096) {
    fprintf(stderr, "moving_average: the window must be in 1..min(n, 4096)\n");
    return 2;
  }

  std::vector<float> in(n);
  for (int i = 0; i < n; ++i)
    in[i] = (float)((i * 7) % 101);
  float *din, *dout;
  CHECK(cudaMalloc(&din, sizeof(float) * n));
  CHECK(cudaMalloc(&dout, sizeof(float) * n));
  CHECK(cudaMemcpy(din, in.data(), sizeof(float) * n, cudaMemcpyHostToDevice));

  const int block = 256;
  int count = n - window + 1;
  int grid = (count + block - 1) / block;
  size_t shared = sizeof(float) * (block + window - 1);
  const char *names[] = {"plain", "restrict", "shared"};
  int failures = 0;
  for (int version = 0; version < 3; ++version) {
    CHECK(cudaMemset(dout, 0xff, sizeof(float) * n));
    if (version == 0)
      averagePlain<<<grid, block>>>(n, window, din, dout);
    else if (version == 1)
      averageRestrict<<<grid, block>>>(n, window, din, dout);
    else
      averageShared<<<grid, block, shared>>>(n, window, din, dout);
    CHECK(cudaGetLastError());
    std::vector<float> out(count);
    CHECK(cudaMemcpy(out.data(), dout, sizeof(float) * count,
                     cudaMemcpyDeviceToHost));

    double running = 0, sum = 0;
    int wrong = 0;
    for (int j = 0; j < window - 1; ++j)
      running += in[j];
    for (int i = 0; i < count; ++i) {
      running += in[i + window - 1];
      wrong += std::fabs(out[i] - running / window) > 1e-4;
      running -= in[i];
      sum += out[i];
    }
    printf("moving_average %s: n %d, window %d, checksum %.17g, wrong %d\n",
           names[version], n, window, sum, wrong);
    failures += wrong != 0;
  }
  puts(failures ? "FAIL" : "PASS");
  CHECK(cudaFree(din));
  CHECK(cudaFree(dout));
  return failures != 0;
}
