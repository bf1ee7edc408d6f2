// Functions that nvcc lets programs use without an include.
//
// RUN: %gridspan++ -fno-gridspan -c %s -o %t.o

__constant__ float Coefficients[16];
__device__ int Counter;

template <class T>
__global__ void __launch_bounds__(256, 2)
    kernel(const T *__restrict__ a, T *b, int n) {
  extern __shared__ float dynamic[];
  __shared__ T fixed[32];
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  assert(i < n);
  dynamic[threadIdx.x] = __ldg(a + i);
  fixed[threadIdx.x % 32] = Coefficients[i % 16];
  __syncthreads();
  T v = __shfl_down_sync(0xffffffffu, fixed[0], 1);
  v += __popc(__ballot_sync(~0u, v > 0)) + __match_any_sync(~0u, i);
  v += __expf(v) + rsqrtf(v) + fmaf(v, v, v) + norm3df(v, v, v) + cospif(v);
  v += __clz(i) + __brev(i) + __byte_perm(i, i, 0x123) + __umulhi(i, i);
  v += __funnelshift_l(i, i, 3) + __reduce_add_sync(~0u, i) + __dp4a(i, i, i);
  double d =
      ldexp(double(v), 3) + fmod(double(v), 2.0) + std::abs(v) + pow(v, 2);
  b[i] = d + isnan(v) + atomicAdd(&Counter, 1);
  if (i == 0)
    printf("%d %f\n", i, double(v));
}

int main() {
  dim3 grid{1, 1, 1}, block = {32};
  float *a = nullptr, y = sqrtf(2.f);
  cudaMalloc(&a, 128);
  kernel<float><<<grid, block, 128>>>(a, a, 32);
  char text[8];
  memset(text, 0, sizeof(text));
  strcpy(text, "x");
  cudaMemcpyToSymbol(Coefficients, &y, sizeof(y));
  int blocks, threads;
  cudaOccupancyMaxPotentialBlockSize(&blocks, &threads, kernel<float>);
  printf("%s %ld\n", text, long(time(nullptr)));
  return abs(blocks) > 1000000;
}
