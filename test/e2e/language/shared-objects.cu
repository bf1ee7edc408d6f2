// Shared variables of types with constructors are shared, and are not
// constructed.
// RUN: split-file %s %t
// RUN: %gridspan++ -O2 %t/objects.cu -o %t.objects
// RUN: env GRIDSPAN_DEVICES=cpu %t.objects | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:3 GRIDSPAN_SCHEDULE=static %t.objects \
// RUN:   | FileCheck %s
// RUN: %gridspan++ -O0 %t/objects.cu -o %t.unoptimized
// RUN: env GRIDSPAN_DEVICES=cpu %t.unoptimized | FileCheck %s
// RUN: %gridspan++ -rdc=true -O2 %t/objects.cu -o %t.rdc
// RUN: env GRIDSPAN_DEVICES=cpu %t.rdc | FileCheck %s
// CHECK: members 0 wrong
// CHECK: templates 0 wrong
// CHECK: scopes 0 wrong

// What libcu++ has of them compiles.
// RUN: %gridspan++ -arch=sm_90 -ptx %t/barrier.cu -o - \
// RUN:   | FileCheck --check-prefix=BARRIER %s
// RUN: %gridspan++ -arch=sm_90 -c %t/barrier.cu -o %t.o
// BARRIER: .shared .align 8 .b8 {{.*}}Arrived{{.*}}[8];

// A copy of the variable would be another one.
// RUN: not %gridspan++ -arch=sm_90 -c %t/copied.cu -o %t.o 2>&1 \
// RUN:   | FileCheck --check-prefix=COPIED %s
// COPIED: copied.cu:6:25: error: gridspan: a lambda captures the __shared__ variable 'Shared' by copy; capture it by reference

//--- objects.cu
#include <cstdio>

struct Defaults {
  int A = 3;
  float B = 1.5f;
};
struct Constructed {
  int A;
  __device__ Constructed() : A(7) {}
  __device__ ~Constructed() { A = 8; }
};
template <typename T> struct Complex {
  T Re, Im;
  __host__ __device__ Complex(T Re = 0, T Im = 0) : Re(Re), Im(Im) {}
};

constexpr int N = 64, Blocks = 6;

__global__ void members(int *Out) {
  __shared__ Defaults D;
  static __shared__ Constructed C[2];
  if (threadIdx.x == 0) {
    D.A = blockIdx.x;
    D.B = 2;
    C[0].A = 10;
    C[1].A = 100;
  }
  __syncthreads();
  Out[blockIdx.x * N + threadIdx.x] = D.A + int(D.B) + C[0].A + C[1].A;
}

template <typename T, int Size> __global__ void reversed(T *Out) {
  __shared__ Complex<T> S[Size];
  __shared__ T Plain[Size];
  auto Sum = [&](int I) { return S[I].Re + S[I].Im + Plain[I]; };
  S[threadIdx.x] = Complex<T>(threadIdx.x, blockIdx.x);
  Plain[threadIdx.x] = 10;
  __syncthreads();
  Out[blockIdx.x * Size + threadIdx.x] = Sum(Size - 1 - threadIdx.x);
}

// One name in two scopes.
__device__ int next(int V) {
  {
    __shared__ Defaults D;
    if (threadIdx.x == 0)
      D.A = V + 1;
    __syncthreads();
    V = D.A;
  }
  {
    __shared__ Defaults D;
    if (threadIdx.x == 1)
      D.A = 2 * V;
    __syncthreads();
    return D.A;
  }
}

__global__ void scopes(int *Out) {
  Out[blockIdx.x * N + threadIdx.x] = next(blockIdx.x);
}

template <typename T, typename Fn>
static int wrong(const T *Out, Fn &&Expected) {
  int Wrong = cudaDeviceSynchronize() != cudaSuccess;
  for (int I = 0; I < N * Blocks; ++I)
    Wrong += Out[I] != Expected(I / N, I % N);
  return Wrong;
}

int main() {
  int *Out;
  float *Floats;
  cudaMallocManaged(&Out, N * Blocks * sizeof(int));
  cudaMallocManaged(&Floats, N * Blocks * sizeof(float));
  members<<<Blocks, N>>>(Out);
  printf("members %d wrong\n",
         wrong(Out, [](int Block, int) { return Block + 112; }));
  reversed<float, N><<<Blocks, N>>>(Floats);
  printf("templates %d wrong\n", wrong(Floats, [](int Block, int Thread) {
           return N - 1 - Thread + Block + 10.0f;
         }));
  scopes<<<Blocks, N>>>(Out);
  printf("scopes %d wrong\n",
         wrong(Out, [](int Block, int) { return 2 * (Block + 1); }));
}

//--- barrier.cu
#include <cuda/barrier>
#include <cuda/std/complex>
__global__ void wait(float *Out) {
  __shared__ cuda::barrier<cuda::thread_scope_block> Arrived;
  __shared__ cuda::std::complex<float> Values[32];
  if (threadIdx.x == 0)
    init(&Arrived, blockDim.x);
  __syncthreads();
  Values[threadIdx.x] = {float(threadIdx.x), 1};
  Arrived.arrive_and_wait();
  Out[threadIdx.x] = Values[31 - threadIdx.x].real();
}

//--- copied.cu
struct Defaults {
  int A = 3;
};
__global__ void copied(int *Out) {
  __shared__ Defaults Shared;
  auto F = [=] { return Shared.A; };
  Out[0] = F();
}
