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

// Loops as those that wait for an mbarrier are written; names with %.
__global__ void loops(uint32_t *Steps) {
  uint32_t Count;
  // Collatz: a branch forward and one back.
  asm("{\n"
      "  .reg .pred %%odd, done;\n"
      "  .reg .b32 n<2>;\n"
      "  mov.u32 n0, %1;\n"
      "  mov.u32 %0, 0;\n"
      "NEXT:\n"
      "  setp.le.u32 done, n0, 1;\n"
      "  @done bra.uni END;\n"
      "  and.b32 n1, n0, 1;\n"
      "  setp.ne.u32 %%odd, n1, 0;\n"
      "  add.u32 %0, %0, 1;\n"
      "  @%%odd bra ODD;\n"
      "  shr.u32 n0, n0, 1;\n"
      "  bra NEXT;\n"
      "ODD:\n"
      "  mad.lo.u32 n0, n0, 3, 1;\n"
      "  bra NEXT;\n"
      "END:\n"
      "}\n"
      : "=r"(Count)
      : "r"(threadIdx.x + 1));
  Steps[threadIdx.x] = Count;
}

// Vectors of atomics, eviction policies, products of 24 bits, packed numbers.
__global__ void memory(float *Sums, float *Half, uint32_t *Packed) {
  uint64_t Policy;
  asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(Policy));
  float X;
  asm volatile("ld.global.L1::no_allocate.L2::cache_hint.f32 %0, [%1], %2;"
               : "=f"(X)
               : "l"(Half), "l"(Policy));
  asm("fma.rn.f32 %0, %0, 0.5, 1.25;" : "+f"(X));
  asm volatile("red.global.add.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(Sums),
               "f"(X), "f"(2 * X), "f"(0.f), "f"(1.f)
               : "memory");
  asm volatile("prefetch.global.L2::evict_last [%0];" ::"l"(Half));
  const unsigned I = threadIdx.x;
  const int Large = int(I) * 100 - 1000;
  asm("mul24.hi.s32 %0, %1, %2;" : "=r"(Packed[I]) : "r"(Large), "r"(77777));
  asm("mad24.lo.u32 %0, %1, %2, 9;"
      : "=r"(Packed[N + I])
      : "r"(0xff000000 + I), "r"(70001));
  asm("cvt.pack.sat.s8.s32.b32 %0, %1, %2, %3;"
      : "=r"(Packed[2 * N + I])
      : "r"(Large), "r"(-Large / 10), "r"(0xabcd));
}

struct Corners {
  float Stored[4], Chosen, Atomic[2];
  uint32_t LoadedByte, LoadedHalf, Byte, Half, Saturated, AcrossLabel, Kept;
  uint32_t Octal, Binary, Siblings, CarryKept, CarryLost, GuardedCarry[2],
      SecondPredicate, Flushed;
};

// Constants of floats, signed numbers in wider registers, notations, scopes,
// and the carry across branches and under guards.
__global__ void corners(Corners *Out, const uint32_t *Words) {
  Corners &O = *Out;
  asm volatile("st.global.f32 [%0], 1.5;\n"
               "st.global.v2.f32 [%0 + 4], {2.5, -3.5};\n"
               "{ .reg .pred p; setp.eq.u32 p, %1, 0;\n"
               "  @p st.global.f32 [%0 + 12], 4.5;\n"
               "  @!p st.global.f32 [%0 + 12], 5.5; }" ::"l"(O.Stored),
               "r"(Words[0])
               : "memory");
  asm volatile("slct.f32.s32 %0, 1.5, 2.5, %1;" : "=f"(O.Chosen) : "r"(1));
  asm volatile("red.global.add.v2.f32 [%0], {1.5, 2.5};" ::"l"(O.Atomic)
               : "memory");
  asm volatile("ld.global.s8 %0, [%1];" : "=r"(O.LoadedByte) : "l"(Words));
  asm volatile("ld.global.s16 %0, [%1];" : "=r"(O.LoadedHalf) : "l"(Words));
  asm("cvt.s8.s32 %0, %1;" : "=r"(O.Byte) : "r"(Words[0]));
  asm("{ .reg .b32 x; cvt.rzi.s16.f32 x, %1; add.s32 %0, x, 0; }"
      : "=r"(O.Half)
      : "f"(-3.f));
  asm("cvt.sat.u8.s32 %0, %1;" : "=r"(O.Saturated) : "r"(Words[0] + 100));
  asm("{ .reg .b32 x; cvt.s8.s32 x, %1; L%=: add.s32 %0, x, 0; }"
      : "=r"(O.AcrossLabel)
      : "r"(Words[0]));
  // A narrower value under a guard does not cut what the register had.
  asm("{ .reg .pred p; .reg .b32 x; mov.b32 x, 0x12345678;\n"
      "  setp.eq.u32 p, %1, 0; @p ld.global.u8 x, [%2]; mov.b32 %0, x; }"
      : "=r"(O.Kept)
      : "r"(Words[0]), "l"(Words));
  asm("add.u32 %0, %1, 017;" : "=r"(O.Octal) : "r"(0));
  asm("add.u32 %0, %1, 0b101U;" : "=r"(O.Binary) : "r"(0));
  asm("{ .reg .b32 x; mov.b32 x, 1; mov.b32 %0, x; }\n"
      "{ .reg .b32 x; mov.b32 x, 4; add.u32 %0, %0, x; }"
      : "=r"(O.Siblings));
  asm("{ .reg .pred p; .reg .b32 x, y; mov.b32 y, 0; setp.eq.u32 p, %1, 0;\n"
      "  add.cc.u32 x, %2, 1; @p bra L%=; addc.u32 y, y, 0;\n"
      "L%=: mov.b32 %0, y; }"
      : "=r"(O.CarryKept)
      : "r"(Words[0]), "r"(Words[1]));
  asm("{ .reg .pred p; .reg .b32 x, y; mov.b32 y, 0; setp.ne.u32 p, %1, 0;\n"
      "  add.cc.u32 x, %2, 1; @p bra L%=; addc.u32 y, y, 0;\n"
      "L%=: mov.b32 %0, y; }"
      : "=r"(O.CarryLost)
      : "r"(Words[0]), "r"(Words[1]));
  for (uint32_t I = 0; I < 2; ++I)
    asm("{ .reg .pred p; .reg .b32 x; setp.eq.u32 p, %1, 0;\n"
        "  add.cc.u32 x, %2, 1; @p add.cc.u32 x, %1, 1; addc.u32 %0, 0, 0; }"
        : "=r"(O.GuardedCarry[I])
        : "r"(I), "r"(Words[1]));
  // The second predicate is of the opposite comparison, and combined as well.
  asm("{ .reg .pred p, q, r; setp.ne.u32 r, %1, %1;\n"
      "  setp.eq.and.u32 p|q, %1, %1, r; selp.u32 %0, 1, 0, q; }"
      : "=r"(O.SecondPredicate)
      : "r"(Words[0]));
  asm("{ .reg .f32 x; cvt.rn.ftz.f32.f64 x, %1; mov.b32 %0, x; }"
      : "=r"(O.Flushed)
      : "d"(Words[0] * 1e-44));
}

static int checkCorners() {
  Corners *O;
  uint32_t *Words;
  cudaMallocManaged(&O, sizeof(Corners));
  cudaMallocManaged(&Words, 8);
  *O = {};
  O->SecondPredicate = O->Flushed = ~0u;
  Words[0] = 0x80c8;
  Words[1] = ~0u;
  corners<<<1, 1>>>(O, Words);
  int Wrong = cudaDeviceSynchronize() != cudaSuccess;
  Wrong += O->Stored[0] != 1.5f || O->Stored[1] != 2.5f;
  Wrong += O->Stored[2] != -3.5f || O->Stored[3] != 5.5f;
  Wrong += O->Chosen != 1.5f || O->Atomic[0] != 1.5f || O->Atomic[1] != 2.5f;
  Wrong += O->LoadedByte != 0xffffffc8 || O->LoadedHalf != 0xffff80c8;
  Wrong += O->Byte != 0xffffffc8 || O->Half != 0xfffffffd;
  Wrong += O->Saturated != 0xff || O->AcrossLabel != 0xffffffc8;
  Wrong += O->Kept != 0x12345678 || O->Octal != 15 || O->Binary != 5;
  Wrong += O->Siblings != 5 || O->CarryKept != 1 || O->CarryLost != 0;
  Wrong += O->GuardedCarry[0] != 0 || O->GuardedCarry[1] != 1;
  Wrong += O->SecondPredicate != 0 || O->Flushed != 0;
  return Wrong;
}

static uint32_t expectedSteps(uint32_t X) {
  uint32_t Steps = 0;
  for (; X > 1; ++Steps)
    X = X % 2 ? 3 * X + 1 : X / 2;
  return Steps;
}

static uint8_t byte(int X) { return X < -128 ? 128 : X > 127 ? 127 : X; }

static int checkMemory(const float *Sums, const uint32_t *Packed) {
  int Wrong = Sums[0] != N * 2.25f || Sums[1] != N * 4.5f || Sums[2] != 0 ||
              Sums[3] != N;
  for (unsigned I = 0; I < N; ++I) {
    const int Large = int(I) * 100 - 1000;
    Wrong += Packed[I] != uint32_t(int64_t(Large) * 77777 >> 16);
    Wrong += Packed[N + I] != I * 70001 + 9;
    Wrong += Packed[2 * N + I] !=
             (0xabcd0000 | byte(Large) << 8 | byte(-Large / 10));
  }
  return Wrong;
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
  uint32_t *Steps, *Packed;
  float *Sums;
  cudaMallocManaged(&Steps, N * 4);
  cudaMallocManaged(&Packed, 3 * N * 4);
  cudaMallocManaged(&Sums, 8 * 4);
  Sums[4] = 2;
  loops<<<1, N>>>(Steps);
  memory<<<1, N>>>(Sums, Sums + 4, Packed);
  int Wrong = cudaDeviceSynchronize() != cudaSuccess;
  Wrong += checkMemory(Sums, Packed);
  Wrong += checkCorners();
  for (unsigned I = 0; I < N; ++I)
    Wrong += Steps[I] != expectedSteps(I + 1);
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
