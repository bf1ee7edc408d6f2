// GRIDSPAN_CHECK=1 checks every access: outside of allocations and of shared
// memory, in freed memory, in memory of the host, and not aligned. A thread ends
// at its first wrong access, others go on; the program ends with status 1.
//
// RUN: %gridspan++ -O2 -g %s -o %t
// RUN: env GRIDSPAN_CHECK=1 %t right 2>&1 | FileCheck --check-prefix RIGHT %s
// RUN: env GRIDSPAN_CHECK=1 GRIDSPAN_DEVICES=cpu:2 GRIDSPAN_SCHEDULE=static %t right 2>&1 | FileCheck --check-prefix RIGHT %s
// RUN: not env GRIDSPAN_CHECK=1 %t before 2>&1 | FileCheck --check-prefixes BEFORE,ILLEGAL %s
// RUN: not env GRIDSPAN_CHECK=1 %t beyond > %t.out 2>&1
// RUN: FileCheck --check-prefixes BEYOND,ILLEGAL < %t.out %s
// RUN: not env GRIDSPAN_CHECK=1 %t freed 2>&1 | FileCheck --check-prefixes FREED,ILLEGAL %s
// RUN: not env GRIDSPAN_CHECK=1 %t host 2>&1 | FileCheck --check-prefixes HOST,ILLEGAL %s
// RUN: not env GRIDSPAN_CHECK=1 %t shared 2>&1 | FileCheck --check-prefixes SHARED,ILLEGAL %s
// RUN: not env GRIDSPAN_CHECK=1 %t misaligned 2>&1 | FileCheck --check-prefix MISALIGNED %s
// RUN: env GRIDSPAN_CHECK=uninitialized %t right 2>&1 | FileCheck --check-prefix RIGHT %s
// RUN: env GRIDSPAN_CHECK=1 %t unwritten 2>&1 | FileCheck --check-prefix UNASKED %s
// RUN: not env GRIDSPAN_CHECK=uninitialized %t unwritten 2>&1 | FileCheck --check-prefix UNWRITTEN %s
//
// RIGHT-NOT: gridspan: {{[^c]}}
// RIGHT: result 1
// RIGHT: gridspan: checked {{[0-9]+}} launches: 0 wrong accesses
// BEFORE: gridspan: copy(float*, float const*, int): thread (0, 0, 0) of block (0, 0, 0) reads 4 bytes at {{.*}}: 4 bytes before an allocation of 4000000 bytes at
// BEYOND: gridspan: copy(float*, float const*, int): thread (36, 0, 0) of block (1, 0, 0) reads 4 bytes at {{.*}} ({{.*}}check.cu:[[@LINE+27]]:{{.*}}): 0 bytes behind the end of an allocation of 400 bytes
// BEYOND-NOT: thread (37
// FREED: byte {{[0-9]+}} of an allocation of 400 bytes at {{.*}} that was freed
// HOST: memory of the host that is neither managed nor registered
// SHARED: gridspan: reverse(int*, int): thread (0, 0, 0) of block (0, 0, 0) {{.*}} ({{.*}}check.cu:{{.*}}): byte 260 of the block's 256 bytes of shared memory
// MISALIGNED: gridspan: pair(char*): thread (0, 0, 0) of block (0, 0, 0) {{.*}} not aligned to 8 bytes
// MISALIGNED: cudaErrorMisalignedAddress
// UNASKED: checked 1 launch: 0 wrong accesses
// UNWRITTEN: gridspan: half(int*): thread (0, 0, 0) of block (0, 0, 0) reads 4 bytes at {{.*}} ({{.*}}check.cu:{{.*}}): shared memory that no thread of the block has written
// UNWRITTEN: cudaSuccess
// UNWRITTEN: checked 1 launch: 32 wrong accesses
// ILLEGAL: cudaErrorIllegalAddress
// ILLEGAL: gridspan: checked {{.*}} wrong access

#include <cstdio>
#include <cstring>
#include <vector>

__constant__ float Factors[4] = {1, 1, 1, 1};
__device__ float Offsets[4];
__managed__ int Count;

__global__ void copy(float *out, const float *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float more[8] = {0, 0, 0, 0, 0, 0, 0, 0};
  if (i < n)
    out[i < 100 ? i : 0] =
        in[i] * Factors[i % 4] + Offsets[i % 4] + more[i % 8];
  if (i == 0)
    Count++;
}

__global__ void reverse(int *out, int lane) {
  __shared__ int s[64];
  s[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = s[lane - threadIdx.x];
}

__global__ void pair(char *p) { *(double *)(p + 4) = 1; }

// Half of the block gives nothing to what all read.
__global__ void half(int *out) {
  __shared__ int s[64];
  if (threadIdx.x < 32)
    s[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = s[63 - threadIdx.x];
}

struct alignas(32) Wide {
  int word;
};
// A GPU reads 4 bytes where they are aligned to 4.
__global__ void overlaid(int *out, int at) {
  __shared__ __align__(16) char storage[48];
  Wide *wide = (Wide *)(storage + at);
  wide->word = *out;
  __syncthreads();
  *out += wide->word;
}

__global__ void heap(int *out) {
  int *p = (int *)malloc(64);
  p[threadIdx.x] = 5;
  out[threadIdx.x] = p[threadIdx.x];
  free(p);
}

int main(int argc, char **argv) {
  const char *what = argv[1];
  float *in, *out;
  int *numbers;
  std::vector<float> ones(100, 1), result(100);
  cudaMalloc(&in, 400);
  cudaMalloc(&out, 400);
  cudaMallocManaged(&numbers, 400);
  cudaMemcpy(in, ones.data(), 400, cudaMemcpyHostToDevice);
  if (!strcmp(what, "right")) {
    copy<<<2, 64>>>(out, in, 100);
    reverse<<<1, 64>>>(numbers, 63);
    heap<<<1, 8>>>(numbers);
    overlaid<<<1, 1>>>(numbers, 16);
    float *pinned;
    cudaMallocHost(&pinned, 400);
    copy<<<2, 64>>>(pinned, in, 100);
  } else if (!strcmp(what, "beyond"))
    copy<<<2, 64>>>(out, in, 120);
  else if (!strcmp(what, "before")) {
    // Large memory has pages of its own.
    float *large;
    cudaMalloc(&large, 4000000);
    copy<<<1, 1>>>(out, large - 1, 1);
  } else if (!strcmp(what, "freed")) {
    cudaFree(in);
    copy<<<2, 64>>>(out, in, 100);
  } else if (!strcmp(what, "host"))
    copy<<<2, 64>>>(out, ones.data(), 100);
  else if (!strcmp(what, "unwritten"))
    half<<<1, 64>>>(numbers);
  else if (!strcmp(what, "shared"))
    reverse<<<1, 64>>>(numbers, 65);
  else if (!strcmp(what, "misaligned"))
    pair<<<1, 1>>>((char *)in);
  cudaError_t error = cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorName(error));
  cudaMemcpy(result.data(), out, 400, cudaMemcpyDeviceToHost);
  printf("result %g\n", result[99]);
}
