// threadIdx and its kin are a uint3 and a dim3 in every way that nvcc takes.
// RUN: %gridspan++ -O2 -std=c++17 %s -o %t
// RUN: env GRIDSPAN_DEVICES=cpu:2 %t | FileCheck %s
// CHECK: 0 wrong
// Without optimization, and where clang makes only PTX.
// RUN: %gridspan++ -O0 -std=c++17 %s -o %t.o0
// RUN: env GRIDSPAN_DEVICES=cpu %t.o0 | FileCheck %s
// RUN: %gridspan++ -ptx -arch=sm_80 -std=c++17 %s -o %t.ptx
// RUN: FileCheck --check-prefix=PTX --input-file=%t.ptx %s
// PTX-NOT: .extern
// PTX: %tid.x
#include <cstdio>
#include <type_traits>

static_assert(std::is_same<decltype(threadIdx), const uint3>::value, "");
static_assert(std::is_same<decltype(gridDim), const dim3>::value, "");

__device__ unsigned value(uint3 I) { return I.x + 10 * I.y + 100 * I.z; }
__device__ __noinline__ unsigned reference(const uint3 &I) { return value(I); }
__device__ unsigned grid(dim3 I) { return I.x + 10 * I.y + 100 * I.z; }
template <class T> __device__ const T &same(const T &X) { return X; }
template <class T> __device__ unsigned forwarded(T &&X) { return X.y; }
__device__ int overload(uint3) { return 1; }
__device__ int overload(dim3) { return 2; }
__host__ __device__ unsigned linear(uint3 I, dim3 Size) {
  return I.x + Size.x * (I.y + Size.y * I.z);
}
struct Holder {
  uint3 Thread = threadIdx;
  unsigned Block;
  __device__ Holder(unsigned Block = blockIdx.x) : Block(Block) {}
};

__global__ void fill(unsigned *Out, bool First) {
  Out += 16 * (linear(threadIdx, blockDim) +
               linear(blockIdx, gridDim) * blockDim.x * blockDim.y);
  Out[0] = (First ? threadIdx : blockIdx).x;
  auto Copy = threadIdx;
  ++Copy.x;
  Out[1] = Copy.x;
  const auto &Block = blockIdx;
  Out[2] = Block.y;
  Out[3] = value(threadIdx);
  Out[4] = reference(blockIdx);
  Out[5] = grid(threadIdx) + grid(blockDim);
  Out[6] = same(threadIdx).y + forwarded(threadIdx);
  Out[7] = overload(threadIdx) + 10 * overload(blockDim);
  uint3 Both[] = {threadIdx, blockIdx};
  Out[8] = Both[First].x;
  Out[9] = Holder().Thread.y + Holder().Block;
  unsigned uint3::*Member = &uint3::y;
  Out[10] = threadIdx.*Member;
  auto Lambda = [=] { return threadIdx.x + blockIdx.x; };
  Out[11] = Lambda();
}

int main() {
  const dim3 Grid(3, 2), Block(4, 3);
  unsigned *Out;
  cudaMallocManaged(&Out, 16 * 72 * sizeof(unsigned));
  int Wrong = 0;
  for (int First = 0; First < 2; ++First) {
    fill<<<Grid, Block>>>(Out, First);
    Wrong += cudaDeviceSynchronize() != cudaSuccess;
    for (unsigned I = 0; I < 72; ++I) {
      const uint3 T = {I % 4, I / 4 % 3, 0}, B = {I / 12 % 3, I / 36, 0};
      const unsigned Expected[] = {First ? T.x : B.x,
                                   T.x + 1,
                                   B.y,
                                   T.x + 10 * T.y,
                                   B.x + 10 * B.y,
                                   T.x + 10 * T.y + 134,
                                   2 * T.y,
                                   21,
                                   First ? B.x : T.x,
                                   T.y + B.x,
                                   T.y,
                                   T.x + B.x};
      for (unsigned J = 0; J < 12; ++J)
        Wrong += Out[16 * I + J] != Expected[J];
    }
  }
  printf("%d wrong\n", Wrong);
}
