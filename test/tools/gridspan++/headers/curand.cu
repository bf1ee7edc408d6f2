// RUN: %gridspan++ -fno-gridspan -fsyntax-only %s

#include <curand_kernel.h>

__global__ void kernel(float *p) {
  curandState state;
  curand_init(1234, threadIdx.x, 0, &state);
  curandStatePhilox4_32_10_t philox;
  curand_init(1, 2, 3, &philox);
  p[threadIdx.x] = curand_uniform(&state) + curand_normal(&state) +
                   curand_uniform4(&philox).x;
}
