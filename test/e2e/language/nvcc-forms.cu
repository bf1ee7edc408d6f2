// Source text that only nvcc takes, in the source and in a header of its own.
// RUN: split-file %s %t
// RUN: %gridspan++ -O2 -Wno-error %t/main.cu -o %t.out
// RUN: env GRIDSPAN_DEVICES=cpu:2 %t.out | FileCheck %s
// CHECK: 0 wrong

// Diagnostics are at their lines.
// RUN: not %gridspan++ -c -DWRONG %t/main.cu -o %t.o 2>&1 \
// RUN:   | FileCheck --check-prefix=LINE %s
// LINE: main.cu:22:3: error: use of undeclared identifier 'Unknown'

// What clang has errors for and nvcc warnings, and pragmas of nvcc.
// RUN: %gridspan++ -O2 -std=c++17 -Wno-error %t/lax.cu -o %t.lax 2>&1 \
// RUN:   | FileCheck --check-prefix=LAX %s
// LAX-DAG: warning: {{.*}}narrowed
// LAX-DAG: warning: invalid suffix on literal
// LAX-DAG: warning: gridspan: 'complain' is a host function
// RUN: env GRIDSPAN_DEVICES=cpu %t.lax | FileCheck --check-prefix=RUN-LAX %s
// RUN-LAX: bad 5
// RUN-LAX-NEXT: -1: 0 wrong
// RUN: %gridspan++ -O2 -std=c++17 -Wno-error -diag-suppress 20011,20014 \
// RUN:   -fsyntax-only %t/lax.cu 2>&1 | FileCheck --check-prefix=SILENT %s
// SILENT-NOT: gridspan:
// SILENT-NOT: 'complain'
// RUN: not %gridspan++ -O2 -std=c++17 -Wno-error -fsyntax-only %t/lax.cu \
// RUN:   -Werror cross-execution-space-call 2>&1 \
// RUN:   | FileCheck --check-prefix=CALL --implicit-check-not=strlen %s
// CALL: error: reference to __host__ function 'complain' in __host__ __device__ function
// RUN: %gridspan++ -Xcompiler -Wall,-Werror,-Wno-maybe-uninitialized \
// RUN:   --Werror cross-execution-space-call,reorder -c %t/pragmas.cu -o %t.o

// A program's own functions of the C library, where they are called as well.
// RUN: %gridspan++ -O2 -std=c++17 -fno-gridspan-pch -rdc=true %t/own.cu \
// RUN:   %t/length.cu -o %t.own
// RUN: env GRIDSPAN_DEVICES=cpu %t.own | FileCheck --check-prefix=OWN %s
// OWN: 103 101 4

// clang alone has errors.
// RUN: not %gridspan++ -fno-gridspan -c %t/main.cu -o %t.o

//--- main.cu
#include "lane.h"
#include <cstdint>
#include <cstdio>

template <int N> struct Offset {
  template <int M> __device__ static unsigned plus(unsigned X) {
    return X + N - M;
  }
};
template <int N> __device__ unsigned same(unsigned X) {
  return Offset<N>::plus<N>(X);
}

__global__ void lanes(unsigned *Out) {
  static __shared__ alignas(16) unsigned Lanes[64];
  Lanes[threadIdx.x] = lane();
  __syncthreads();
  unsigned Block;
  asm("mov.u32 %0, %ctaid.x;" : "=r"(Block));
  unsigned Misaligned = reinterpret_cast<uintptr_t>(Lanes) % 16 != 0;
#ifdef WRONG
  Unknown = 1;
#endif
  store(Out + blockIdx.x * 64 + threadIdx.x,
        same<3>(Lanes[63 - threadIdx.x]) + 100 * Block + Misaligned);
}

int main() {
  unsigned *Out;
  cudaMallocManaged(&Out, 4 * 64 * sizeof(unsigned));
  lanes<<<4, 64>>>(Out);
  int Wrong = cudaDeviceSynchronize() != cudaSuccess;
  for (unsigned I = 0; I < 4 * 64; ++I)
    Wrong += Out[I] != (63 - I % 64) % 32 + 100 * (I / 64);
  printf("%d wrong\n", Wrong);
}

//--- lax.cu
#include <crt/sm_90_rt.h>
#include <cstdio>
#include <cstring>
#include <device_launch_parameters.h>
#include <sm_20_intrinsics.h>
#include <sm_35_atomic_functions.h>
#include <sm_60_atomic_functions.h>
#include <sm_61_intrinsics.h>
#include <string>

enum class Mode { Plain };
enum Old { None, One };
constexpr Old Other = static_cast<Old>(-1);
#define TEXT ": %d wrong"

struct Number {
  template <typename T> __device__ T plus(T X) const { return X + 1; }
  template <int A, int B> __device__ int sum(int X) const { return A + B + X; }
};
template <typename T> __device__ int two(T X) { return X.template plus(1); }

// Host code in functions for both, where no kernel gets to.
int onHost(int X) { return X; }
__host__ __device__ int forBoth(int X) { return onHost(X); }

// The same, where kernels could get to. One that does ends.
void complain(const std::string &What);
struct Complaint {
  std::string Text;
  Complaint(int I) : Text("bad " + std::to_string(I)) {}
  ~Complaint() { onHost(1); }
};
template <typename T> __host__ __device__ T checked(T I, T N) {
  const auto Check = [&] {
    if (I >= N)
      complain(Complaint(I).Text);
  };
  Check();
  return I;
}

// A function of the C library for both, and one that devices have.
__host__ __device__ char *strcpy(char *To, const char *From) {
  for (int I = 0; I == 0 || From[I - 1]; ++I)
    To[I] = From[I];
  return To;
}
__host__ __device__ int length(const char *Text) {
  char Copy[8];
  return static_cast<int>(strlen(strcpy(Copy, Text)));
}
__global__ void read(int *Out, int I, int N) {
  *Out = checked(I, N) + length("four") - 4;
}

template <typename T, int N> __device__ int zero(T X) {
  return X.sum<2, N>(-2 - N);
}
__global__ void fill(unsigned *Out, int N) {
  auto [X, Y, Z] = threadIdx;
  const auto [Width, Height, Depth] = blockDim;
  enum class Mode M = Mode::Plain;
  typeof(X) I = (Z * Height + Y) * Width + X;
#pragma unroll
  uint2 Pair = {N, N + static_cast<int>(M)};
#pragma unroll
  {
    Out[I] =
        zero<Number, 3>(Number()) + two(Number()) * I + Pair.y - N + Depth - 1;
  }
}

int main() {
  unsigned *Out;
  unsigned N = 4;
  cudaMallocManaged(&Out, 24 * sizeof(unsigned));
  fill<<<{1}, {N, 3, 2}>>>(Out, 7);
  int Wrong = cudaDeviceSynchronize() != cudaSuccess;
  for (unsigned I = 0; I < 24; ++I)
    Wrong += Out[I] != 2 * I + 1;
  int *Index = reinterpret_cast<int *>(Out);
  read<<<1, 1>>>(Index, 3, 4);
  Wrong += cudaDeviceSynchronize() != cudaSuccess || *Index != 3;
  read<<<1, 1>>>(Index, 4, 4);
  Wrong += cudaDeviceSynchronize() == cudaSuccess;
  Wrong += length("four") != 4;
  checked(5, 5);
  // clang-format off
  printf("%d"TEXT"\n", forBoth(Other), Wrong);
  // clang-format on
}
void complain(const std::string &What) { puts(What.c_str()); }

//--- pragmas.cu
#ifndef __NVCC_DIAG_PRAGMA_SUPPORT__
#error nvcc defines it
#endif
#pragma nv_diag_suppress 177
#pragma nv_diagnostic push
#pragma nv_diag_default 177
#pragma nv_diagnostic pop
#pragma diag_suppress 177
#pragma hd_warning_disable
#pragma nv_exec_check_disable
template <typename T> __host__ __device__ T same(T X) { return X; }
__global__ void k(int *P) {
#pragma unroll(4)
  for (int I = 0; I < 4; ++I)
    P[I] = same(I);
}

//--- own.cu
#include <cstdio>
#include <cstring>
extern "C" {
__device__ size_t strlen(const char *);
__device__ void *memchr(const void *, int, size_t);
}
__global__ void lengths(size_t *Out) {
  Out[0] = strlen("abc");
  Out[1] = strlen(static_cast<char *>(memchr(Out, 'x', 1)));
}
extern "C" __device__ void *memchr(const void *, int, size_t) {
  return const_cast<char *>("d");
}
int main() {
  size_t *Out;
  cudaMallocManaged(&Out, 2 * sizeof(size_t));
  lengths<<<1, 1>>>(Out);
  cudaDeviceSynchronize();
  printf("%zu %zu %zu\n", Out[0], Out[1], strlen("host"));
}

//--- length.cu
#include <cstring>
extern "C" __device__ size_t strlen(const char *Text) {
  size_t Length = 100;
  while (*Text++)
    ++Length;
  return Length;
}

//--- lane.h
#define LANE(Out) asm("mov.u32 %0, %laneid;" : "=r"(Out))
__device__ inline unsigned lane() {
  unsigned Out;
  LANE(Out);
  return Out;
}
__device__ inline void store(unsigned *Out, unsigned V) {
  asm volatile("st.global.u32 [%0], %1;" ::"l"(Out) "r"(V) : "memory");
}
