//===- MayAccess.cpp - Bytes that a launch may access ---------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Spans are made disjoint when they are asked for, by one sweep over the ends
// of the pieces. Between two ends the same pieces are open everywhere, so their
// density is that of one pitch: the union of their rows' places in it.
//
//===----------------------------------------------------------------------===//

#include "runtime/plan/MayAccess.h"
#include <algorithm>
#include <tuple>

namespace gridspan {

/// More rows than this become one span with a density.
static constexpr int64_t MaxRows = 64;

/// The fewest bytes that memory fetches (docs/design/cost-model.md).
static constexpr uint64_t FetchBytes = 64;

void MayAccess::addPiece(__int128 Lo, __int128 Hi, uint64_t Pitch,
                         uint64_t RowBytes) {
  // A row that is clamped in front keeps its offset in the pitch.
  if (Lo < 0)
    Lo += (-Lo / Pitch) * static_cast<__int128>(Pitch);
  Lo = std::max<__int128>(Lo, 0);
  Hi = std::min<__int128>(Hi, Bytes);
  if (Lo >= Hi)
    return;
  Pieces.push_back(
      {static_cast<uint64_t>(Lo), static_cast<uint64_t>(Hi), Pitch, RowBytes});
  Sorted = false;
}

void MayAccess::add(const GridspanRange &R, int64_t Offset) {
  switch (R.State) {
  case GridspanRangeEmpty:
    return;
  case GridspanRangeMay:
  case GridspanRangeExact:
    break;
  default:
    Unknown = true;
    addPiece(0, Bytes, 1, 1);
    return;
  }
  const __int128 Lo = static_cast<__int128>(R.Lo) + Offset;
  const __int128 PlaneBytes =
      static_cast<__int128>(R.Pitch) * (R.RowsPerPlane - 1) + R.RowBytes;
  // A plane as pieces.
  const bool RowByRow =
      R.Planes <= MaxRows && R.RowsPerPlane <= MaxRows / R.Planes;
  auto AddPlane = [&](__int128 At) {
    if (!RowByRow && R.RowsPerPlane > 1)
      return addPiece(At, At + PlaneBytes, R.Pitch,
                      std::min(R.RowBytes, R.Pitch));
    for (int64_t Row = 0; Row < R.RowsPerPlane; ++Row) {
      const __int128 RowLo = At + static_cast<__int128>(R.Pitch) * Row;
      addPiece(RowLo, RowLo + R.RowBytes, 1, 1);
    }
  };
  if (R.Planes <= MaxRows) {
    for (int64_t Plane = 0; Plane < R.Planes; ++Plane)
      AddPlane(Lo + static_cast<__int128>(R.PlanePitch) * Plane);
    return;
  }
  // By the pitch at which the share that is touched is the smaller one.
  const bool ByPlane =
      R.RowsPerPlane == 1 || static_cast<double>(PlaneBytes) * R.Pitch <
                                 static_cast<double>(R.RowBytes) * R.PlanePitch;
  const __int128 Hi =
      Lo + static_cast<__int128>(R.PlanePitch) * (R.Planes - 1) + PlaneBytes;
  if (ByPlane)
    addPiece(Lo, Hi, R.PlanePitch, static_cast<uint64_t>(PlaneBytes));
  else
    addPiece(Lo, Hi, R.Pitch, std::min(R.RowBytes, R.Pitch));
}

void MayAccess::add(const MayAccess &Other) {
  Unknown |= Other.Unknown;
  for (const Piece &P : Other.Pieces)
    addPiece(P.Lo, P.Hi, P.Pitch, P.RowBytes);
}

/// The share of the bytes that pieces touch where all of them are open, in
/// units of FetchBytes, a power of two.
double MayAccess::densityOf(const std::vector<const Piece *> &Open,
                            uint64_t FetchBytes) {
  double Densest = 0;
  std::vector<std::pair<uint64_t, uint64_t>> Places;
  for (const Piece *First : Open) {
    const uint64_t Pitch = First->Pitch;
    if (First->dense() || Pitch <= FetchBytes)
      return 1;
    Places.clear();
    for (const Piece *P : Open) {
      if (P->Pitch != Pitch)
        continue;
      const auto [Lo, Hi] = P->placeInPitch(FetchBytes);
      Places.emplace_back(Lo, std::min(Hi, Pitch));
      if (Hi > Pitch)
        Places.emplace_back(0, std::min(Hi - Pitch, Pitch));
    }
    std::sort(Places.begin(), Places.end());
    uint64_t Covered = 0, End = 0;
    for (const auto &[Lo, Hi] : Places) {
      if (Hi > End)
        Covered += Hi - std::max(Lo, End);
      End = std::max(End, Hi);
    }
    Densest = std::max(Densest, static_cast<double>(Covered) / Pitch);
  }
  return Densest;
}

const MayAccess::SpanList &MayAccess::spans() const {
  if (Sorted)
    return Spans;
  if (Pieces.size() == 1) {
    const Piece &P = Pieces[0];
    const auto [Lo, Hi] = P.placeInPitch(FetchBytes);
    const bool AreAllFetched = P.dense() || P.Pitch <= FetchBytes;
    const auto Fetched = static_cast<double>(Hi - Lo);
    Spans.assign(1, {P.Lo, P.Hi, static_cast<double>(P.RowBytes) / P.Pitch,
                     AreAllFetched ? 1 : std::min(1.0, Fetched / P.Pitch)});
    Sorted = true;
    return Spans;
  }
  std::vector<std::tuple<uint64_t, bool, const Piece *>> Ends;
  Ends.reserve(2 * Pieces.size());
  for (const Piece &P : Pieces) {
    Ends.emplace_back(P.Lo, true, &P);
    Ends.emplace_back(P.Hi, false, &P);
  }
  std::sort(Ends.begin(), Ends.end());
  Spans.clear();
  std::vector<const Piece *> Open;
  uint64_t From = 0;
  for (const auto &[At, Opens, P] : Ends) {
    if (!Open.empty() && From < At) {
      const double Density = densityOf(Open, 1);
      const double Moved = densityOf(Open, FetchBytes);
      if (!Spans.empty() && Spans.back().Hi == From &&
          Spans.back().Density == Density && Spans.back().Moved == Moved)
        Spans.back().Hi = At;
      else
        Spans.push_back({From, At, Density, Moved});
    }
    From = At;
    if (Opens)
      Open.push_back(P);
    else
      Open.erase(std::find(Open.begin(), Open.end(), P));
  }
  Sorted = true;
  return Spans;
}

double MayAccess::touched() const {
  double Sum = 0;
  for (const Span &S : spans())
    Sum += static_cast<double>(S.Hi - S.Lo) * S.Density;
  return Sum;
}

double MayAccess::touchedAt(const PageHomes &Homes, Location Where) const {
  double Sum = 0;
  for (const Span &S : spans())
    Sum += static_cast<double>(Homes.bytesAt(S.Lo, S.Hi, Where)) * S.Density;
  return Sum;
}

uint64_t MayAccess::lo() const {
  return spans().empty() ? 0 : spans().front().Lo;
}

uint64_t MayAccess::hi() const {
  return spans().empty() ? 0 : spans().back().Hi;
}

} // namespace gridspan
