//===- RecordArrays.cpp - Arrays of structs behind a kernel --------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The record of a base is what divides the factors of all its offsets. If that
// is no more than the largest access, the array has no structure that matters.
//
// Accesses are joined as the load/store vectorizer does it
// (llvm/lib/Transforms/ Vectorize/LoadStoreVectorizer.cpp): neighbours of one
// kind in one place of the program, into vectors of 2, 4, ... elements that
// their alignment allows, 16 bytes at most; gaps are not filled.
//
//===----------------------------------------------------------------------===//

#include "gridspan/Analysis/RecordArrays.h"
#include "gridspan/Analysis/WarpRequest.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

using namespace llvm;

namespace gridspan {

/// Larger ones are rows of a matrix rather than structs.
static constexpr int64_t MaxRecordBytes = 1024;

static void addTerms(const ExprPool &Pool, ExprId Id, int64_t Factor,
                     RecordOffset &Out) {
  const ExprNode &Node = Pool[Id];
  if (std::optional<int64_t> C = Pool.constantValue(Id)) {
    Out.Constant += Factor * *C;
    return;
  }
  if (Node.Kind == ExprKind::Add || Node.Kind == ExprKind::Sub) {
    addTerms(Pool, Node.Ops[0], Factor, Out);
    addTerms(Pool, Node.Ops[1], Node.Kind == ExprKind::Add ? Factor : -Factor,
             Out);
    return;
  }
  if (Node.Kind == ExprKind::Mul)
    if (std::optional<int64_t> C = Pool.constantValue(Node.Ops[1]))
      return addTerms(Pool, Node.Ops[0], Factor * *C, Out);
  if (Node.Kind == ExprKind::Shl)
    if (std::optional<int64_t> By = Pool.constantValue(Node.Ops[1]);
        By && *By >= 0 && *By < 32)
      return addTerms(Pool, Node.Ops[0], Factor * (int64_t(1) << *By), Out);
  // A pointer that steps through the array: where it starts and by how much.
  if (Node.Kind == ExprKind::Iter) {
    std::optional<int64_t> Step = Pool.constantValue(Node.Ops[1]);
    if (Step && Factor == 1 && *Step != 0) {
      addTerms(Pool, Node.Ops[0], Factor, Out);
      Out.Terms.push_back({Id, *Step});
      return;
    }
  }
  Out.Terms.push_back({Id, Factor});
}

RecordOffset recordOffset(const ExprPool &Pool, ExprId Offset) {
  RecordOffset Out;
  addTerms(Pool, Offset, 1, Out);
  llvm::sort(Out.Terms);
  for (auto [Id, Factor] : Out.Terms)
    Out.RecordBytes = std::gcd(Out.RecordBytes, Factor);
  return Out;
}

int64_t RecordArray::untouchedBytes() const {
  int64_t Touched = 0;
  for (const RecordField &Field : Fields)
    Touched += Field.Bytes;
  return RecordBytes - Touched;
}

static int64_t fieldOf(const RecordOffset &Offset, int64_t RecordBytes) {
  return Offset.Constant -
         divideFloorSigned(Offset.Constant, RecordBytes) * RecordBytes;
}

namespace {
struct BaseSites {
  std::vector<uint32_t> Sites;
  std::vector<RecordOffset> Offsets; ///< beside Sites
};
} // namespace

/// The array behind one base, or why there is none; an empty reason: there is
/// nothing to rearrange.
static std::optional<RecordArray> recordArray(const KernelSites &Kernel,
                                              const BaseSites &Group,
                                              std::string &Why) {
  RecordArray Out;
  int64_t Largest = 0, Record = 0, LargestRecord = 0;
  for (size_t I = 0; I != Group.Sites.size(); ++I) {
    const MemorySite &Site = Kernel.Sites[Group.Sites[I]];
    if (Site.Size == 0)
      return Why = "a copy of many bytes", std::nullopt;
    Largest = std::max<int64_t>(Largest, Site.Size);
    Record = std::gcd(Record, Group.Offsets[I].RecordBytes);
    LargestRecord = std::max(LargestRecord, Group.Offsets[I].RecordBytes);
  }
  if (Record <= Largest) {
    if (LargestRecord > Largest && LargestRecord <= MaxRecordBytes)
      Why = "it is accessed with several strides";
    return std::nullopt;
  }
  if (Record > MaxRecordBytes)
    return std::nullopt;
  Out.RecordBytes = Record;
  std::map<std::pair<int64_t, unsigned>, RecordField> Fields;
  for (size_t I = 0; I != Group.Sites.size(); ++I) {
    const MemorySite &Site = Kernel.Sites[Group.Sites[I]];
    int64_t At = fieldOf(Group.Offsets[I], Record);
    if (At + Site.Size > Record)
      return Why = "an access reaches over the end of a record", std::nullopt;
    RecordField &Field = Fields[{At, Site.Size}];
    Field.Offset = At;
    Field.Bytes = Site.Size;
    (Site.Kind == SiteKind::Load ? Field.IsLoaded : Field.IsStored) = true;
    Field.Depth = std::max(Field.Depth, unsigned(Site.Loops.size()));
    Out.Alignment = std::max(Out.Alignment, Site.Alignment);
    if (Out.Name.empty())
      Out.Name = Site.Record;
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

RecordArrays findRecordArrays(const KernelSites &Kernel) {
  MapVector<StringRef, BaseSites> Bases;
  for (uint32_t I = 0; I != Kernel.Sites.size(); ++I) {
    const MemorySite &Site = Kernel.Sites[I];
    if (Site.Space != MemorySpace::Global || Site.Base.empty())
      continue;
    Bases[Site.Base].Sites.push_back(I);
    Bases[Site.Base].Offsets.push_back(recordOffset(Kernel.Exprs, Site.Offset));
  }
  RecordArrays Out;
  for (const auto &[Base, Group] : Bases) {
    std::string Why;
    if (std::optional<RecordArray> Array = recordArray(Kernel, Group, Why))
      Out.Arrays.push_back(std::move(*Array));
    else if (!Why.empty())
      Out.Refusals.push_back({Base.str(), Why});
  }
  return Out;
}

std::vector<JoinedAccess> joinAccesses(const KernelSites &Kernel,
                                       const RecordArray &Array,
                                       unsigned Alignment) {
  std::vector<JoinedAccess> Out;
  // Sites that are executed together and reach into one record.
  using Key = std::tuple<SiteKind, std::vector<std::pair<ExprId, int64_t>>,
                         std::vector<int64_t>, std::vector<ExprId>, int64_t>;
  std::map<Key, std::vector<size_t>> Together;
  std::vector<int64_t> Field;
  for (size_t I = 0; I != Array.Sites.size(); ++I) {
    const MemorySite &Site = Kernel.Sites[Array.Sites[I]];
    RecordOffset Offset = recordOffset(Kernel.Exprs, Site.Offset);
    Field.push_back(fieldOf(Offset, Array.RecordBytes));
    Out.push_back({Array.Sites[I], Field[I], Site.Size});
    if (Site.Kind == SiteKind::Atomic)
      continue;
    std::vector<int64_t> Loops;
    for (const SiteLoop &L : Site.Loops)
      Loops.push_back(L.Number);
    Together[{Site.Kind,
              {Offset.Terms.begin(), Offset.Terms.end()},
              Loops,
              {Site.Guards.begin(), Site.Guards.end()},
              Offset.Constant - Field[I]}]
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
