//===- DeviceMath.cpp - Arithmetic without an instruction of the host -----===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arithmetic with a rounding other than to nearest: the host's mode is changed
// for one operation. The operands pass through memory that the compiler must
// assume changes, so that it cannot move the operation out of there.
//
//===----------------------------------------------------------------------===//

#include "gridspan/CpuCodes.h"
#include <algorithm>
#include <bit>
#include <cfenv>
#include <cmath>
#include <cstdint>

using namespace gridspan;

// Visible, so that programs may take them from libgridspan.so.
#define GRIDSPAN_DEVICE_CALL extern "C" __attribute__((visibility("default")))

namespace {

/// Sets the host's rounding mode for its lifetime.
class RoundingScope {
public:
  explicit RoundingScope(uint32_t Mode) : Before(std::fegetround()) {
    constexpr int Modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD,
                             FE_UPWARD};
    std::fesetround(Modes[Mode & 3]);
  }
  ~RoundingScope() { std::fesetround(Before); }

private:
  int Before;
};

/// Returns a value that the compiler cannot know.
template <typename T> T opaque(T Value) {
  asm volatile("" : "+x"(Value) : : "memory");
  return Value;
}

} // namespace

#define GRIDSPAN_ROUNDED(T, Suffix)                                            \
  GRIDSPAN_DEVICE_CALL T __gridspan_cpu_add_##Suffix(T A, T B, uint32_t M) {   \
    RoundingScope Scope(M);                                                    \
    return opaque(opaque(A) + opaque(B));                                      \
  }                                                                            \
  GRIDSPAN_DEVICE_CALL T __gridspan_cpu_sub_##Suffix(T A, T B, uint32_t M) {   \
    RoundingScope Scope(M);                                                    \
    return opaque(opaque(A) - opaque(B));                                      \
  }                                                                            \
  GRIDSPAN_DEVICE_CALL T __gridspan_cpu_mul_##Suffix(T A, T B, uint32_t M) {   \
    RoundingScope Scope(M);                                                    \
    return opaque(opaque(A) * opaque(B));                                      \
  }                                                                            \
  GRIDSPAN_DEVICE_CALL T __gridspan_cpu_div_##Suffix(T A, T B, uint32_t M) {   \
    RoundingScope Scope(M);                                                    \
    return opaque(opaque(A) / opaque(B));                                      \
  }                                                                            \
  GRIDSPAN_DEVICE_CALL T __gridspan_cpu_rcp_##Suffix(T A, uint32_t M) {        \
    RoundingScope Scope(M);                                                    \
    return opaque(opaque(T(1)) / opaque(A));                                   \
  }                                                                            \
  GRIDSPAN_DEVICE_CALL T __gridspan_cpu_sqrt_##Suffix(T A, uint32_t M) {       \
    RoundingScope Scope(M);                                                    \
    return opaque(std::sqrt(opaque(A)));                                       \
  }                                                                            \
  GRIDSPAN_DEVICE_CALL T __gridspan_cpu_fma_##Suffix(T A, T B, T C,            \
                                                     uint32_t M) {             \
    RoundingScope Scope(M);                                                    \
    return opaque(std::fma(opaque(A), opaque(B), opaque(C)));                  \
  }                                                                            \
  GRIDSPAN_DEVICE_CALL T __gridspan_cpu_s64_to_##Suffix(int64_t A,             \
                                                        uint32_t M) {          \
    RoundingScope Scope(M);                                                    \
    asm volatile("" : "+r"(A) : : "memory");                                   \
    return opaque(T(A));                                                       \
  }                                                                            \
  GRIDSPAN_DEVICE_CALL T __gridspan_cpu_u64_to_##Suffix(uint64_t A,            \
                                                        uint32_t M) {          \
    RoundingScope Scope(M);                                                    \
    /* The upper bit separately: the host converts signed numbers. The half */ \
    /* keeps the lost bit, so that it is rounded once. */                      \
    const bool Large = A >> 63;                                                \
    int64_t Half = Large ? int64_t(A >> 1 | (A & 1)) : int64_t(A);             \
    asm volatile("" : "+r"(Half) : : "memory");                                \
    const T Value = opaque(T(Half));                                           \
    return Large ? Value * 2 : Value;                                          \
  }

GRIDSPAN_ROUNDED(float, f32)
GRIDSPAN_ROUNDED(double, f64)

GRIDSPAN_DEVICE_CALL float __gridspan_cpu_f64_to_f32(double A, uint32_t M) {
  RoundingScope Scope(M);
  return opaque(float(opaque(A)));
}

GRIDSPAN_DEVICE_CALL float __gridspan_cpu_tanh_f32(float A) {
  return std::tanh(A);
}

/// prmt: byte I of the result is byte S of B:A, S the I-th nibble of Selector;
/// with the nibble's upper bit, the byte's sign everywhere.
GRIDSPAN_DEVICE_CALL uint32_t __gridspan_cpu_prmt(uint32_t A, uint32_t B,
                                                  uint32_t Selector) {
  const uint64_t Bytes = uint64_t(B) << 32 | A;
  uint32_t Result = 0;
  for (unsigned I = 0; I != 4; ++I) {
    const uint32_t Nibble = Selector >> (4 * I) & 15;
    uint32_t Byte = Bytes >> (8 * (Nibble & 7)) & 255;
    if (Nibble & 8)
      Byte = Byte & 128 ? 255 : 0;
    Result |= Byte << (8 * I);
  }
  return Result;
}

/// fns: the position of the Offset-th set bit of Mask, counted from Base
/// upwards (or downwards, if Offset is negative); ~0 when there is none.
GRIDSPAN_DEVICE_CALL uint32_t __gridspan_cpu_fns(uint32_t Mask, uint32_t Base,
                                                 int32_t Offset) {
  if (Offset == 0)
    return Base < 32 && (Mask >> Base & 1) ? Base : ~0u;
  const int Step = Offset > 0 ? 1 : -1;
  int Left = Offset > 0 ? Offset : -Offset;
  for (int64_t I = Base; I >= 0 && I < 32; I += Step)
    if ((Mask >> I & 1) && --Left == 0)
      return uint32_t(I);
  return ~0u;
}

/// Rounds to bfloat16 for compilers; libgcc has it from version 13 on. Works on
/// the bits: adds half of the dropped ones, less one bit where that makes the
/// result even.
// NOLINTNEXTLINE(readability-identifier-naming): the compiler's name
extern "C" __attribute__((weak)) __bf16 __truncsfbf2(float A) {
  uint32_t Bits = std::bit_cast<uint32_t>(A);
  if ((Bits & 0x7fffffff) > 0x7f800000)
    Bits |= 0x00400000; // NaN stays one
  else
    Bits += 0x7fff + (Bits >> 16 & 1);
  return std::bit_cast<__bf16>(static_cast<uint16_t>(Bits >> 16));
}

/// Rounds to a float whose last bit is set if anything was lost, so that a
/// second rounding is the only one that counts.
// NOLINTNEXTLINE(readability-identifier-naming): the compiler's name
extern "C" __attribute__((weak)) __bf16 __truncdfbf2(double A) {
  float Narrow = static_cast<float>(A);
  if (static_cast<double>(Narrow) != A && !std::isnan(A)) {
    uint32_t Bits = std::bit_cast<uint32_t>(Narrow);
    const bool Exceeds = std::fabs(static_cast<double>(Narrow)) > std::fabs(A);
    Bits = (Exceeds ? Bits - 1 : Bits) | 1;
    Narrow = std::bit_cast<float>(Bits);
  }
  return __truncsfbf2(Narrow);
}

/// Returns a number with the lower Count bits set.
static uint64_t lowBits(uint32_t Count) {
  return Count >= 64 ? ~uint64_t(0) : (uint64_t(1) << Count) - 1;
}

/// bfe: Length bits of A from Start on; above them zeros, or copies of the last
/// of them, or of A's sign where it ends before. A is extended to 64 bits.
GRIDSPAN_DEVICE_CALL uint64_t __gridspan_cpu_bfe(uint64_t A, uint32_t Start,
                                                 uint32_t Length,
                                                 uint32_t Width,
                                                 uint32_t Signed) {
  if (Length == 0)
    return 0;
  const uint32_t Last = std::min(Start + Length - 1, Width - 1);
  const bool Sign = Signed && (A >> Last & 1);
  const uint64_t Field =
      Start >= Width ? 0 : (A & lowBits(Width)) >> Start & lowBits(Length);
  const uint32_t Known = Start >= Width ? 0 : std::min(Length, Width - Start);
  return Sign ? Field | ~lowBits(Known) : Field & lowBits(Known);
}

/// bfi: B with the low Length bits of A from Start on.
GRIDSPAN_DEVICE_CALL uint64_t __gridspan_cpu_bfi(uint64_t A, uint64_t B,
                                                 uint32_t Start,
                                                 uint32_t Length,
                                                 uint32_t Width) {
  if (Start >= Width)
    return B;
  const uint64_t Field = lowBits(Length) << Start;
  return (B & ~Field) | (A << Start & Field);
}
