//===- StructArrays.cpp - Arrays of structs behind a kernel ---------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The record of a base is what divides the factors of all its offsets. If that
// is no more than the largest access, counters of loops with a constant count
// may select fields of a larger one (x[i * 19 + k], k from 0 to 18): the record
// is then what divides the other factors, if every access stays within one.
// Else the array has no structure that matters.
//
// Accesses are joined as the load/store vectorizer does it
// (llvm/lib/Transforms/Vectorize/LoadStoreVectorizer.cpp): neighbours of one
// kind in one place of the program, into vectors of 2, 4, ... elements that
// their alignment allows, 16 bytes at most; gaps are not filled.
//
//===----------------------------------------------------------------------===//

#include "analysis/advice/layout/StructArrays.h"
#include "analysis/machine/WarpRequest.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <cstdlib>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

using namespace llvm;

namespace gridspan {

/// Larger ones are rows of a matrix rather than structs.
static constexpr int64_t MaxRecordBytes = 1024;

RecordOffset StructArray::recordOf(const KernelSites &Kernel,
                                   uint32_t Index) const {
  const MemorySite &Site = Kernel.Sites[Index];
  RecordOffset Out = recordOffset(Kernel.Exprs, Site.Offset);
  int64_t Step = step(Site);
  if (isApart())
    for (OffsetTerm &Term : Out.Terms)
      Term.second /= Step;
  Out.Constant = divideFloorSigned(Out.Constant, Step);
  return Out;
}

int64_t StructArray::untouchedBytes() const {
  int64_t Touched = 0;
  for (const StructField &Field : Fields)
    Touched += Field.Bytes;
  return RecordBytes - Touched;
}

namespace {
struct BaseSites {
  std::vector<uint32_t> Sites;
  std::vector<RecordOffset> Offsets; ///< beside Sites
};
} // namespace

/// Returns what divides the factors of all terms that are no selectors.
/// Selectors are counters with a constant count and a factor below Below.
static int64_t commonFactor(const ExprGraph &Graph, const BaseSites &Group,
                            int64_t Below) {
  int64_t Out = 0;
  for (const RecordOffset &Offset : Group.Offsets)
    for (const OffsetTerm &Term : Offset.Terms)
      if (std::abs(Term.second) >= Below || !lastIteration(Graph, Term))
        Out = std::gcd(Out, Term.second);
  return Out;
}

/// Returns the offsets in the record of the fields that a site reaches. Returns
/// nothing if it leaves the record or there are too many.
static std::optional<std::vector<int64_t>>
fieldsReached(const ExprGraph &Graph, const RecordOffset &Offset,
              int64_t Record, unsigned Size) {
  int64_t Lowest = Offset.Constant, Span = Size;
  std::vector<int64_t> Out = {0};
  for (const OffsetTerm &Term : Offset.Terms) {
    if (Term.second % Record == 0)
      continue;
    std::optional<int64_t> Last = lastIteration(Graph, Term);
    int64_t Step = std::abs(Term.second);
    if (!Last || *Last > MaxRecordBytes / Step ||
        Out.size() * uint64_t(*Last + 1) > uint64_t(MaxRecordBytes))
      return std::nullopt;
    Lowest += Term.second < 0 ? Term.second * *Last : 0;
    Span += Step * *Last;
    std::vector<int64_t> Before = std::move(Out);
    Out.clear();
    for (int64_t At : Before)
      for (int64_t K = 0; K <= *Last; ++K)
        Out.push_back(At + K * Step);
  }
  Lowest -= divideFloorSigned(Lowest, Record) * Record;
  if (Lowest + Span > Record)
    return std::nullopt;
  for (int64_t &At : Out)
    At += Lowest;
  llvm::sort(Out);
  Out.erase(std::unique(Out.begin(), Out.end()), Out.end());
  return Out;
}

/// The record if counters of inner loops select fields; of several the smallest
/// one. 0: there is none.
static int64_t selectedRecord(const KernelSites &Kernel, const BaseSites &Group,
                              int64_t Largest) {
  std::set<int64_t> Factors;
  for (const RecordOffset &Offset : Group.Offsets)
    for (const OffsetTerm &Term : Offset.Terms)
      if (lastIteration(Kernel.Exprs, Term))
        Factors.insert(std::abs(Term.second));
  for (int64_t Factor : Factors) {
    int64_t Record = commonFactor(Kernel.Exprs, Group, Factor + 1);
    if (Record <= Largest || Record > MaxRecordBytes)
      continue;
    if (all_of(zip_equal(Group.Sites, Group.Offsets), [&](const auto &Pair) {
          auto [Site, Offset] = Pair;
          return fieldsReached(Kernel.Exprs, Offset, Record,
                               Kernel.Sites[Site].Size)
              .has_value();
        }))
      return Record;
  }
  return 0;
}

/// Returns the array behind one base, or sets Why if there is none. An empty
/// reason means that there is nothing to rearrange.
static std::optional<StructArray> recordArray(const KernelSites &Kernel,
                                              const BaseSites &Group,
                                              std::string &Why) {
  StructArray Out;
  int64_t Largest = 0, LargestRecord = 0;
  for (size_t I = 0; I != Group.Sites.size(); ++I) {
    const MemorySite &Site = Kernel.Sites[Group.Sites[I]];
    if (Site.Size == 0)
      return Why = "a copy of many bytes", std::nullopt;
    Largest = std::max<int64_t>(Largest, Site.Size);
    LargestRecord = std::max(LargestRecord, Group.Offsets[I].RecordBytes);
  }
  int64_t Record = commonFactor(Kernel.Exprs, Group, 0);
  if (Record <= Largest)
    Record = selectedRecord(Kernel, Group, Largest);
  if (Record == 0) {
    if (LargestRecord > Largest && LargestRecord <= MaxRecordBytes)
      Why = "it is accessed with several strides";
    return std::nullopt;
  }
  if (Record > MaxRecordBytes)
    return std::nullopt;
  Out.RecordBytes = Record;
  std::map<std::pair<int64_t, unsigned>, StructField> Fields;
  for (size_t I = 0; I != Group.Sites.size(); ++I) {
    const MemorySite &Site = Kernel.Sites[Group.Sites[I]];
    std::optional<std::vector<int64_t>> Reached =
        fieldsReached(Kernel.Exprs, Group.Offsets[I], Record, Site.Size);
    if (!Reached)
      return Why = "an access reaches over the end of a record", std::nullopt;
    for (int64_t At : *Reached) {
      StructField &Field = Fields[{At, Site.Size}];
      Field.Offset = At;
      Field.Bytes = Site.Size;
      (Site.Kind == SiteKind::Load ? Field.IsLoaded : Field.IsStored) = true;
      Field.Depth = std::max(Field.Depth, unsigned(Site.Loops.size()));
    }
    Out.Reached.push_back(std::move(*Reached));
    Out.Alignment = std::max(Out.Alignment, Site.Alignment);
    if (Out.Name.empty()) {
      Out.Name = Site.Record;
      Out.Type = Kernel.recordOf(Site);
      Out.Alignment = std::max(Out.Alignment, Out.Type.Alignment);
    }
  }
  Out.Alignment = std::min<unsigned>(
      Out.Alignment, unsigned(MinAlign(uint64_t(Record), MaxLaneBytes)));
  for (auto &[Key, Field] : Fields) {
    if (!Out.Fields.empty() &&
        Out.Fields.back().Offset + Out.Fields.back().Bytes > Field.Offset)
      return Why = "its bytes are accessed as fields of several sizes",
             std::nullopt;
    Out.Fields.push_back(Field);
  }
  Out.Base = Kernel.Sites[Group.Sites.front()].Base;
  Out.Sites = Group.Sites;
  return Out;
}

StructArrays findStructArrays(const KernelSites &Kernel) {
  MapVector<StringRef, BaseSites> Bases;
  for (uint32_t I = 0; I != Kernel.Sites.size(); ++I) {
    const MemorySite &Site = Kernel.Sites[I];
    if (Site.Space != MemorySpace::Global || Site.Base.empty())
      continue;
    Bases[Site.Base].Sites.push_back(I);
    Bases[Site.Base].Offsets.push_back(recordOffset(Kernel.Exprs, Site.Offset));
  }
  StructArrays Out;
  for (const auto &[Base, Group] : Bases) {
    std::string Why;
    if (std::optional<StructArray> Array = recordArray(Kernel, Group, Why))
      Out.Arrays.push_back(std::move(*Array));
    else if (!Why.empty())
      Out.Refusals.push_back({Base.str(), Why});
  }
  return Out;
}

std::vector<JoinedAccess> joinAccesses(const KernelSites &Kernel,
                                       const StructArray &Array,
                                       unsigned Alignment) {
  std::vector<JoinedAccess> Out;
  // Sites that are executed together and reach into one record.
  using Key = std::tuple<SiteKind, std::vector<std::pair<ExprId, int64_t>>,
                         std::vector<int64_t>, std::vector<ExprId>, int64_t>;
  std::map<Key, std::vector<size_t>> Together;
  std::vector<int64_t> Field;
  for (size_t I = 0; I != Array.Sites.size(); ++I) {
    const MemorySite &Site = Kernel.Sites[Array.Sites[I]];
    RecordOffset Offset = Array.recordOf(Kernel, Array.Sites[I]);
    Field.push_back(Array.Reached[I].front());
    Out.push_back({Array.Sites[I], Field[I], Site.Size});
    // A loop that selects the field stays a loop.
    if (Site.Kind == SiteKind::Atomic || Array.Reached[I].size() > 1)
      continue;
    std::vector<int64_t> Loops;
    for (const SiteLoop &L : Site.Loops)
      Loops.push_back(L.Number);
    Together[{Site.Kind,
              {Offset.Terms.begin(), Offset.Terms.end()},
              Loops,
              {Site.Guards.begin(), Site.Guards.end()},
              Offset.Constant}]
        .push_back(I);
  }
  for (auto &[K, Members] : Together) {
    llvm::sort(Members,
               [&](size_t A, size_t B) { return Field[A] < Field[B]; });
    for (size_t I = 0; I < Members.size();) {
      unsigned Element = Out[Members[I]].Bytes;
      int64_t Begin = Field[Members[I]];
      size_t Count = 1;
      while (I + Count < Members.size() &&
             Out[Members[I + Count]].Bytes == Element &&
             Field[Members[I + Count]] == Begin + int64_t(Count * Element))
        ++Count;
      // The widest vector that starts here.
      unsigned Bytes = MaxLaneBytes;
      while (Bytes > Element &&
             (Bytes > Count * Element || Begin % Bytes || Bytes > Alignment))
        Bytes /= 2;
      size_t Joined = std::max<size_t>(1, Bytes / Element);
      // The first in program order does it.
      size_t Leader =
          *std::min_element(Members.begin() + I, Members.begin() + I + Joined);
      for (size_t J = I; J != I + Joined; ++J)
        Out[Members[J]].Leader = Array.Sites[Leader];
      Out[Leader].Offset = Begin;
      Out[Leader].Bytes = std::max(Element, Bytes);
      if (Bytes < Element)
        Out[Leader].Bytes = Element;
      I += Joined;
    }
  }
  return Out;
}

} // namespace gridspan
