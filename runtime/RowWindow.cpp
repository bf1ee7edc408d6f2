//===- RowWindow.cpp - Pieces of rows that are read packed ----------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The division by the pitch P (Granlund and Montgomery, PLDI 1994,
// theorem 4.2): with L = floor(log2 P) and Magic = floor(2^(62+L) / P) + 1,
// which is below 2^63, Magic * P = 2^(62+L) + E with 0 < E <= P, and
//
//   floor(X * Magic / 2^(62+L)) = floor(X / P)    for all X * E < 2^(62+L),
//
// so for all X < 2^61. Addresses within an allocation are far below that.
//
//===----------------------------------------------------------------------===//

#include "RowWindow.h"
#include <algorithm>
#include <bit>

namespace gridspan {

static constexpr uint64_t Grain = 256;
/// Of the widest access. Short pieces keep no more than this.
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

GridspanPacking packingFor(const RowWindow &W, uint64_t AllocationBase,
                           uint64_t Packed) {
  GridspanPacking P = {};
  P.Base = AllocationBase + static_cast<uint64_t>(W.Lo);
  P.Move = Packed - P.Base;
  P.Delta = W.Pitch - W.packedPitch();
  if (P.Delta == 0 || W.Rows <= 1)
    return P;
  const unsigned Log = std::bit_width(W.Pitch) - 1;
  P.Magic = static_cast<uint64_t>(
                (static_cast<unsigned __int128>(1) << (62 + Log)) / W.Pitch) +
            1;
  // The product's upper 64 bits are shifted by what is left of 62 + Log.
  if (Log >= 2) {
    P.Shift = Log - 2;
  } else {
    P.Magic = 0; // rows of up to three bytes are not packed
    P.Delta = 0;
  }
  return P;
}

GridspanPacking noPacking() { return {}; }

} // namespace gridspan
