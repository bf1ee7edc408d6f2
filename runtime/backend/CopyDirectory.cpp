//===- CopyDirectory.cpp - Who has which bytes of an allocation -----------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A sorted vector of ranges, as LLVM's IntervalMap is one of its leaves. Every
// change is one merge of the ranges with the changed spans, which cuts ranges
// at the ends of spans and joins neighbours that have become alike. What only
// the home has is left out. So the vector is as long as what launches write is
// cut, and does not grow with the number of launches. Where that would be more
// than MaxRows, what lies between rows counts as written as well (closeGaps).
// That is sound for bytes that the place has: it is as if the launch wrote what
// was there. Who writes there later finds the owner in the directory, as for
// all bytes, and who has done so before is waited for by whoever lacks them. Of
// calls at the same time neither is before the other: so that is for programs
// whose memory one thread uses (ExecutorCopies.cpp).
// Where rows of several places lie between each other all is written back, and
// nothing is listed.
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/CopyDirectory.h"
#include <algorithm>
#include <cassert>
#include <tuple>

namespace gridspan {

static bool isPlain(const HeldBytes &H) {
  return H.Owner.isHome() && H.Holders == Place::home().bit();
}

static void append(CopyDirectory::State &To, const HeldBytes &H) {
  if (H.Lo >= H.Hi || isPlain(H))
    return;
  if (!To.empty() && To.back().Hi == H.Lo && To.back().Owner == H.Owner &&
      To.back().Holders == H.Holders)
    To.back().Hi = H.Hi;
  else
    To.push_back(H);
}

/// Calls Do with each range of [S.Lo, S.Hi), also those that only the home has,
/// cut to it. It: the first range that ends behind S.Lo, left at the first that
/// ends behind S.Hi.
template <typename Iterator, typename Function>
static void forRanges(const ByteSpan &S, Iterator &It, Iterator End,
                      Function &&Do) {
  uint64_t At = S.Lo;
  while (At < S.Hi) {
    if (It == End || It->Lo >= S.Hi) {
      Do(HeldBytes{At, S.Hi, Place::home(), Place::home().bit()});
      return;
    }
    if (At < It->Lo)
      Do(HeldBytes{At, It->Lo, Place::home(), Place::home().bit()});
    At = std::max(At, It->Lo);
    const uint64_t Hi = std::min(It->Hi, S.Hi);
    Do(HeldBytes{At, Hi, It->Owner, It->Holders});
    At = Hi;
    if (It->Hi <= S.Hi)
      ++It;
  }
}

void CopyDirectory::put(State New) {
  Now = New.empty() ? nullptr : std::make_shared<const State>(std::move(New));
}

/// Replaces each range of Spans, ascending and disjoint, by what To makes of
/// it.
template <typename Function>
void CopyDirectory::change(std::span<const ByteSpan> Spans, Function &&To) {
  static const State None;
  const State &Old = Now ? *Now : None;
  State New;
  New.reserve(Old.size() + 2 * Spans.size());
  auto It = Old.begin();
  uint64_t From = 0; ///< the old ranges are taken over up to here
  auto Keep = [&](uint64_t Until) {
    for (; It != Old.end() && It->Lo < Until; ++It) {
      append(New, {std::max(It->Lo, From), std::min(It->Hi, Until), It->Owner,
                   It->Holders});
      if (It->Hi > Until)
        break;
    }
  };
  for (const ByteSpan &S : Spans) {
    assert(From <= S.Lo && S.Lo <= S.Hi && "spans ascend");
    Keep(S.Lo);
    forRanges(S, It, Old.end(), [&](HeldBytes H) {
      To(H);
      append(New, H);
    });
    From = S.Hi;
  }
  Keep(UINT64_MAX);
  put(std::move(New));
}

void CopyDirectory::see(const ContentsVersion &Present) {
  if (Seen == Present)
    return;
  keepOwners();
  Seen = Present;
}

std::vector<LackedBytes>
CopyDirectory::lackedBy(Place At, std::span<const ByteSpan> Spans) const {
  static const State None;
  const State &All = Now ? *Now : None;
  std::vector<LackedBytes> Out;
  auto It = All.begin();
  for (const ByteSpan &S : Spans) {
    It = std::partition_point(It, All.end(),
                              [&](const HeldBytes &H) { return H.Hi <= S.Lo; });
    forRanges(S, It, All.end(), [&](const HeldBytes &H) {
      if (H.Holders & At.bit())
        return;
      if (!Out.empty() && Out.back().Hi == H.Lo && Out.back().From == H.Owner)
        Out.back().Hi = H.Hi;
      else
        Out.push_back({H.Lo, H.Hi, H.Owner});
    });
  }
  return Out;
}

bool CopyDirectory::holdsAll(Place At, uint64_t Bytes) const {
  const ByteSpan All = {0, Bytes};
  return lackedBy(At, {&All, 1}).empty();
}

uint64_t CopyDirectory::bytesAway() const {
  uint64_t Sum = 0;
  for (size_t I = 0, E = Now ? Now->size() : 0; I != E; ++I)
    if (!(*Now)[I].Owner.isHome())
      Sum += (*Now)[I].Hi - (*Now)[I].Lo;
  return Sum;
}

static std::vector<ByteSpan> spansOf(std::span<const LackedBytes> Bytes) {
  std::vector<ByteSpan> Out;
  for (const LackedBytes &L : Bytes)
    Out.push_back({L.Lo, L.Hi});
  return Out;
}

void CopyDirectory::fetched(Place At, std::span<const LackedBytes> Bytes) {
  if (!Bytes.empty())
    change(spansOf(Bytes), [&](HeldBytes &H) {
      H.Holders |= At.bit();
      if (At.isHome())
        H.Owner = At;
    });
}

/// Returns what covers all of Spans and no bytes else; ascending, disjoint.
static std::vector<ByteSpan> merge(std::vector<ByteSpan> Spans) {
  if (Spans.empty())
    return Spans;
  // Rows mostly are, and may be many.
  if (!std::ranges::is_sorted(Spans, {}, &ByteSpan::Lo))
    std::ranges::sort(Spans, {}, &ByteSpan::Lo);
  size_t Last = 0;
  for (size_t I = 1; I != Spans.size(); ++I)
    if (Spans[I].Lo <= Spans[Last].Hi)
      Spans[Last].Hi = std::max(Spans[Last].Hi, Spans[I].Hi);
    else
      Spans[++Last] = Spans[I];
  Spans.resize(Last + 1);
  return Spans;
}

void CopyDirectory::written(Place At, std::span<const ByteRows> Rows,
                            bool BroughtHome) {
  std::vector<ByteSpan> Spans;
  for (const ByteRows &R : Rows)
    for (uint64_t I = 0; I != R.Rows; ++I)
      Spans.push_back(R.row(I));
  if (Spans.empty())
    return;
  // Two accesses of a launch may write the same bytes.
  change(merge(std::move(Spans)), [&](HeldBytes &H) {
    H.Holders = At.bit();
    H.Owner = At;
    if (BroughtHome) {
      H.Holders |= Place::home().bit();
      H.Owner = Place::home();
    }
  });
}

void CopyDirectory::forget(Place At) {
  State New;
  for (size_t I = 0, E = Now ? Now->size() : 0; I != E; ++I) {
    HeldBytes H = (*Now)[I];
    assert(H.Owner != At && "the only ones");
    H.Holders &= ~At.bit();
    append(New, H);
  }
  put(std::move(New));
}

void CopyDirectory::keepOwners() {
  State New;
  for (size_t I = 0, E = Now ? Now->size() : 0; I != E; ++I) {
    HeldBytes H = (*Now)[I];
    H.Holders = H.Owner.bit();
    append(New, H);
  }
  put(std::move(New));
}

uint64_t rowsWritten(std::span<const PlaceUse> Uses) {
  uint64_t Rows = 0;
  for (const PlaceUse &U : Uses)
    for (const ByteRows &R : U.Writes)
      Rows += R.Rows;
  return Rows;
}

/// Bytes between rows are fetched, and again when others have written there. A
/// member of 4 bytes is an eighth of a struct of 32.
static constexpr uint64_t MostPerByte = 8;

std::optional<std::vector<PlaceUse>> closeGaps(std::vector<PlaceUse> Uses,
                                               uint64_t MostRows) {
  if (rowsWritten(Uses) <= MostRows)
    return std::nullopt;
  std::vector<ByteSpan> All;
  uint64_t Written = 0, Bytes = 0;
  for (PlaceUse &U : Uses) {
    std::vector<ByteSpan> Spans;
    for (const ByteRows &R : U.Writes) {
      Spans.push_back({R.Lo, R.hi()});
      Written += R.bytes();
    }
    Spans = merge(std::move(Spans));
    U.Writes.clear();
    for (const ByteSpan &S : Spans) {
      U.Writes.push_back({S.Lo, S.bytes(), S.bytes(), 1});
      Bytes += S.bytes();
    }
    All.insert(All.end(), Spans.begin(), Spans.end());
    Spans.insert(Spans.end(), U.Reads.begin(), U.Reads.end());
    U.Reads = merge(std::move(Spans));
  }
  uint64_t Disjoint = 0;
  for (const ByteSpan &S : merge(std::move(All)))
    Disjoint += S.bytes();
  if (Disjoint != Bytes || Bytes / MostPerByte > Written ||
      rowsWritten(Uses) > MostRows)
    return std::nullopt;
  return Uses;
}

CopyStep stepOf(const CopyDirectory &Before, std::span<const PlaceUse> Uses,
                bool Stays) {
  CopyStep Out = {Before.state(), Stays, {}, nullptr};
  CopyDirectory Now = Before;
  for (const PlaceUse &U : Uses) {
    Out.Fetches.push_back(Before.lackedBy(U.At, U.Reads));
    Now.fetched(U.At, Out.Fetches.back());
  }
  // A place that reads what another one writes reads nothing of it: ranges may
  // hold more than is read. So what it was given of that is no good.
  const uint64_t Rows = rowsWritten(Uses);
  assert((!Stays || Rows <= CopyDirectory::MaxRows) && "too many to list");
  // Where all is at home behind the launch, nothing more need be known.
  if (Rows > CopyDirectory::MaxRows)
    return Out;
  for (const PlaceUse &U : Uses)
    Now.written(U.At, U.Writes, !Stays);
  Out.After = Now.state();
  return Out;
}

/// The largest distance of rows, which drivers bound by 2^31.
static constexpr uint64_t MaxPitch = uint64_t(1) << 30;

std::vector<ByteRows> rowsOf(std::span<const ByteSpan> Spans) {
  std::vector<ByteRows> Out;
  for (const ByteSpan &S : Spans) {
    if (!Out.empty() && Out.back().RowBytes == S.bytes()) {
      ByteRows &Last = Out.back();
      const uint64_t Pitch = S.Lo - (Last.Lo + (Last.Rows - 1) * Last.Pitch);
      if (Last.Rows == 1 ? Pitch <= MaxPitch : Last.Pitch == Pitch) {
        Last.Pitch = Pitch;
        ++Last.Rows;
        continue;
      }
    }
    Out.push_back({S.Lo, S.bytes(), S.bytes(), 1});
  }
  return Out;
}

/// Joins B to the end of A, if all bytes of both are rows then.
static bool join(ByteRows &A, const ByteRows &B) {
  if (A.Rows != B.Rows || A.Lo + A.RowBytes != B.Lo ||
      (A.Rows > 1 && (A.Pitch != B.Pitch || A.RowBytes + B.RowBytes > A.Pitch)))
    return false;
  A.RowBytes += B.RowBytes;
  if (A.Rows == 1)
    A.Pitch = A.RowBytes;
  else if (A.RowBytes == A.Pitch)
    A = {A.Lo, A.bytes(), A.bytes(), 1};
  return true;
}

std::vector<ByteRows> joinRows(std::vector<ByteRows> Rows) {
  // Those that become one row may continue others.
  for (size_t Before = Rows.size() + 1; Rows.size() < Before;) {
    Before = Rows.size();
    std::ranges::sort(Rows, {}, [](const ByteRows &R) {
      return std::tuple(R.Rows, R.Rows == 1 ? 0 : R.Pitch, R.Lo);
    });
    std::vector<ByteRows> Out;
    for (const ByteRows &R : Rows)
      if (Out.empty() || !join(Out.back(), R))
        Out.push_back(R);
    Rows = std::move(Out);
  }
  return Rows;
}

} // namespace gridspan
