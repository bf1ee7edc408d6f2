// Products and moves of matrices in inline assembly: mma.sync for each shape and
// type that it has from sm_80 to sm_90, ldmatrix, stmatrix and movmatrix. The lanes'
// registers are packed here by the formulas of the PTX ISA. The numbers are small,
// so that results are exact in every type.
//
// RUN: %gridspan++ -O2 -arch=sm_90 %s -o %t
// RUN: env GRIDSPAN_DEVICES=cpu:2 %t | FileCheck %s
// CHECK: PASS

#include "../Inputs/check.h"
#include <cmath>
#include <cstdint>
#include <cstring>
#include <cuda_fp16.h>
#include <vector>

constexpr int Lanes = 32;

//===--- Kernels --------------------------------------------------------===//

#define D2 "{%0,%1}"
#define D4 "{%0,%1,%2,%3}"
#define A1 "{%4}"
#define A2 "{%4,%5}"
#define A4 "{%4,%5,%6,%7}"
#define B1 "{%8}"
#define B2 "{%8,%9}"
#define C2 "{%10,%11}"
#define C4 "{%10,%11,%12,%13}"

/// Each lane has 4 registers of A, C and D, and 2 of B, some of them unused.
#define MMA(Name, Words, D, A, B, C)                                           \
  __global__ void Name(const uint32_t *RA, const uint32_t *RB,                 \
                       const uint32_t *RC, uint32_t *RD) {                     \
    RA += threadIdx.x * 4, RB += threadIdx.x * 2;                              \
    RC += threadIdx.x * 4, RD += threadIdx.x * 4;                              \
    uint32_t R0 = 0, R1 = 0, R2 = 0, R3 = 0;                                   \
    asm volatile("mma.sync.aligned." Words " " D ", " A ", " B ", " C ";"      \
                 : "+r"(R0), "+r"(R1), "+r"(R2), "+r"(R3)                      \
                 : "r"(RA[0]), "r"(RA[1]), "r"(RA[2]), "r"(RA[3]), "r"(RB[0]), \
                   "r"(RB[1]), "r"(RC[0]), "r"(RC[1]), "r"(RC[2]),             \
                   "r"(RC[3]));                                                \
    RD[0] = R0, RD[1] = R1, RD[2] = R2, RD[3] = R3;                            \
  }

MMA(f16k8f32, "m16n8k8.row.col.f32.f16.f16.f32", D4, A2, B1, C4)
MMA(f16k8f16, "m16n8k8.row.col.f16.f16.f16.f16", D2, A2, B1, C2)
MMA(f16k16f32, "m16n8k16.row.col.f32.f16.f16.f32", D4, A4, B2, C4)
MMA(f16k16f16, "m16n8k16.row.col.f16.f16.f16.f16", D2, A4, B2, C2)
MMA(bf16k8, "m16n8k8.row.col.f32.bf16.bf16.f32", D4, A2, B1, C4)
MMA(bf16k16, "m16n8k16.row.col.f32.bf16.bf16.f32", D4, A4, B2, C4)
MMA(tf32k4, "m16n8k4.row.col.f32.tf32.tf32.f32", D4, A2, B1, C4)
MMA(tf32k8, "m16n8k8.row.col.f32.tf32.tf32.f32", D4, A4, B2, C4)
MMA(s8m8, "m8n8k16.row.col.s32.s8.s8.s32", D2, A1, B1, C2)
MMA(s8u8k16, "m16n8k16.row.col.satfinite.s32.s8.u8.s32", D4, A2, B1, C4)
MMA(u8s8k32, "m16n8k32.row.col.s32.u8.s8.s32", D4, A4, B2, C4)
MMA(s4m8, "m8n8k32.row.col.s32.s4.s4.s32", D2, A1, B1, C2)
MMA(u4s4k32, "m16n8k32.row.col.satfinite.s32.u4.s4.s32", D4, A2, B1, C4)
MMA(s4u4k64, "m16n8k64.row.col.s32.s4.u4.s32", D4, A4, B2, C4)
MMA(e4m3, "m16n8k32.row.col.f32.e4m3.e4m3.f32", D4, A4, B2, C4)
MMA(e5m2, "m16n8k32.row.col.f32.e5m2.e4m3.f32", D4, A4, B2, C4)

/// Each lane has 8 doubles of A, and 4 of B, C and D.
#define MMA_DOUBLE(Name, Words, D, A, B, C)                                    \
  __global__ void Name(const double *RA, const double *RB, const double *RC,   \
                       double *RD) {                                           \
    RA += threadIdx.x * 8, RB += threadIdx.x * 4;                              \
    RC += threadIdx.x * 4, RD += threadIdx.x * 4;                              \
    double R0 = 0, R1 = 0, R2 = 0, R3 = 0;                                     \
    asm volatile("mma.sync.aligned." Words ".row.col.f64.f64.f64.f64 " D       \
                 ", " A ", " B ", " C ";"                                      \
                 : "+d"(R0), "+d"(R1), "+d"(R2), "+d"(R3)                      \
                 : "d"(RA[0]), "d"(RA[1]), "d"(RA[2]), "d"(RA[3]), "d"(RA[4]), \
                   "d"(RA[5]), "d"(RA[6]), "d"(RA[7]), "d"(RB[0]), "d"(RB[1]), \
                   "d"(RB[2]), "d"(RB[3]), "d"(RC[0]), "d"(RC[1]), "d"(RC[2]), \
                   "d"(RC[3]));                                                \
    RD[0] = R0, RD[1] = R1, RD[2] = R2, RD[3] = R3;                            \
  }

MMA_DOUBLE(f64m8, "m8n8k4", "{%0,%1}", "{%4}", "{%12}", "{%16,%17}")
MMA_DOUBLE(f64k4, "m16n8k4", D4, "{%4,%5}", "{%12}", "{%16,%17,%18,%19}")
MMA_DOUBLE(f64k8, "m16n8k8", D4, "{%4,%5,%6,%7}", "{%12,%13}",
           "{%16,%17,%18,%19}")
MMA_DOUBLE(f64k16, "m16n8k16", D4, "{%4,%5,%6,%7,%8,%9,%10,%11}",
           "{%12,%13,%14,%15}", "{%16,%17,%18,%19}")

//===--- Elements -------------------------------------------------------===//

struct Type {
  unsigned Bits;
  uint64_t (*Encode)(int);
};

static uint64_t bitsOfFloat(int V) {
  const float F = V;
  uint32_t Bits;
  memcpy(&Bits, &F, 4);
  return Bits;
}
/// The code of a number of eight bits, by trying all of them.
template <int Fraction> static uint64_t small(int V) {
  constexpr int Bias = Fraction == 3 ? 7 : 15;
  for (unsigned Code = 0; Code != 256; ++Code) {
    const int Exponent = (Code & 127) >> Fraction;
    const double Part = double(Code & ((1 << Fraction) - 1)) / (1 << Fraction);
    const double Value =
        Exponent ? ldexp(1 + Part, Exponent - Bias) : ldexp(Part, 1 - Bias);
    if ((Code & 128 ? -Value : Value) == V)
      return Code;
  }
  return ~0ULL;
}

const Type F16 = {16, [](int V) -> uint64_t {
                    return __half_as_ushort(__float2half(float(V)));
                  }};
const Type BF16 = {16, [](int V) -> uint64_t { return bitsOfFloat(V) >> 16; }};
const Type F32 = {32, bitsOfFloat}; // also tf32
const Type F64 = {64, [](int V) -> uint64_t {
                    const double D = V;
                    uint64_t Bits;
                    memcpy(&Bits, &D, 8);
                    return Bits;
                  }};
const Type I32 = {32, [](int V) -> uint64_t { return uint32_t(V); }};
const Type I8 = {8, [](int V) -> uint64_t { return uint8_t(V); }};
const Type I4 = {4, [](int V) -> uint64_t { return V & 15; }};
const Type E4M3 = {8, small<3>};
const Type E5M2 = {8, small<2>};

//===--- Comparison -----------------------------------------------------===//

/// The registers of 32 or 64 bits of all lanes, PerLane each.
template <typename Register> struct Registers {
  explicit Registers(int PerLane) : PerLane(PerLane) {
    CHECK(cudaMallocManaged(&Data, Lanes * PerLane * sizeof(Register)));
    memset(Data, 0, Lanes * PerLane * sizeof(Register));
  }
  ~Registers() { CHECK(cudaFree(Data)); }
  void set(int Lane, int I, const Type &T, int V) {
    const unsigned Elements = sizeof(Register) * 8 / T.Bits;
    Register Bits;
    memcpy(&Bits, &Data[Lane * PerLane + I / Elements], sizeof(Bits));
    uint64_t Old = 0;
    memcpy(&Old, &Bits, sizeof(Bits));
    Old |= T.Encode(V) << (I % Elements * T.Bits);
    memcpy(&Data[Lane * PerLane + I / Elements], &Old, sizeof(Bits));
  }
  int PerLane;
  Register *Data;
};

/// Multiplies matrices of M x K and K x 8 with numbers from LoA and LoB on.
template <typename Register>
static void check(void (*Kernel)(const Register *, const Register *,
                                 const Register *, Register *),
                  int M, int K, const Type &TA, const Type &TB, const Type &TD,
                  int LoA = -2, int LoB = -2) {
  constexpr bool IsWide = sizeof(Register) == 8;
  Registers<Register> A(IsWide ? 8 : 4), B(IsWide ? 4 : 2), C(4), D(4),
      Expected(4);
  std::vector<int> HA(M * K), HB(K * 8);
  for (int I = 0; I < M * K; ++I)
    HA[I] = LoA + I * 7 % 11 % 5;
  for (int I = 0; I < K * 8; ++I)
    HB[I] = LoB + I * 5 % 13 % 4;
  const int PerA = IsWide ? 1 : 32 / TA.Bits, PerB = IsWide ? 1 : 32 / TB.Bits;
  for (int Lane = 0; Lane < Lanes; ++Lane) {
    const int Group = Lane / 4, InGroup = Lane % 4;
    for (int I = 0; I < M * K / Lanes; ++I) {
      const int Place = I / PerA;
      const int Row = Group + (M == 16 && Place % 2 == 1 ? 8 : 0);
      const int Column =
          InGroup * PerA + I % PerA + (M == 16 ? Place / 2 : Place) * 4 * PerA;
      A.set(Lane, I, TA, HA[Row * K + Column]);
    }
    for (int I = 0; I < K * 8 / Lanes; ++I)
      B.set(Lane, I, TB,
            HB[(InGroup * PerB + I % PerB + I / PerB * 4 * PerB) * 8 + Group]);
    for (int I = 0; I < M * 8 / Lanes; ++I) {
      const int Row = Group + (I < 2 ? 0 : 8), Column = InGroup * 2 + I % 2;
      int Sum = Row - Column;
      C.set(Lane, I, TD, Sum);
      for (int L = 0; L < K; ++L)
        Sum += HA[Row * K + L] * HB[L * 8 + Column];
      Expected.set(Lane, I, TD, Sum);
    }
  }
  Kernel<<<1, Lanes>>>(A.Data, B.Data, C.Data, D.Data);
  CHECK(cudaDeviceSynchronize());
  EXPECT(memcmp(D.Data, Expected.Data, Lanes * 4 * sizeof(Register)) == 0);
}

//===--- Moves ----------------------------------------------------------===//

__device__ unsigned sharedAddress(const void *P) {
  return static_cast<unsigned>(__cvta_generic_to_shared(P));
}

/// Moves four matrices of 8 by 8 through registers, and transposes the last.
template <bool Transposed>
__global__ void moveMatrices(const uint16_t *In, uint32_t *Loaded,
                             uint16_t *Out) {
  __shared__ alignas(16) uint16_t From[4][8][8], To[4][8][8];
  for (int I = threadIdx.x; I < 256; I += Lanes)
    From[I / 64][I / 8 % 8][I % 8] = In[I];
  __syncwarp();
  const unsigned Source =
      sharedAddress(&From[threadIdx.x / 8][threadIdx.x % 8][0]);
  const unsigned Target =
      sharedAddress(&To[threadIdx.x / 8][threadIdx.x % 8][0]);
  uint32_t R0, R1, R2, R3;
  if (Transposed) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 "
                 "{%0,%1,%2,%3}, [%4];"
                 : "=r"(R0), "=r"(R1), "=r"(R2), "=r"(R3)
                 : "r"(Source));
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], "
                 "{%1,%2,%3,%4};" ::"r"(Target),
                 "r"(R0), "r"(R1), "r"(R2), "r"(R3));
  } else {
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
                 : "=r"(R0), "=r"(R1)
                 : "r"(Source));
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];"
                 : "=r"(R2)
                 : "r"(sharedAddress(&From[2][threadIdx.x % 8][0])));
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];"
                 : "=r"(R3)
                 : "r"(sharedAddress(&From[3][threadIdx.x % 8][0])));
    asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], "
                 "{%1,%2,%3,%4};" ::"r"(Target),
                 "r"(R0), "r"(R1), "r"(R2), "r"(R3));
  }
  __syncwarp();
  for (int I = threadIdx.x; I < 256; I += Lanes)
    Out[I] = To[I / 64][I / 8 % 8][I % 8];
  uint32_t Turned;
  asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;"
               : "=r"(Turned)
               : "r"(R3));
  Loaded += threadIdx.x * 5;
  Loaded[0] = R0, Loaded[1] = R1, Loaded[2] = R2, Loaded[3] = R3;
  Loaded[4] = Turned;
}

template <bool Transposed> static void checkMoves() {
  uint16_t *In, *Out;
  uint32_t *Loaded;
  CHECK(cudaMallocManaged(&In, 256 * sizeof(*In)));
  CHECK(cudaMallocManaged(&Out, 256 * sizeof(*Out)));
  CHECK(cudaMallocManaged(&Loaded, Lanes * 5 * sizeof(*Loaded)));
  for (int I = 0; I < 256; ++I)
    In[I] = I * 257 + 3;
  moveMatrices<Transposed><<<1, Lanes>>>(In, Loaded, Out);
  CHECK(cudaDeviceSynchronize());
  bool Same = true;
  for (int I = 0; I < 256; ++I)
    Same &= Out[I] == In[I / 64 * 64 + I % 8 * 8 + I / 8 % 8];
  for (int Lane = 0; Lane < Lanes; ++Lane)
    for (int J = 0; J < 5; ++J)
      for (int Half = 0; Half < 2; ++Half) {
        const int Row = Lane / 4, Column = Lane % 4 * 2 + Half;
        const bool Turn = (J == 4) != Transposed;
        const uint16_t V = In[(J < 4 ? J : 3) * 64 +
                              (Turn ? Column * 8 + Row : Row * 8 + Column)];
        Same &= uint16_t(Loaded[Lane * 5 + J] >> (16 * Half)) == V;
      }
  EXPECT(Same);
  CHECK(cudaFree(In));
  CHECK(cudaFree(Out));
  CHECK(cudaFree(Loaded));
}

int main() {
  check(f16k8f32, 16, 8, F16, F16, F32);
  check(f16k8f16, 16, 8, F16, F16, F16);
  check(f16k16f32, 16, 16, F16, F16, F32);
  check(f16k16f16, 16, 16, F16, F16, F16);
  check(bf16k8, 16, 8, BF16, BF16, F32);
  check(bf16k16, 16, 16, BF16, BF16, F32);
  check(tf32k4, 16, 4, F32, F32, F32);
  check(tf32k8, 16, 8, F32, F32, F32);
  check(s8m8, 8, 16, I8, I8, I32);
  check(s8u8k16, 16, 16, I8, I8, I32, -100, 200);
  check(u8s8k32, 16, 32, I8, I8, I32, 200, -100);
  check(s4m8, 8, 32, I4, I4, I32, -8, 4);
  check(u4s4k32, 16, 32, I4, I4, I32, 11, -8);
  check(s4u4k64, 16, 64, I4, I4, I32, -8, 12);
  check(e4m3, 16, 32, E4M3, E4M3, F32);
  check(e5m2, 16, 32, E5M2, E4M3, F32);
  check(f64m8, 8, 4, F64, F64, F64);
  check(f64k4, 16, 4, F64, F64, F64);
  check(f64k8, 16, 8, F64, F64, F64);
  check(f64k16, 16, 16, F64, F64, F64);
  checkMoves<false>();
  checkMoves<true>();
  return finish();
}
