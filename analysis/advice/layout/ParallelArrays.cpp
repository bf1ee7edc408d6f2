//===- ParallelArrays.cpp - Arrays that might be fields of one struct -----===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arrays belong together if they are accessed at exactly the same indices: sums
// of the same values and constants, in elements. One more index in one of them
// and a struct might serve another access worse, which is a reason to refuse.
//
//===----------------------------------------------------------------------===//

#include "analysis/advice/layout/StructArrays.h"
#include "analysis/machine/WarpRequest.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <map>
#include <set>

using namespace llvm;

namespace gridspan {

namespace {

/// Number of the index and what is added to it.
using ElementIndex = std::pair<uint32_t, int64_t>;

struct ElementArray {
  std::vector<uint32_t> Sites;
  std::set<ElementIndex> Indices;
  unsigned Bytes = 0;      ///< of an element; 0: no array of elements
  unsigned Alignment = 16; ///< the least of its accesses
};

} // namespace

static MapVector<StringRef, ElementArray>
elementArrays(const KernelSites &Kernel) {
  MapVector<StringRef, ElementArray> Out;
  std::set<StringRef> Others;
  for (uint32_t I = 0; I != Kernel.Sites.size(); ++I) {
    const MemorySite &Site = Kernel.Sites[I];
    if (Site.Space != MemorySpace::Global || Site.Base.empty())
      continue;
    ElementArray &A = Out[Site.Base];
    RecordOffset Offset = recordOffset(Kernel.Exprs, Site.Offset);
    if (Site.Index == NoSite || Site.Size == 0 ||
        Site.IndexBytes != int64_t(Site.Size) ||
        (A.Bytes && A.Bytes != Site.Size) || Offset.Constant % Site.Size) {
      Others.insert(Site.Base);
      continue;
    }
    A.Bytes = Site.Size;
    A.Sites.push_back(I);
    A.Indices.insert({Site.Index, Offset.Constant / Site.Size});
  }
  Out.remove_if([&](const auto &Pair) { return Others.count(Pair.first); });
  return Out;
}

static StructArray
structOf(const KernelSites &Kernel,
         ArrayRef<std::pair<StringRef, const ElementArray *>> Members) {
  StructArray Out;
  Out.Base = Members.front().first.str();
  for (const auto &[Base, Array] : Members) {
    Out.Apart.push_back(Base.str());
    StructField Field;
    Field.Bytes = Array->Bytes;
    Field.Offset = int64_t(alignTo(uint64_t(Out.RecordBytes),
                                   MinAlign(Array->Bytes, MaxLaneBytes)));
    Out.Alignment =
        std::max(Out.Alignment, unsigned(MinAlign(Array->Bytes, MaxLaneBytes)));
    for (uint32_t I : Array->Sites) {
      const MemorySite &Site = Kernel.Sites[I];
      (Site.Kind == SiteKind::Load ? Field.IsLoaded : Field.IsStored) = true;
      Field.Depth = std::max(Field.Depth, unsigned(Site.Loops.size()));
      Out.Sites.push_back(I);
      Out.Reached.push_back({Field.Offset});
    }
    Out.RecordBytes = Field.Offset + Field.Bytes;
    Out.Fields.push_back(Field);
  }
  Out.RecordBytes = int64_t(alignTo(uint64_t(Out.RecordBytes), Out.Alignment));
  return Out;
}

StructArrays findParallelArrays(const KernelSites &Kernel) {
  MapVector<StringRef, ElementArray> Arrays = elementArrays(Kernel);
  std::map<std::set<ElementIndex>,
           SmallVector<std::pair<StringRef, const ElementArray *>, 4>>
      Groups;
  for (const auto &[Base, Array] : Arrays)
    Groups[Array.Indices].push_back({Base, &Array});
  StructArrays Out;
  for (const auto &[Indices, Members] : Groups) {
    if (Members.size() > 1) {
      Out.Arrays.push_back(structOf(Kernel, Members));
      continue;
    }
    for (const auto &[Other, Theirs] : Groups)
      if (Other != Indices && any_of(Other, [&](const ElementIndex &Index) {
            return Indices.count(Index);
          }))
        Out.Refusals.push_back(
            {Members.front().first.str(),
             "it shares some of its indices with another array, not all"});
  }
  // In the order of the parameters.
  llvm::sort(Out.Arrays, [](const StructArray &A, const StructArray &B) {
    return A.Sites.front() < B.Sites.front();
  });
  llvm::sort(Out.Refusals, [](const StructRefusal &A, const StructRefusal &B) {
    return A.Base < B.Base;
  });
  Out.Refusals.erase(
      std::unique(Out.Refusals.begin(), Out.Refusals.end(),
                  [](const StructRefusal &A, const StructRefusal &B) {
                    return A.Base == B.Base;
                  }),
      Out.Refusals.end());
  return Out;
}

} // namespace gridspan
