// Inline assembly for bits, as CUB and libcu++ write it.
// RUN: %gridspan++ -O2 %s -o %t
// RUN: env GRIDSPAN_DEVICES=cpu %t | FileCheck %s
// CHECK: 0 wrong
#include <cstdint>
#include <cstdio>

constexpr unsigned N = 64;

__global__ void masks(uint32_t *Clamp, uint32_t *Wrap) {
  const unsigned From = threadIdx.x, Count = blockIdx.x;
  const unsigned I = Count * N + From;
  asm("bmsk.clamp.b32 %0, %1, %2;" : "=r"(Clamp[I]) : "r"(From), "r"(Count));
  asm("bmsk.wrap.b32 %0, %1, %2;" : "=r"(Wrap[I]) : "r"(From), "r"(Count));
}

__global__ void extensions(uint32_t *Zeros, int32_t *Sign) {
  const unsigned Bits = threadIdx.x;
  asm("szext.clamp.u32 %0, %1, %2;"
      : "=r"(Zeros[Bits])
      : "r"(0xa5a5a5a5), "r"(Bits));
  asm("szext.wrap.s32 %0, %1, %2;"
      : "=r"(Sign[Bits])
      : "r"(0xa5a5a5a5), "r"(Bits));
}

// Which lanes agree with this one in a bit: CUB's radix sort.
__global__ void agreeing(uint32_t *Out) {
  uint32_t Lanes;
  asm("{\n"
      "  .reg .pred p;\n"
      "  and.b32 %0, %1, %2;\n"
      "  setp.ne.u32 p, %0, 0;\n"
      "  vote.ballot.sync.b32 %0, p, 0xffffffff;\n"
      "  @!p not.b32 %0, %0;\n"
      "}\n"
      : "=r"(Lanes)
      : "r"(threadIdx.x), "r"(2));
  Out[threadIdx.x] = Lanes;
}

static uint32_t ones(uint64_t From, uint64_t Count) {
  return uint32_t(((uint64_t(1) << Count) - 1) << From);
}

int main() {
  uint32_t *Clamp, *Wrap, *Zeros, *Lanes;
  int32_t *Sign;
  cudaMallocManaged(&Clamp, N * N * 4);
  cudaMallocManaged(&Wrap, N * N * 4);
  cudaMallocManaged(&Zeros, N * 4);
  cudaMallocManaged(&Sign, N * 4);
  cudaMallocManaged(&Lanes, 32 * 4);
  masks<<<N, N>>>(Clamp, Wrap);
  extensions<<<1, N>>>(Zeros, Sign);
  agreeing<<<1, 32>>>(Lanes);
  int Wrong = cudaDeviceSynchronize() != cudaSuccess;
  for (uint64_t Count = 0; Count < N; ++Count)
    for (uint64_t From = 0; From < N; ++From) {
      const size_t I = Count * N + From;
      Wrong += Clamp[I] != ones(From < 32 ? From : 32, Count < 32 ? Count : 32);
      Wrong += Wrap[I] != ones(From % 32, Count % 32);
    }
  for (unsigned Bits = 0; Bits < N; ++Bits) {
    const uint32_t Low = 0xa5a5a5a5 & ones(0, Bits < 32 ? Bits : 32);
    Wrong += Zeros[Bits] != Low;
    const unsigned Width = Bits % 32;
    int32_t Extended = int32_t(0xa5a5a5a5 & ones(0, Width));
    if (Width && Extended >> (Width - 1) & 1)
      Extended |= int32_t(~ones(0, Width));
    Wrong += Sign[Bits] != Extended;
  }
  for (unsigned I = 0; I < 32; ++I)
    Wrong += Lanes[I] != (I & 2 ? 0xcccccccc : 0x33333333);
  printf("%d wrong\n", Wrong);
}
