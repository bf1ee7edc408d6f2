// Programs that ask for __NVCC__ where they mean a compiler of CUDA; libcu++
// and Thrust, which mean nvcc's front end by it, work beside that.

// RUN: %gridspan++ -arch=sm_80 -std=c++17 --extended-lambda %s -o %t
// RUN: env GRIDSPAN_DEVICES=cpu:2 %t | FileCheck %s

#ifdef __NVCC__
#define BOTH __host__ __device__
#else
#define BOTH
#endif

#include <cstdio>
#include <cuda/std/functional>
#include <cuda/std/type_traits>
#include <thrust/functional.h>
#include <thrust/tuple.h>

struct Complex {
  double X, Y;
  BOTH friend Complex operator*(const Complex &A, const Complex &B) {
    return {A.X * B.X - A.Y * B.Y, A.X * B.Y + A.Y * B.X};
  }
};

template <class FuncT> __global__ void apply(Complex *Out, FuncT Func) {
  Out[blockIdx.x * blockDim.x + threadIdx.x] =
      Func(Complex{double(blockIdx.x), double(threadIdx.x)});
}

int main() {
  auto Square = [] __host__ __device__(Complex A) { return A * A; };
  static_assert(
      cuda::std::is_same<cuda::std::invoke_result_t<decltype(Square), Complex>,
                         Complex>::value);
  constexpr int N = 64 * 32;
  Complex *D;
  cudaMalloc(&D, N * sizeof(Complex));
  apply<<<64, 32>>>(D, Square);
  static Complex H[N];
  cudaMemcpy(H, D, sizeof(H), cudaMemcpyDeviceToHost);
  int Wrong = 0;
  for (int I = 0; I < N; ++I) {
    const Complex Want = Square(Complex{double(I / 32), double(I % 32)});
    Wrong += H[I].X != Want.X || H[I].Y != Want.Y;
  }
  // CHECK: 0 wrong of 2048
  std::printf("%d wrong of %d\n", Wrong, N);
  cudaFree(D);
}
