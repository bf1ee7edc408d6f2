//===- LayoutEvaluation.cpp - A kernel with its data elsewhere ------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One trace of the launch is replayed with the array in each form. What comes
// from DRAM is the smaller of what L1 asks for and what the launch touches at
// least once, as the L2 cache keeps what blocks of one time share: the records
// in the range of the sites, times the sectors that a record's touched fields
// take in that form.
//
//===----------------------------------------------------------------------===//

#include "analysis/advice/layout/LayoutEvaluation.h"
#include "analysis/machine/WarpRequest.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace llvm;

namespace gridspan {

/// The distance between the arrays of a struct of arrays.
static constexpr uint64_t FieldDistance = uint64_t(1) << 38;

/// Instructions for the address of a further field of a record in a struct of
/// arrays, where an array of structs has a constant in the load; and for
/// quotient and remainder of an index by the tile (counted in the loops of
/// bench/layout).
static constexpr double SoaAddress = 3, TiledAddress = 5;

namespace {

/// The size of records in a form and the places of their fields.
struct FormShape {
  int64_t RecordBytes = 0; ///< of the form, padding included
  unsigned Alignment = 1;
  SmallVector<int64_t, 8> FieldAt; ///< beside StructArray::Fields
};

} // namespace

unsigned alignmentFor(int64_t Bytes) {
  return unsigned(
      std::min<uint64_t>(PowerOf2Ceil(uint64_t(Bytes)), MaxLaneBytes));
}

static FormShape shapeOf(const StructArray &Array, const LayoutForm &Form) {
  FormShape Out;
  Out.RecordBytes = Array.RecordBytes;
  Out.Alignment = Array.Alignment;
  int64_t Packed = 0;
  for (const StructField &Field : Array.Fields) {
    if (Form.Kind == LayoutKind::Split)
      Packed = int64_t(
          alignTo(uint64_t(Packed), MinAlign(Field.Bytes, MaxLaneBytes)));
    Out.FieldAt.push_back(Form.Kind == LayoutKind::Split ? Packed
                                                         : Field.Offset);
    Packed += Field.Bytes;
  }
  if (Form.Kind == LayoutKind::Split)
    Out.RecordBytes = Packed;
  if (Form.Kind == LayoutKind::Aligned || Form.Kind == LayoutKind::Split) {
    Out.Alignment = std::max(Out.Alignment, alignmentFor(Out.RecordBytes));
    Out.RecordBytes =
        int64_t(alignTo(uint64_t(Out.RecordBytes), Out.Alignment));
  }
  return Out;
}

/// Returns the address in the form of the field that is At bytes into the
/// present record.
static FieldAddress placeOf(const StructArray &Array, const LayoutForm &Form,
                            const FormShape &Shape, uint64_t Base, int64_t At) {
  auto Field = find_if(Array.Fields,
                       [&](const StructField &F) { return F.Offset == At; });
  size_t Number = size_t(Field - Array.Fields.begin());
  switch (Form.Kind) {
  case LayoutKind::Soa:
    return {At, Base + (Number + 1) * FieldDistance, Field->Bytes, 0, 0};
  case LayoutKind::Tiled:
    return {At, Base, Form.Tile * Array.RecordBytes, Field->Bytes,
            Shape.FieldAt[Number] * Form.Tile};
  default:
    return {At, Base, Shape.RecordBytes, 0, Shape.FieldAt[Number]};
  }
}

void LayoutEvaluation::place(const StructArray &Array, const LayoutForm &Form,
                             std::vector<SiteAddress> &Out) const {
  FormShape Shape = shapeOf(Array, Form);
  if (Array.isApart()) {
    // All of them count as the first one.
    SiteAddress First = Out[Array.Sites.front()];
    for (uint32_t Site : Array.Sites) {
      Out[Site].Array = First.Array;
      if (Form.Kind != LayoutKind::Soa)
        Out[Site].Base = First.Base;
    }
    if (Form.Kind == LayoutKind::Soa)
      return;
  }
  bool IsRecord = Form.Kind == LayoutKind::Structs ||
                  Form.Kind == LayoutKind::Aligned ||
                  Form.Kind == LayoutKind::Split;
  std::vector<JoinedAccess> Joined =
      joinAccesses(Kernel, Array, IsRecord ? Shape.Alignment : 1);
  for (size_t I = 0; I != Array.Sites.size(); ++I) {
    uint32_t Site = Array.Sites[I];
    SiteAddress &P = Out[Site];
    P.RecordBytes = Array.step(Kernel.Sites[Site]);
    P.IsMerged = Joined[I].Leader != Site;
    if (P.IsMerged)
      continue;
    P.Bytes = Joined[I].Bytes;
    if (Form.Kind == LayoutKind::Tiled)
      P.Tile = Form.Tile;
    FieldAddress First = placeOf(Array, Form, Shape, P.Base, Joined[I].Offset);
    if (Array.Reached[I].size() > 1)
      for (int64_t At : Array.Reached[I])
        P.Selected.push_back(placeOf(Array, Form, Shape, P.Base, At));
    P.Base = First.Base;
    P.TileBytes = First.TileBytes;
    P.Stride = First.Stride;
    P.FieldOffset = First.FieldOffset;
    // One instruction moves 16 bytes, and no more than the alignment.
    unsigned Piece = IsRecord
                         ? unsigned(MinAlign(MinAlign(P.Bytes, Shape.Alignment),
                                             MaxLaneBytes))
                         : unsigned(MinAlign(P.Bytes, MaxLaneBytes));
    Piece = std::max(Piece, std::min(P.Bytes, Kernel.Sites[Site].Piece));
    P.Pieces = P.Bytes / Piece;
    P.Bytes = Piece;
  }
}

double LayoutEvaluation::numRecords(const StructArray &Array,
                                    std::optional<bool> IsStore) const {
  OffsetRange All; // in records
  for (uint32_t Site : Array.Sites) {
    OffsetRange R = Trace.Ranges[Site];
    if (R.isEmpty() ||
        (IsStore && *IsStore != (Kernel.Sites[Site].Kind != SiteKind::Load)))
      continue;
    int64_t Step = Array.step(Kernel.Sites[Site]);
    R = {divideFloorSigned(R.Lo, Step), divideFloorSigned(R.Hi, Step)};
    if (All.isEmpty())
      All = R;
    All.Lo = std::min(All.Lo, R.Lo);
    All.Hi = std::max(All.Hi, R.Hi);
  }
  return All.isEmpty() ? 0 : double(All.Hi - All.Lo + 1);
}

std::optional<double> LayoutEvaluation::touchedBytes(const StructArray &Array,
                                                     const LayoutForm &Form,
                                                     bool IsStore) const {
  for (uint32_t Site : Array.Sites)
    if (Trace.IsScattered[Site])
      return std::nullopt;
  FormShape Shape = shapeOf(Array, Form);
  // As many records as bring every offset to sectors.
  constexpr int64_t Records = 256;
  DenseSet<uint64_t> Sectors;
  for (size_t I = 0; I != Array.Fields.size(); ++I) {
    const StructField &Field = Array.Fields[I];
    if (!(IsStore ? Field.IsStored : Field.IsLoaded))
      continue;
    for (int64_t R = 0; R != Records; ++R) {
      int64_t At = R * Shape.RecordBytes + Shape.FieldAt[I];
      if (Form.Kind == LayoutKind::Soa)
        At = int64_t((I + 1) * FieldDistance) + R * Field.Bytes;
      else if (Form.Kind == LayoutKind::Tiled)
        At = R / Form.Tile * Form.Tile * Array.RecordBytes +
             Shape.FieldAt[I] * Form.Tile + R % Form.Tile * Field.Bytes;
      for (int64_t Byte = At / SectorBytes;
           Byte <= (At + Field.Bytes - 1) / SectorBytes; ++Byte)
        Sectors.insert(uint64_t(Byte));
    }
  }
  return numRecords(Array, IsStore) * double(Sectors.size()) * SectorBytes /
         double(Records);
}

DramTraffic
LayoutEvaluation::dramTraffic(const MemoryCounts &Counts,
                              ArrayRef<SiteAddress> Addresses) const {
  struct Touched {
    double Load = 0, Store = 0;
    bool IsKnown = true;
  };
  std::vector<Touched> ByArray(Counts.Arrays.size());
  std::vector<bool> IsRecord(Counts.Arrays.size());
  for (size_t A = 0; A != Arrays.size(); ++A) {
    Touched &T = ByArray[Addresses[Arrays[A].Sites.front()].Array];
    IsRecord[Addresses[Arrays[A].Sites.front()].Array] = true;
    std::optional<double> Load = touchedBytes(Arrays[A], Forms[A], false);
    std::optional<double> Store = touchedBytes(Arrays[A], Forms[A], true);
    T = {Load.value_or(0), Store.value_or(0), Load && Store};
  }
  // Other arrays: what lies between the lowest and the highest offset.
  std::vector<std::array<OffsetRange, 2>> Spans(Counts.Arrays.size());
  for (size_t I = 0; I != Kernel.Sites.size(); ++I) {
    unsigned A = Addresses[I].Array;
    const OffsetRange &R = Trace.Ranges[I];
    if (IsRecord[A] || Kernel.Sites[I].Space != MemorySpace::Global)
      continue;
    if (R.isEmpty()) {
      ByArray[A].IsKnown = false;
      continue;
    }
    OffsetRange &Span = Spans[A][Kernel.Sites[I].Kind != SiteKind::Load];
    int64_t End = R.Hi + Kernel.Sites[I].Size;
    Span = Span.isEmpty()
               ? OffsetRange{R.Lo, End}
               : OffsetRange{std::min(Span.Lo, R.Lo), std::max(Span.Hi, End)};
  }
  DramTraffic Out;
  Out.OpenArrays = 0;
  for (size_t A = 0; A != Arrays.size(); ++A)
    for (const StructField &Field : Arrays[A].Fields)
      Out.OpenArrays += Forms[A].Kind == LayoutKind::Soa
                            ? Field.IsLoaded + Field.IsStored
                            : 0;
  for (size_t A = 0; A != Counts.Arrays.size(); ++A) {
    Touched T = ByArray[A];
    if (!IsRecord[A]) {
      T.Load =
          Spans[A][0].isEmpty() ? 0 : double(Spans[A][0].Hi - Spans[A][0].Lo);
      T.Store =
          Spans[A][1].isEmpty() ? 0 : double(Spans[A][1].Hi - Spans[A][1].Lo);
    }
    double Load = Counts.Arrays[A].LoadBytes,
           Store = Counts.Arrays[A].StoreBytes;
    // What loaded indices reach is taken to be in L2, as the upper levels of a
    // tree are; where it is not, it costs all forms alike.
    Out.ReadBytes += T.IsKnown ? std::min(Load, T.Load) : 0;
    Out.WriteBytes += T.IsKnown ? std::min(Store, T.Store) : 0;
  }
  return Out;
}

ResourceTimes LayoutEvaluation::timeWith(size_t Index, const LayoutForm &Form) {
  Forms[Index] = Form;
  std::vector<SiteAddress> Addresses = Present;
  for (size_t A = 0; A != Arrays.size(); ++A)
    place(Arrays[A], Forms[A], Addresses);
  MemoryCounts Counts = replayTrace(Kernel, Trace, Machine, Addresses);
  // Where records are found by loaded indices, caches hold the fewer of them
  // the larger they are.
  for (size_t A = 0; A != Arrays.size(); ++A) {
    double Larger = double(shapeOf(Arrays[A], Forms[A]).RecordBytes) /
                    double(Arrays[A].RecordBytes);
    uint32_t First = Arrays[A].Sites.front();
    if (Larger > 1 && Trace.IsScattered[First])
      Counts.Arrays[Addresses[First].Array].LoadBytes *= Larger;
  }
  return resourceTimes(Kernel, Trace, Counts, dramTraffic(Counts, Addresses),
                       Machine, extraIssue(Addresses));
}

std::vector<double>
LayoutEvaluation::extraIssue(ArrayRef<SiteAddress> Addresses) const {
  std::vector<double> Out(Kernel.Work.size());
  for (size_t A = 0; A != Arrays.size(); ++A)
    for (size_t L = 0; L != Kernel.Work.size(); ++L) {
      const auto &Loops = Kernel.Work[L].Loops;
      using Terms = SmallVector<std::pair<ExprId, int64_t>, 2>;
      SmallVector<std::pair<Terms, int64_t>, 8> Records;
      unsigned NumSites = 0, NumJoined = 0;
      for (size_t S = 0; S != Arrays[A].Sites.size(); ++S) {
        uint32_t Index = Arrays[A].Sites[S];
        const MemorySite &Site = Kernel.Sites[Index];
        if (Site.Loops.size() != Loops.size() ||
            (!Loops.empty() && Site.Loops.back().Number != Loops.back().Number))
          continue;
        // From field to field of one record a pointer steps.
        if (Arrays[A].Reached[S].size() > 1)
          continue;
        ++NumSites;
        NumJoined += Addresses[Index].IsMerged;
        RecordOffset Offset = Arrays[A].recordOf(Kernel, Index);
        std::pair<Terms, int64_t> Record = {Offset.Terms, Offset.Constant};
        if (!is_contained(Records, Record))
          Records.push_back(Record);
      }
      Out[L] -= NumJoined;
      double OfSoa = SoaAddress * double(NumSites - Records.size());
      if (Arrays[A].isApart())
        Out[L] -= OfSoa;
      if (Forms[A].Kind == LayoutKind::Soa)
        Out[L] += OfSoa;
      else if (Forms[A].Kind == LayoutKind::Tiled)
        Out[L] += TiledAddress * double(Records.size());
    }
  return Out;
}

/// Every record is read and written once; what a form pads is written too.
double LayoutEvaluation::conversionSeconds(size_t Index,
                                           const LayoutForm &Form) const {
  FormShape Shape = shapeOf(Arrays[Index], Form);
  double Bytes = numRecords(Arrays[Index], std::nullopt) *
                 double(Arrays[Index].RecordBytes + Shape.RecordBytes);
  return Bytes / (Machine.DramCopyGBs * 1e9) +
         Machine.LaunchMicroseconds * 1e-6;
}

} // namespace gridspan
