//===- RowWindow.cpp - Pieces of rows that are read packed ----------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The division by the pitch P (Granlund and Montgomery, PLDI 1994,
// theorem 4.2), where P = D * 2^B with the largest B that leaves D >= 2: the
// row of byte X is floor(Q / D) with Q = floor(X / 2^B). With L = ceil(log2 D)
// and Magic = floor(2^(31+L) / D) + 1, which is at most 2^32 - 1 as D >
// 2^(L-1), Magic * D = 2^(31+L) + E with 0 < E <= D <= 2^L, and
//
//   floor(Q * Magic / 2^(31+L)) = floor(Q / D)    for all Q * E < 2^(31+L),
//
// so for all Q < 2^31: windows of less than 2^(31+B) bytes.
//
//===----------------------------------------------------------------------===//

#include "runtime/outofcore/RowWindow.h"
#include <algorithm>
#include <bit>
#include <cassert>
#include <utility>

namespace gridspan {

static constexpr uint64_t Grain = 256;
/// Bytes of the widest access. Short pieces keep no more than this.
static constexpr uint64_t LeastGrain = 16;
static constexpr uint64_t ShortPiece = 1024;

uint64_t RowWindow::packedPitch() const {
  const uint64_t Least = std::max<uint64_t>(Width, 1);
  const uint64_t G = Width < ShortPiece ? LeastGrain : Grain;
  const uint64_t Up = (Pitch % G + G - Least % G) % G;
  return std::min(Pitch, Least + Up);
}

uint64_t RowWindow::packedBytes() const {
  return Grain + packedPitch() * (Rows ? Rows - 1 : 0) + Width;
}

uint64_t RowWindow::packedOffset(uint64_t AllocationBase) const {
  return (AllocationBase + static_cast<uint64_t>(Lo)) % Grain;
}

/// Makes All hold R as well, for the Pitch that is known.
bool RowWindowUnion::join(const Rows &R) {
  const int64_t Distance = R.Lo - All->Lo;
  // The row of All, and the column in it, whichever is nearer.
  int64_t Row = Distance / Pitch, Column = Distance % Pitch;
  if (2 * Column > Pitch) {
    ++Row;
    Column -= Pitch;
  } else if (2 * Column < -Pitch) {
    --Row;
    Column += Pitch;
  }
  const int64_t First = std::min<int64_t>(Row, 0);
  const int64_t Left = std::min<int64_t>(Column, 0);
  const int64_t Width = std::max(All->RowBytes, Column + R.RowBytes) - Left;
  const int64_t Last = std::max(All->Count, Row + R.Count);
  if (Width > Pitch)
    return false;
  All->Lo += First * Pitch + Left;
  All->RowBytes = Width;
  All->Count = Last - First;
  return true;
}

bool RowWindowUnion::add(const GridspanRange &R, int64_t Offset) {
  if (R.State == GridspanRangeEmpty)
    return true;
  // The sums below are of numbers within an address space.
  constexpr int64_t Most = int64_t(1) << 60;
  if (R.State == GridspanRangeUnknown || R.Planes != 1 || R.RowBytes > Most ||
      R.Lo > Most || R.Lo < -Most || Offset > Most)
    return false;
  const Rows New = {R.Lo + Offset, R.RowBytes, R.RowsPerPlane};
  if (R.RowsPerPlane > 1) {
    if (R.Pitch > Most / R.RowsPerPlane || (Pitch != 0 && Pitch != R.Pitch) ||
        R.RowBytes > R.Pitch)
      return false;
    if (Pitch == 0 && All && All->RowBytes > R.Pitch)
      return false;
    Pitch = R.Pitch;
  }
  if (!All) {
    All = New;
    return true;
  }
  if (Pitch != 0)
    return join(New);
  // Two runs of bytes: one run around both.
  const int64_t Hi = std::max(All->Lo + All->RowBytes, New.Lo + New.RowBytes);
  All->Lo = std::min(All->Lo, New.Lo);
  All->RowBytes = Hi - All->Lo;
  return true;
}

std::optional<RowWindow> RowWindowUnion::get() const {
  if (!All)
    return std::nullopt;
  const int64_t Step = std::max(Pitch, All->RowBytes);
  return RowWindow{All->Lo, static_cast<uint64_t>(All->RowBytes),
                   static_cast<uint64_t>(Step),
                   static_cast<uint64_t>(All->Count)};
}

/// B and D of the pitch.
static std::pair<unsigned, uint64_t> factorsOf(uint64_t Pitch) {
  unsigned B = static_cast<unsigned>(std::countr_zero(Pitch));
  if (Pitch >> B == 1 && B > 0)
    --B;
  return {B, Pitch >> B};
}

bool isPackable(const RowWindow &W) {
  constexpr uint64_t Most = INT32_MAX;
  if (W.Rows <= 1 || W.Pitch == W.packedPitch())
    return true;
  if (W.Pitch < 2 || W.Pitch > Most)
    return false;
  // No row begins behind this.
  return W.Rows <= Most &&
         (W.Rows * W.Pitch) >> factorsOf(W.Pitch).first <= Most;
}

GridspanPacking packingFor(const RowWindow &W, uint64_t AllocationBase,
                           uint64_t Packed) {
  assert(isPackable(W));
  GridspanPacking P = {};
  P.Base = AllocationBase + static_cast<uint64_t>(W.Lo);
  P.Move = Packed - P.Base;
  P.Pitch = 1;
  const uint64_t Closer = W.Pitch - W.packedPitch();
  if (Closer == 0 || W.Rows <= 1)
    return P;
  const auto [Before, D] = factorsOf(W.Pitch);
  const auto Log = static_cast<unsigned>(std::bit_width(D - 1));
  P.Pitch = W.Pitch;
  P.Before = Before;
  P.Magic = static_cast<uint32_t>((uint64_t(1) << (31 + Log)) / D + 1);
  P.After = Log - 1; // mulhi has shifted by 32 of 31 + Log
  P.Step = -static_cast<int32_t>(Closer);
  return P;
}

GridspanPacking noPacking() {
  GridspanPacking P = {};
  P.Pitch = 1;
  return P;
}

} // namespace gridspan
