//===- WarpMatrix.cpp - Products of matrices by a warp --------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The fragments of all lanes, one after the other, are the matrix row by row,
// or in the order that PTX gives. Halves and the like are multiplied and added
// as floats: their products are exact, and CUDA leaves open how sums are
// rounded. Sums of integers wrap around or saturate at the end, as those of at
// most 64 products and an addend fit into 64 bits.
//
// Source: PTX ISA, "Warp Level Matrix Multiply-Accumulate Instructions";
// the order of mma.sync is that of its figures for each shape, which follow
// from the bits of an element.
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/cpu/WarpMatrix.h"
#include <algorithm>
#include <bit>
#include <cstring>
#include <cuda_fp16.h>
#include <limits>

namespace gridspan {

namespace {

constexpr unsigned MostElements = 16 * 64;

/// The bytes of a matrix, and how they are divided among lanes.
struct MatrixBytes {
  unsigned Bytes = 0;
  unsigned LaneBytes = 0;

  MatrixBytes(const MatrixProduct &P, unsigned Elements, MatrixElement E,
              bool IsFactor)
      : Bytes(Elements * bitsOf(E) / 8),
        LaneBytes(P.fragmentOf(Elements, E, IsFactor) * bitsOf(E) / 8) {}

  unsigned lanes() const { return Bytes / LaneBytes; }
};

} // namespace

static void gather(const MatrixBytes &M, const LaneFragments &Lanes,
                   FragmentPlace Place, std::byte *Out) {
  for (unsigned Lane = 0; Lane != M.lanes(); ++Lane, Out += M.LaneBytes)
    if (Lanes[Lane])
      std::memcpy(Out, Lanes[Lane] + Place * MatrixFragmentBytes, M.LaneBytes);
    else
      std::memset(Out, 0, M.LaneBytes);
}

static void scatter(const MatrixBytes &M, const LaneFragments &Lanes,
                    const std::byte *From) {
  for (unsigned Lane = 0; Lane != WarpSize; ++Lane)
    if (Lanes[Lane])
      std::memcpy(Lanes[Lane] + PlaceD * MatrixFragmentBytes,
                  From + Lane * M.LaneBytes, M.LaneBytes);
}

/// Returns the value of a half. Without branches, so that rows of them are
/// converted together.
static float widenHalf(uint16_t Half) {
  constexpr float Scale = 0x1p112F; // between the exponents' biases
  const uint32_t Magnitude = (Half & 0x7fffU) << 13;
  const uint32_t Finite =
      std::bit_cast<uint32_t>(std::bit_cast<float>(Magnitude) * Scale);
  const uint32_t Infinite = Magnitude | 0x7f800000U;
  const uint32_t Sign = (Half & 0x8000U) << 16;
  return std::bit_cast<float>(
      ((Half & 0x7c00U) == 0x7c00U ? Infinite : Finite) | Sign);
}

/// Returns the value of a number of eight bits whose exponent has four: a half,
/// but for the exponent's bias and the missing infinity.
static float widenE4M3(uint8_t Bits) {
  const unsigned Magnitude = Bits & 0x7fU;
  const float Value = Magnitude == 0x7fU
                          ? std::numeric_limits<float>::quiet_NaN()
                          : widenHalf(Magnitude << 7) * 0x1p8F;
  return Bits & 0x80U ? -Value : Value;
}

/// Converts numbers of four bits, the lower one of a byte first.
template <typename T>
static void widenNibbles(bool IsSigned, const std::byte *In, unsigned Count,
                         T *Out) {
  for (unsigned I = 0; I != Count; ++I) {
    const auto Bits = unsigned(In[I / 2]) >> (I % 2 * 4) & 15U;
    Out[I] = static_cast<T>(IsSigned && Bits > 7 ? int(Bits) - 16 : int(Bits));
  }
}

/// Converts Count elements at In, of type E, to numbers.
template <typename T>
static void widen(MatrixElement E, const std::byte *In, unsigned Count,
                  T *Out) {
  const auto Each = [&]<typename Raw>(Raw, auto &&Value) {
    for (unsigned I = 0; I != Count; ++I) {
      Raw Element;
      std::memcpy(&Element, In + I * sizeof(Raw), sizeof(Raw));
      Out[I] = static_cast<T>(Value(Element));
    }
  };
  switch (E) {
  case MatrixElement::Half:
    return Each(uint16_t(), widenHalf);
  case MatrixElement::BFloat:
    return Each(uint16_t(), [](uint16_t X) {
      return std::bit_cast<float>(uint32_t(X) << 16);
    });
  case MatrixElement::TensorFloat:
    return Each(uint32_t(), [](uint32_t X) {
      return std::bit_cast<float>(X & 0xffffe000U);
    });
  case MatrixElement::Float:
    return Each(float(), [](float X) { return X; });
  case MatrixElement::Double:
    return Each(double(), [](double X) { return X; });
  case MatrixElement::Signed8:
    return Each(int8_t(), [](int8_t X) { return X; });
  case MatrixElement::Unsigned8:
    return Each(uint8_t(), [](uint8_t X) { return X; });
  case MatrixElement::Signed32:
    return Each(int32_t(), [](int32_t X) { return X; });
  case MatrixElement::Signed4:
  case MatrixElement::Unsigned4:
    return widenNibbles(E == MatrixElement::Signed4, In, Count, Out);
  case MatrixElement::FloatE4M3:
    return Each(uint8_t(), widenE4M3);
  case MatrixElement::FloatE5M2:
    return Each(uint8_t(), [](uint8_t X) { return widenHalf(X << 8); });
  }
}

template <typename T>
static void narrow(const MatrixProduct &P, const T *In, unsigned Count,
                   std::byte *Out) {
  const auto Each = [&](auto &&Value) {
    for (unsigned I = 0; I != Count; ++I) {
      const auto Element = Value(In[I]);
      std::memcpy(Out + I * sizeof(Element), &Element, sizeof(Element));
    }
  };
  switch (P.Result) {
  case MatrixElement::Half:
    return Each([&](T X) {
      const auto Wide = static_cast<float>(X);
      constexpr float Most = 65504;
      return __float2half_rn(P.Saturates ? std::clamp(Wide, -Most, Most)
                                         : Wide);
    });
  case MatrixElement::Signed32:
    return Each([&](T X) {
      using Limits = std::numeric_limits<int32_t>;
      const auto Wide = static_cast<int64_t>(X);
      return static_cast<int32_t>(
          P.Saturates ? std::clamp<int64_t>(Wide, Limits::min(), Limits::max())
                      : Wide);
    });
  case MatrixElement::Double:
    return Each([](T X) { return static_cast<double>(X); });
  default:
    return Each([](T X) { return static_cast<float>(X); });
  }
}

template <typename T, unsigned N>
static void accumulate(unsigned M, unsigned K, const T *A, const T *B, T *C) {
  for (unsigned I = 0; I != M; ++I)
    for (unsigned L = 0; L != K; ++L)
      for (unsigned J = 0; J != N; ++J)
        C[I * N + J] += A[I * K + L] * B[L * N + J];
}

//===--- The order of mma.sync ------------------------------------------===//

/// Calls Use with the number of each element of A, in the lanes' order, and its
/// place in the matrix. Four lanes share a row, and have a register each in
/// turn.
template <typename Fn> static void forOrderA(const MatrixProduct &P, Fn Use) {
  const unsigned PerRegister = std::max(1U, 32 / bitsOf(P.A));
  const unsigned Rows = P.M / 8, Count = P.M * P.K / WarpSize;
  for (unsigned Lane = 0; Lane != WarpSize; ++Lane)
    for (unsigned I = 0; I != Count; ++I) {
      const unsigned Register = I / PerRegister;
      const unsigned Row = Lane / 4 + Register % Rows * 8;
      const unsigned Column =
          (Register / Rows * 4 + Lane % 4) * PerRegister + I % PerRegister;
      Use(Lane * Count + I, Row * P.K + Column);
    }
}

/// The same for B, of whose columns four lanes share one.
template <typename Fn> static void forOrderB(const MatrixProduct &P, Fn Use) {
  const unsigned PerRegister = std::max(1U, 32 / bitsOf(P.B));
  const unsigned Count = P.K * P.N / WarpSize;
  for (unsigned Lane = 0; Lane != WarpSize; ++Lane)
    for (unsigned I = 0; I != Count; ++I) {
      const unsigned Row =
          (I / PerRegister * 4 + Lane % 4) * PerRegister + I % PerRegister;
      Use(Lane * Count + I, Row * P.N + Lane / 4);
    }
}

/// The same for C and D, whatever their type.
template <typename Fn> static void forOrderD(const MatrixProduct &P, Fn Use) {
  const unsigned Count = P.M * P.N / WarpSize;
  for (unsigned Lane = 0; Lane != WarpSize; ++Lane)
    for (unsigned I = 0; I != Count; ++I)
      Use(Lane * Count + I,
          (Lane / 4 + I / 2 * 8) * P.N + Lane % 4 * 2 + I % 2);
}

//===--- Multiplying ----------------------------------------------------===//

/// Multiplies with numbers of type T.
template <typename T>
static void multiply(const MatrixProduct &P, const LaneFragments &Lanes) {
  alignas(64) std::byte Raw[MostElements * 8];
  alignas(64) T A[MostElements], B[MostElements], Sums[MostElements];
  alignas(64) T InLanes[MostElements];
  const bool IsPtx = P.Order == FragmentOrder::Ptx;
  const auto Read = [&](unsigned Count, MatrixElement E, bool IsFactor,
                        FragmentPlace Place, T *Out, auto ForOrder) {
    gather({P, Count, E, IsFactor}, Lanes, Place, Raw);
    widen(E, Raw, Count, IsPtx ? InLanes : Out);
    if (IsPtx)
      ForOrder(P, [&](unsigned From, unsigned To) { Out[To] = InLanes[From]; });
  };
  const auto OrderA = [](auto &&...X) { forOrderA(X...); };
  const auto OrderB = [](auto &&...X) { forOrderB(X...); };
  const auto OrderD = [](auto &&...X) { forOrderD(X...); };
  Read(P.M * P.K, P.A, true, PlaceA, A, OrderA);
  Read(P.K * P.N, P.B, true, PlaceB, B, OrderB);
  Read(P.M * P.N, P.Addend, false, PlaceC, Sums, OrderD);
  if (P.N == 8)
    accumulate<T, 8>(P.M, P.K, A, B, Sums);
  else if (P.N == 16)
    accumulate<T, 16>(P.M, P.K, A, B, Sums);
  else
    accumulate<T, 32>(P.M, P.K, A, B, Sums);
  if (IsPtx)
    forOrderD(P, [&](unsigned To, unsigned From) { InLanes[To] = Sums[From]; });
  narrow(P, IsPtx ? InLanes : Sums, P.M * P.N, Raw);
  scatter({P, P.M * P.N, P.Result, false}, Lanes, Raw);
}

void multiplyFragments(const MatrixProduct &P, const LaneFragments &Lanes) {
  if (P.Result == MatrixElement::Double)
    multiply<double>(P, Lanes);
  else if (P.Result == MatrixElement::Signed32)
    multiply<int64_t>(P, Lanes);
  else
    multiply<float>(P, Lanes);
}

} // namespace gridspan
