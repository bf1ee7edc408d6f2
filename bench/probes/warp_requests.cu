//===- warp_requests.cu - Single warp requests for a profiler -------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One launch of one warp for each request, with one memory instruction of
// interest. analysis/machine/WarpRequest.cpp models the hardware's counts of
// them.
//
//   nvcc -O2 -std=c++20 -arch=sm_90 warp_requests.cu -o warp_requests
//   ncu --clock-control none --csv --page raw --print-units base --metrics \
//     memory_l2_theoretical_sectors_global,\
//     memory_l2_theoretical_sectors_global_ideal,\
//     memory_l1_tag_requests_global,memory_l1_wavefronts_shared,\
//     memory_l1_wavefronts_shared_ideal,\
//     l1tex__data_pipe_lsu_wavefronts_mem_shared.sum \
//     ./warp_requests requests.txt > counters.csv
//
// Line n of requests.txt describes launch n: operation, bytes a lane, mask of
// active lanes, byte offset of each lane.
//
//===----------------------------------------------------------------------===//

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <utility>

struct Request {
  int Offset[32];
  unsigned Mask;
};

enum Operation {
  Load4,
  Load8,
  Load16,
  LoadReadOnly4,
  Store1,
  Store4,
  Store8,
  Store16,
  Reduce4,
  Exchange4,
  Exchange8,
  CompareSwap4,
  SharedLoad4,
  SharedLoad8,
  SharedLoad16,
  SharedStore4,
  SharedStore8,
  SharedStore16,
  SharedAdd4,
  NumOperations
};
static const char *Names[] = {
    "load",         "load",         "load",         "load",
    "store",        "store",        "store",        "store",
    "atomic",       "atomic",       "atomic",       "atomic",
    "shared-load",  "shared-load",  "shared-load",  "shared-store",
    "shared-store", "shared-store", "shared-atomic"};
static const int Sizes[] = {4, 8, 16, 4, 1,  4, 8, 16, 4, 4,
                            8, 4, 4,  8, 16, 4, 8, 16, 4};

template <int Op>
__global__ void request(char *Base, const __grid_constant__ Request R) {
  __shared__ __align__(1024) char Shared[40960];
  int Lane = threadIdx.x;
  if (!((R.Mask >> Lane) & 1))
    return;
  char *G = Base + R.Offset[Lane];
  unsigned S = (unsigned)__cvta_generic_to_shared(Shared) + R.Offset[Lane];
  unsigned a = 0, b = 0, c = 0, d = 0;
  unsigned long long e = 0;
  if constexpr (Op == Load4)
    asm volatile("ld.global.u32 %0,[%1];" : "=r"(a) : "l"(G));
  if constexpr (Op == Load8)
    asm volatile("ld.global.v2.u32 {%0,%1},[%2];" : "=r"(a), "=r"(b) : "l"(G));
  if constexpr (Op == Load16)
    asm volatile("ld.global.v4.u32 {%0,%1,%2,%3},[%4];"
                 : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                 : "l"(G));
  if constexpr (Op == LoadReadOnly4)
    asm volatile("ld.global.nc.u32 %0,[%1];" : "=r"(a) : "l"(G));
  if constexpr (Op == Store1)
    asm volatile("st.global.u8 [%0],%1;" ::"l"(G), "r"(1));
  if constexpr (Op == Store4)
    asm volatile("st.global.u32 [%0],%1;" ::"l"(G), "r"(1));
  if constexpr (Op == Store8)
    asm volatile("st.global.v2.u32 [%0],{%1,%1};" ::"l"(G), "r"(1));
  if constexpr (Op == Store16)
    asm volatile("st.global.v4.u32 [%0],{%1,%1,%1,%1};" ::"l"(G), "r"(1));
  if constexpr (Op == Reduce4)
    asm volatile("red.global.add.u32 [%0],%1;" ::"l"(G), "r"(Lane));
  if constexpr (Op == Exchange4)
    asm volatile("atom.global.exch.b32 %0,[%1],%2;"
                 : "=r"(a)
                 : "l"(G), "r"(Lane));
  if constexpr (Op == Exchange8)
    asm volatile("atom.global.exch.b64 %0,[%1],%2;"
                 : "=l"(e)
                 : "l"(G), "l"((long long)Lane));
  if constexpr (Op == CompareSwap4)
    asm volatile("atom.global.cas.b32 %0,[%1],%2,%2;"
                 : "=r"(a)
                 : "l"(G), "r"(Lane));
  if constexpr (Op == SharedLoad4)
    asm volatile("ld.shared.u32 %0,[%1];" : "=r"(a) : "r"(S));
  if constexpr (Op == SharedLoad8)
    asm volatile("ld.shared.v2.u32 {%0,%1},[%2];" : "=r"(a), "=r"(b) : "r"(S));
  if constexpr (Op == SharedLoad16)
    asm volatile("ld.shared.v4.u32 {%0,%1,%2,%3},[%4];"
                 : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                 : "r"(S));
  if constexpr (Op == SharedStore4)
    asm volatile("st.shared.u32 [%0],%1;" ::"r"(S), "r"(1));
  if constexpr (Op == SharedStore8)
    asm volatile("st.shared.v2.u32 [%0],{%1,%1};" ::"r"(S), "r"(1));
  if constexpr (Op == SharedStore16)
    asm volatile("st.shared.v4.u32 [%0],{%1,%1,%1,%1};" ::"r"(S), "r"(1));
  if constexpr (Op == SharedAdd4)
    asm volatile("atom.shared.add.u32 %0,[%1],%2;"
                 : "=r"(a)
                 : "r"(S), "r"(Lane));
  // Without a use of what is loaded, ptxas drops even a volatile load. The test
  // is of all its bits, or it narrows the load.
  if constexpr (Op <= LoadReadOnly4 ||
                (Op >= SharedLoad4 && Op <= SharedLoad16))
    if ((a ^ b ^ c ^ d ^ (unsigned)e) == 0x1234567u)
      __trap();
}

static char *Base;
static FILE *Out;

template <int Op> void launch(const Request &R) {
  fprintf(Out, "%s %d %u", Names[Op], Sizes[Op], R.Mask);
  for (int Offset : R.Offset)
    fprintf(Out, " %d", Offset);
  fputc('\n', Out);
  request<Op><<<1, 32>>>(Base, R);
  if (cudaError_t Error = cudaDeviceSynchronize(); Error != cudaSuccess) {
    fprintf(stderr, "%s: %s\n", Names[Op], cudaGetErrorString(Error));
    exit(1);
  }
}

template <int Op, class F> void pattern(unsigned Mask, F OffsetOf) {
  Request R;
  R.Mask = Mask;
  for (int Lane = 0; Lane < 32; ++Lane)
    R.Offset[Lane] = OffsetOf(Lane);
  launch<Op>(R);
}

template <int Op> void patterns() {
  const int S = Sizes[Op];
  const unsigned All = ~0u;
  srand(Op + 7);
  for (int K : {0, 1, 2, 3, 4, 5, 8, 16, 17, 32, 33})
    if (K * S * 31 + S <= 40000)
      pattern<Op>(All, [=](int I) { return K * S * I; });
  pattern<Op>(All, [=](int I) { return S * (I + 1); });
  pattern<Op>(All, [=](int I) { return S * (I + 3); });
  pattern<Op>(All, [=](int I) { return S * (I / 2); });
  pattern<Op>(All, [=](int I) { return S * (I / 4); });
  pattern<Op>(All, [=](int I) { return S * (I % 4); });
  pattern<Op>(All, [=](int I) { return S * (I % 16); });
  pattern<Op>(All, [=](int I) { return S * (31 - I); });
  pattern<Op>(All, [=](int I) { return (I % 2) * 4096 + (I / 2) * S; });
  pattern<Op>(All, [=](int I) { return (I / 8) * 1024 + (I % 8) * S; });
  for (unsigned Mask :
       {0x1u, 0x3u, 0x7u, 0x1fu, 0xffu, 0x1ffu, 0xffffu, 0x1ffffu, 0x55555555u,
        0x11111111u, 0x80000001u, 0xf0f0f0f0u, 0xfffu, 0x7fffffffu}) {
    pattern<Op>(Mask, [=](int I) { return S * I; });
    pattern<Op>(Mask, [=](int) { return 0; });
    pattern<Op>(Mask, [=](int I) { return 32 * I / S * S; });
  }
  for (int Round = 0; Round < 40; ++Round) {
    const int Ranges[] = {16, 64, 256, 2000};
    unsigned Mask = Round % 3 == 0 ? All : (unsigned)rand() * 2654435761u | 1u;
    pattern<Op>(Mask, [=](int) { return S * (rand() % Ranges[Round % 4]); });
  }
}

template <int... Op> void every(std::integer_sequence<int, Op...>) {
  (patterns<Op>(), ...);
}

int main(int argc, char **argv) {
  if (argc != 2 || !(Out = fopen(argv[1], "w"))) {
    fprintf(stderr, "usage: %s requests.txt\n", argv[0]);
    return 2;
  }
  cudaMalloc(&Base, 1 << 20);
  cudaMemset(Base, 0, 1 << 20);
  every(std::make_integer_sequence<int, NumOperations>());
  return fclose(Out);
}
