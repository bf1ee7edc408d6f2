// Video instructions and conversions to TF32 in inline assembly, against what
// the PTX manual says of them.
// RUN: %gridspan++ -O2 %s -o %t
// RUN: env GRIDSPAN_DEVICES=cpu %t | FileCheck %s
// CHECK: 30 instructions, 0 wrong
// CHECK: parts, shifts and products: {{[0-9]+}} instructions, 0 wrong
// CHECK: tf32: 0 wrong
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <vector>

// Opcode, modifiers, operation, lanes; the result and both operands signed;
// saturated; what is done with the third operand: nothing, added, min or max.
#define SIMD(X)                                                                \
  X("vadd4.u32.u32.u32", '+', 4, 0, 0, 0, 0, 0)                                \
  X("vadd4.s32.s32.s32.sat", '+', 4, 1, 1, 1, 1, 0)                            \
  X("vadd4.u32.u32.u32.sat", '+', 4, 0, 0, 0, 1, 0)                            \
  X("vadd2.s32.s32.u32.sat", '+', 2, 1, 1, 0, 1, 0)                            \
  X("vadd2.u32.u32.u32.add", '+', 2, 0, 0, 0, 0, '+')                          \
  X("vsub4.s32.u32.u32", '-', 4, 1, 0, 0, 0, 0)                                \
  X("vsub2.u32.u32.u32.sat", '-', 2, 0, 0, 0, 1, 0)                            \
  X("vsub4.s32.s32.s32.add", '-', 4, 1, 1, 1, 0, '+')                          \
  X("vavrg4.u32.u32.u32", 'v', 4, 0, 0, 0, 0, 0)                               \
  X("vavrg2.s32.s32.s32", 'v', 2, 1, 1, 1, 0, 0)                               \
  X("vabsdiff4.u32.u32.u32", 'd', 4, 0, 0, 0, 0, 0)                            \
  X("vabsdiff4.u32.u32.u32.add", 'd', 4, 0, 0, 0, 0, '+')                      \
  X("vabsdiff2.s32.s32.s32.sat", 'd', 2, 1, 1, 1, 1, 0)                        \
  X("vmin4.s32.s32.s32", 'm', 4, 1, 1, 1, 0, 0)                                \
  X("vmin2.u32.u32.u32", 'm', 2, 0, 0, 0, 0, 0)                                \
  X("vmax4.u32.u32.s32", 'M', 4, 0, 0, 1, 0, 0)                                \
  X("vmax2.s32.s32.s32.add", 'M', 2, 1, 1, 1, 0, '+')                          \
  X("vset4.u32.u32.lt", '<', 4, 0, 0, 0, 0, 0)                                 \
  X("vset2.s32.s32.ge", 'g', 2, 0, 1, 1, 0, 0)                                 \
  X("vset4.s32.u32.ne.add", '!', 4, 0, 1, 0, 0, '+')                           \
  X("vadd.u32.u32.u32.add", '+', 1, 0, 0, 0, 0, '+')                           \
  X("vsub.s32.s32.s32.sat.min", '-', 1, 1, 1, 1, 1, 'm')                       \
  X("vabsdiff.u32.s32.s32.max", 'd', 1, 0, 1, 1, 0, 'M')

#define SCALAR(X)                                                              \
  X("vadd.s32.s32.s32.sat", '+', 1, 1, 1, 1, 1, 0)                             \
  X("vadd.u32.u32.s32.sat", '+', 1, 0, 0, 1, 1, 0)                             \
  X("vsub.u32.u32.u32", '-', 1, 0, 0, 0, 0, 0)                                 \
  X("vabsdiff.s32.s32.s32", 'd', 1, 1, 1, 1, 0, 0)                             \
  X("vmin.s32.s32.u32", 'm', 1, 1, 1, 0, 0, 0)                                 \
  X("vmax.u32.u32.u32", 'M', 1, 0, 0, 0, 0, 0)                                 \
  X("vset.s32.u32.le", 'l', 1, 0, 1, 0, 0, 0)

struct Instruction {
  const char *Text;
  char Operation;
  int Lanes;
  bool ResultSigned, LeftSigned, RightSigned, Saturates;
  char Second;
};
static const Instruction All[] = {
#define ROW(...) {__VA_ARGS__},
    SIMD(ROW) SCALAR(ROW)};
constexpr int Count = sizeof(All) / sizeof(All[0]);

__global__ void run(const uint32_t *A, const uint32_t *B, const uint32_t *C,
                    uint32_t *Out, int N) {
  const int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I >= N)
    return;
  uint32_t *To = Out + size_t(I) * Count;
#define WITH_THIRD(Text, ...)                                                  \
  asm(Text " %0, %1, %2, %3;" : "=r"(*To) : "r"(A[I]), "r"(B[I]), "r"(C[I]));  \
  ++To;
#define WITHOUT(Text, ...)                                                     \
  asm(Text " %0, %1, %2;" : "=r"(*To) : "r"(A[I]), "r"(B[I]));                 \
  ++To;
  SIMD(WITH_THIRD)
  SCALAR(WITHOUT)
}

static int64_t extended(uint32_t Word, int Lane, int Bits, bool IsSigned) {
  const uint64_t V =
      uint64_t(Word) >> (Lane * Bits) & ((uint64_t(1) << Bits) - 1);
  const bool IsNegative = IsSigned && V >> (Bits - 1);
  return int64_t(V) - (IsNegative ? int64_t(1) << Bits : 0);
}

static int64_t calculated(char Operation, int64_t L, int64_t R) {
  switch (Operation) {
  case '+':
    return L + R;
  case '-':
    return L - R;
  case 'v':
    return L + R >= 0 ? (L + R + 1) / 2 : (L + R) >> 1;
  case 'd':
    return std::llabs(L - R);
  case 'm':
    return std::min(L, R);
  case 'M':
    return std::max(L, R);
  case '<':
    return L < R;
  case 'l':
    return L <= R;
  case 'g':
    return L >= R;
  default:
    return L != R;
  }
}

static uint32_t expected(const Instruction &I, uint32_t A, uint32_t B,
                         uint32_t C) {
  const int Bits = 32 / I.Lanes;
  int64_t Sum = 0;
  uint32_t Merged = 0;
  for (int Lane = 0; Lane < I.Lanes; ++Lane) {
    int64_t V = calculated(I.Operation, extended(A, Lane, Bits, I.LeftSigned),
                           extended(B, Lane, Bits, I.RightSigned));
    const int64_t All = int64_t(1) << Bits;
    if (I.Saturates)
      V = I.ResultSigned ? std::clamp(V, -All / 2, All / 2 - 1)
                         : std::clamp<int64_t>(V, 0, All - 1);
    Sum += V;
    Merged |= uint32_t(V & (All - 1)) << (Lane * Bits);
  }
  const int64_t Third = extended(C, 0, 32, I.ResultSigned);
  return I.Second == '+'   ? uint32_t(Sum + Third)
         : I.Second == 'm' ? uint32_t(std::min(Sum, Third))
         : I.Second == 'M' ? uint32_t(std::max(Sum, Third))
                           : Merged;
}

// Parts of words, shifts and products: the text with its operands, and what it
// is for A, B and C.
#define PARTS(X)                                                               \
  X("vadd.u32.u32.u32 %0, %1.b1, %2.h1;", part(A, 8, 8) + part(B, 16, 16))     \
  X("vadd.s32.s32.u32 %0, %1.b3, %2.b0;",                                      \
    signedPart(A, 24, 8) + part(B, 0, 8))                                      \
  X("vsub.s32.s32.s32.sat %0.h1, %1, %2.h0, %3;",                              \
    put(C, 16, 16,                                                             \
        fit(signedPart(A, 0, 32) - signedPart(B, 0, 16), 16, true)))           \
  X("vabsdiff.u32.u32.u32.sat %0.b2, %1, %2, %3;",                             \
    put(C, 16, 8, fit(std::llabs(part(A, 0, 32) - part(B, 0, 32)), 8, false))) \
  X("vmax.s32.s32.s32.add %0, %1.h0, %2.b1, %3;",                              \
    std::max(signedPart(A, 0, 16), signedPart(B, 8, 8)) + C)                   \
  X("vset.s32.u32.lt %0.b0, %1.b2, %2.b2, %3;",                                \
    put(C, 0, 8, signedPart(A, 16, 8) < part(B, 16, 8)))                       \
  X("vshl.u32.u32.u32.clamp %0, %1, %2.b0;",                                   \
    uint64_t(A) << std::min<uint64_t>(part(B, 0, 8), 32))                      \
  X("vshl.s32.s32.u32.sat.wrap %0, %1.h0, %2;",                                \
    fit(signedPart(A, 0, 16) * (int64_t(1) << (B & 31)), 32, true))            \
  X("vshl.u32.u32.u32.sat.clamp.min %0, %1.b0, %2.b1, %3;",                    \
    std::min(                                                                  \
        fit(int64_t(part(A, 0, 8) << std::min<int64_t>(part(B, 8, 8), 32)),    \
            32, false),                                                        \
        part(C, 0, 32)))                                                       \
  X("vshr.s32.s32.u32.clamp %0, %1, %2.b3;",                                   \
    signedPart(A, 0, 32) >> std::min<int64_t>(part(B, 24, 8), 32))             \
  X("vshr.u32.u32.u32.wrap %0, %1, %2.h1;", A >> (part(B, 16, 16) & 31))       \
  X("vshr.u32.s32.u32.wrap.add %0, %1, %2, %3;",                               \
    (signedPart(A, 0, 32) >> (B & 31)) + C)                                    \
  X("vmad.u32.u32.u32 %0, %1, %2, %3;", A *B + C)                              \
  X("vmad.s32.s32.s32.sat %0, %1, %2.h0, %3;",                                 \
    fit(signedPart(A, 0, 32) * signedPart(B, 0, 16) + signedPart(C, 0, 32),    \
        32, true))                                                             \
  X("vmad.u32.u32.u32.sat.shr7 %0, %1, %2, %3;",                               \
    std::min<Wide>((Wide(A) * B + C) >> 7, ~0u))                               \
  X("vmad.s32.u32.u32.sat.shr15 %0, -%1, %2, %3;",                             \
    std::clamp<Wide>((-(Wide(A) * B) + signedPart(C, 0, 32)) >> 15,            \
                     -(Wide(1) << 31), (Wide(1) << 31) - 1))                   \
  X("vmad.s32.s32.u32.shr7 %0, %1, %2, -%3;",                                  \
    (Wide(signedPart(A, 0, 32)) * B - signedPart(C, 0, 32)) >> 7)              \
  X("vmad.s32.s32.s32 %0, -%1.b0, -%2.b1, %3;",                                \
    signedPart(A, 0, 8) * signedPart(B, 8, 8) + C)                             \
  X("vmad.u32.u32.u32.po.sat.shr7 %0, %1, %2, %3;",                            \
    std::min<Wide>((Wide(A) * B + C + 1) >> 7, ~0u))                           \
  X("vadd2.u32.u32.u32 %0, %1.h03, %2.h21, %3;",                               \
    put(put(0, 16, 16, part(A, 0, 16) + part(B, 0, 16)), 0, 16,                \
        part(B, 16, 16) + part(A, 16, 16)))                                    \
  X("vsub4.s32.s32.s32.sat %0.b31, %1, %2, %3;",                               \
    put(put(C, 24, 8,                                                          \
            fit(signedPart(A, 24, 8) - signedPart(B, 24, 8), 8, true)),        \
        8, 8, fit(signedPart(A, 8, 8) - signedPart(B, 8, 8), 8, true)))        \
  X("vabsdiff4.u32.u32.u32.add %0.b20, %1.b3210, %2.b7654, %3;",               \
    std::llabs(part(A, 0, 8) - part(B, 0, 8)) +                                \
        std::llabs(part(A, 16, 8) - part(B, 16, 8)) + C)

using Wide = __int128;

static int64_t part(uint32_t Word, int From, int Bits) {
  return extended(Word >> From, 0, Bits, false);
}
static int64_t signedPart(uint32_t Word, int From, int Bits) {
  return extended(Word >> From, 0, Bits, true);
}
static int64_t fit(int64_t V, int Bits, bool IsSigned) {
  const int64_t All = int64_t(1) << Bits;
  return IsSigned ? std::clamp(V, -All / 2, All / 2 - 1)
                  : std::clamp<int64_t>(V, 0, All - 1);
}
static uint32_t put(uint32_t Word, int From, int Bits, int64_t V) {
  const uint32_t Mask = ((uint64_t(1) << Bits) - 1) << From;
  return (Word & ~Mask) | (uint32_t(V) << From & Mask);
}

static const char *const PartTexts[] = {
#define TEXT(Text, ...) Text,
    PARTS(TEXT)};
constexpr int PartCount = sizeof(PartTexts) / sizeof(PartTexts[0]);

__global__ void runParts(const uint32_t *A, const uint32_t *B,
                         const uint32_t *C, uint32_t *Out, int N) {
  const int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I >= N)
    return;
  uint32_t *To = Out + size_t(I) * PartCount;
#define RUN(Text, ...)                                                         \
  asm(Text : "=r"(*To) : "r"(A[I]), "r"(B[I]), "r"(C[I]));                     \
  ++To;
  PARTS(RUN)
}

static std::vector<uint32_t> expectedParts(uint32_t A, uint32_t B, uint32_t C) {
#define VALUE(Text, ...) uint32_t(__VA_ARGS__),
  return {PARTS(VALUE)};
}

__global__ void toTf32(const float *In, uint32_t *Out, int N) {
  const int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < N)
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(Out[I]) : "f"(In[I]));
}

template <typename T> static T *managed(int N) {
  void *P = nullptr;
  cudaMallocManaged(&P, N * sizeof(T));
  return static_cast<T *>(P);
}

int main() {
  constexpr int N = 4096;
  std::mt19937 Random(7);
  uint32_t *A = managed<uint32_t>(N), *B = managed<uint32_t>(N);
  uint32_t *C = managed<uint32_t>(N), *Out = managed<uint32_t>(N * Count);
  const uint32_t Corners[] = {0, 1, 0x7f7f7f7f, 0x80808080, 0x7fff8000, ~0u};
  for (int I = 0; I < N; ++I) {
    A[I] = I % 3 ? Random() : Corners[Random() % 6];
    B[I] = I % 5 ? Random() : Corners[Random() % 6];
    C[I] = I % 7 ? Random() : Corners[Random() % 6];
  }
  run<<<N / 128, 128>>>(A, B, C, Out, N);
  int Wrong = cudaDeviceSynchronize() != cudaSuccess;
  for (int I = 0; I < N; ++I)
    for (int K = 0; K < Count; ++K)
      if (Out[size_t(I) * Count + K] != expected(All[K], A[I], B[I], C[I])) {
        if (!Wrong++)
          printf("%s\n", All[K].Text);
      }
  printf("%d instructions, %d wrong\n", Count, Wrong);

  uint32_t *Parts = managed<uint32_t>(N * PartCount);
  runParts<<<N / 128, 128>>>(A, B, C, Parts, N);
  Wrong = cudaDeviceSynchronize() != cudaSuccess;
  for (int I = 0; I < N; ++I) {
    const std::vector<uint32_t> Expected = expectedParts(A[I], B[I], C[I]);
    for (int K = 0; K < PartCount; ++K)
      if (Parts[size_t(I) * PartCount + K] != Expected[K] && !Wrong++)
        printf("%s %x %x %x: %x, not %x\n", PartTexts[K], A[I], B[I], C[I],
               Parts[size_t(I) * PartCount + K], Expected[K]);
  }
  printf("parts, shifts and products: %d instructions, %d wrong\n", PartCount,
         Wrong);

  // The nearest number with 10 bits of fraction, halves away from zero.
  float *In = managed<float>(N);
  for (int I = 0; I < N; ++I) {
    uint32_t Bits = Random();
    if (I % 4 == 0)
      Bits = (Bits & 0xffffe000) | (I % 8 ? 0x1000 : 0xfff);
    memcpy(&In[I], &Bits, 4);
  }
  In[0] = INFINITY, In[1] = -0.0f, In[2] = 3.4028235e38f, In[3] = NAN;
  toTf32<<<N / 128, 128>>>(In, Out, N);
  Wrong = cudaDeviceSynchronize() != cudaSuccess;
  for (int I = 0; I < N; ++I) {
    float Got;
    memcpy(&Got, &Out[I], 4);
    if (In[I] != In[I]) {
      Wrong += Out[I] != 0x7fffffff;
      continue;
    }
    uint32_t Bits;
    memcpy(&Bits, &In[I], 4);
    const uint32_t Low = Bits & 0xffffe000, High = Low + 0x2000;
    const bool Up = (Bits & 0x1fff) >= 0x1000;
    Wrong += Out[I] != (Up ? High : Low);
  }
  printf("tf32: %d wrong\n", Wrong);
}
