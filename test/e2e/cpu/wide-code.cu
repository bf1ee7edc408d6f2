// Kernels that calculate with floating point have code for processors with AVX2
// and FMA besides that for the program's own, and for those with AVX-512 if that
// is wanted. All give the same results, to the last bit, also where a product
// and a sum could be contracted.
// RUN: %gridspan++ -O2 -mllvm -gridspan-cpu-avx512 %s -o %t
// RUN: env GRIDSPAN_DEVICES=cpu %t > %t.chosen
// RUN: env GRIDSPAN_DEVICES=cpu GRIDSPAN_CPU_WIDE=0 %t > %t.base
// RUN: env GRIDSPAN_DEVICES=cpu GRIDSPAN_CPU_WIDE=avx2 %t > %t.avx2
// RUN: env GRIDSPAN_DEVICES=cpu GRIDSPAN_CPU_WIDE=avx512 %t > %t.avx512
// RUN: cmp %t.chosen %t.base
// RUN: cmp %t.avx2 %t.base
// RUN: cmp %t.avx512 %t.base
// RUN: FileCheck %s < %t.base
// RUN: llvm-nm %t | FileCheck --check-prefix=CODE %s
// RUN: not env GRIDSPAN_CPU_WIDE=avx1024 %t 2>&1 | FileCheck --check-prefix BAD %s
// BAD: gridspan: GRIDSPAN_CPU_WIDE=avx1024: expected 0, 1, avx2 or avx512
//
// What is built for such processors has one code, and so have kernels that
// would not be faster.
// RUN: %gridspan++ -O2 -Xcompiler -march=haswell %s -o %t.haswell
// RUN: llvm-nm %t.haswell | FileCheck --check-prefix=ONE %s
//
// CHECK: contracted: 0 wrong
// CHECK: 4 sums
//
// CODE-NOT: counts{{.*}}.avx
// CODE-DAG: t __gridspan_cpu.run.{{.*}}products{{.*}}.avx2
// CODE-DAG: t __gridspan_cpu.run.{{.*}}waves{{.*}}.avx2
// CODE-DAG: t __gridspan_cpu.run.{{.*}}reduced{{.*}}.avx2
// CODE-DAG: t __gridspan_cpu.{{.*}}steep{{.*}}.avx2
// CODE-DAG: t __gridspan_cpu.run.{{.*}}products{{.*}}.avx512
// CODE-DAG: t __gridspan_cpu.{{.*}}steep{{.*}}.avx512
// ONE-NOT: .avx2
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <random>

constexpr int N = 1 << 14, Block = 128;

__global__ void products(const float *A, const float *B, const float *C,
                         float *Out) {
  const int I = blockIdx.x * blockDim.x + threadIdx.x;
  Out[I] = A[I] * B[I] + C[I];
}

__noinline__ __device__ double steep(double X) {
  return fma(X, 0.3 * X, 1.5) / (1 + X * X);
}

__global__ void waves(const float *A, const float *B, double *Out) {
  const int I = blockIdx.x * blockDim.x + threadIdx.x;
  Out[I] = exp(-0.5 * double(A[I]) * A[I]) * cos(7.0 * B[I]) +
           fma(double(A[I]), double(B[I]), 1e-9) + steep(B[I]);
}

__global__ void reduced(const float *A, float *Out) {
  __shared__ float Part[Block];
  const int I = blockIdx.x * Block + threadIdx.x;
  Part[threadIdx.x] = A[I] * A[I];
  __syncthreads();
  for (int Half = Block / 2; Half; Half /= 2) {
    if (threadIdx.x < Half)
      Part[threadIdx.x] += 0.75f * Part[threadIdx.x + Half];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    Out[blockIdx.x] = Part[0];
}

__global__ void counts(uint32_t *Out) {
  Out[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x * 2654435761u;
}

template <typename T> static T *managed(int Count) {
  void *P = nullptr;
  cudaMallocManaged(&P, Count * sizeof(T));
  return static_cast<T *>(P);
}

template <typename T> static void printSum(const T *Values, int Count) {
  uint64_t Sum = 0;
  for (int I = 0; I < Count; ++I) {
    uint64_t Bits = 0;
    memcpy(&Bits, &Values[I], sizeof(T));
    Sum = Sum * 1099511628211u + Bits;
  }
  printf("%016llx\n", static_cast<unsigned long long>(Sum));
}

int main() {
  std::mt19937 Random(3);
  std::uniform_real_distribution<float> Any(-2, 2);
  float *A = managed<float>(N), *B = managed<float>(N), *C = managed<float>(N);
  float *Sums = managed<float>(N), *Blocks = managed<float>(N / Block);
  double *Waves = managed<double>(N);
  uint32_t *Counts = managed<uint32_t>(N);
  for (int I = 0; I < N; ++I)
    A[I] = Any(Random), B[I] = Any(Random), C[I] = Any(Random);
  products<<<N / Block, Block>>>(A, B, C, Sums);
  waves<<<N / Block, Block>>>(A, B, Waves);
  reduced<<<N / Block, Block>>>(A, Blocks);
  counts<<<N / Block, Block>>>(Counts);
  int Wrong = cudaDeviceSynchronize() != cudaSuccess;
  for (int I = 0; I < N; ++I) {
    volatile float Product = A[I] * B[I];
    Wrong += Sums[I] != Product + C[I];
  }
  printf("contracted: %d wrong\n", Wrong);
  printSum(Sums, N);
  printSum(Waves, N);
  printSum(Blocks, N / Block);
  printSum(Counts, N);
  printf("4 sums\n");
}
