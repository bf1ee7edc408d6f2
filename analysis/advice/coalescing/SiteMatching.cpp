//===- SiteMatching.cpp - Accesses that optimization changes --------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sites of both sides are matched by number, which copies of unrolled loops
// keep; by place in the source, as instructions that are made anew have no
// number; and by array. The sums over what has a key are compared, since one
// site may have become several. What ptxas does to them is not in that code: it
// joins loads of one address on both sides of a branch (bench/model, smooth).
//
//===----------------------------------------------------------------------===//

#include "analysis/advice/coalescing/SiteMatching.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <cmath>
#include <map>
#include <set>

using namespace llvm;

namespace gridspan {

namespace {

/// Number (or NoSite), place (or empty), array.
using SiteKey =
    std::tuple<MemorySpace, SiteKind, uint32_t, std::string, std::string>;

struct KeySums {
  double Requests = 0, Units = 0, Ideal = 0;
  bool IsExact = true;

  void add(const SiteTraffic &Traffic) {
    IsExact &= Traffic.IsExact && Traffic.Sums;
    if (!Traffic.Sums)
      return;
    Requests += Traffic.Sums->Requests;
    Units += Traffic.Sums->Units;
    Ideal += Traffic.Sums->Ideal;
  }
  bool isEqual(const KeySums &O) const {
    auto IsSame = [](double A, double B) { return std::abs(A - B) < 0.5; };
    return IsExact && O.IsExact && IsSame(Requests, O.Requests) &&
           IsSame(Units, O.Units) && IsSame(Ideal, O.Ideal);
  }
};

using SumsByKey = std::map<SiteKey, KeySums>;

} // namespace

static SiteKey arrayOf(const MemorySite &Site) {
  return {Site.Space, Site.Kind, NoSite, "", Site.Base};
}

/// The most precise one first.
static SmallVector<SiteKey, 3> keysOf(const MemorySite &Site) {
  SmallVector<SiteKey, 3> Out;
  if (Site.Site != NoSite)
    Out.push_back({Site.Space, Site.Kind, Site.Site, "", ""});
  if (!Site.Where.empty())
    Out.push_back({Site.Space, Site.Kind, NoSite, Site.Where, Site.Base});
  Out.push_back(arrayOf(Site));
  return Out;
}

static SumsByKey sumsOf(const KernelCoalescing &K) {
  SumsByKey Out;
  for (size_t I = 0; I != K.Sites.size(); ++I)
    for (const SiteKey &Key : keysOf(K.Kernel.Sites[I]))
      Out[Key].add(K.Sites[I].Traffic);
  return Out;
}

/// Keys of sites without a number: what was joined, or made anew.
static std::set<SiteKey> unnumberedIn(const KernelCoalescing &K) {
  std::set<SiteKey> Out;
  for (const MemorySite &Site : K.Kernel.Sites)
    if (Site.Site == NoSite)
      Out.insert(keysOf(Site).front());
  return Out;
}

/// Returns true if no thread of some blocks gets to both sites.
static bool areExclusive(const KernelCoalescing &K, const MemorySite &A,
                         const MemorySite &B) {
  if (A.Guards.empty() || B.Guards.empty())
    return false;
  SmallVector<ExprId, 8> Roots;
  Roots.append(A.Guards);
  Roots.append(B.Guards);
  ConcreteEval Eval(K.Kernel.Exprs, Roots, K.Launch);
  for (const MemorySite *Site : {&A, &B})
    for (const SiteLoop &L : Site->Loops)
      Eval.setIteration(L.Number, 0);
  auto MayHold = [&](ExprId Guard) {
    ConcreteValue V = Eval.value(Guard);
    return V.State == ConcreteValue::Unknown || (V.isKnown() && V.Value != 0);
  };
  const auto &Grid = K.Launch.Grid, &Block = K.Launch.Block;
  const std::array<uint32_t, 3> Blocks[] = {
      {0, 0, 0},
      {Grid[0] / 2, Grid[1] / 2, Grid[2] / 2},
      {Grid[0] - 1, Grid[1] - 1, Grid[2] - 1}};
  for (const auto &At : Blocks) {
    Eval.setBlock(At);
    for (uint32_t Z = 0; Z != Block[2]; ++Z)
      for (uint32_t Y = 0; Y != Block[1]; ++Y)
        for (uint32_t X = 0; X != Block[0]; ++X) {
          Eval.setThread({X, Y, Z});
          if (all_of(Roots, MayHold))
            return false;
        }
  }
  return true;
}

/// Returns true if some other load has the site's address on the other side of
/// a branch: ptxas may do both as one, before it.
static bool hasTwin(const KernelCoalescing &K, const MemorySite &Site) {
  if (Site.Kind != SiteKind::Load)
    return false;
  return any_of(K.Kernel.Sites, [&](const MemorySite &Other) {
    return &Other != &Site && Other.Kind == Site.Kind &&
           Other.Space == Site.Space && Other.Base == Site.Base &&
           Other.Offset == Site.Offset && Other.Size == Site.Size &&
           areExclusive(K, Site, Other);
  });
}

std::vector<size_t> sitesThatDiffer(const KernelCoalescing &Written,
                                    const KernelCoalescing &Executed) {
  SumsByKey Before = sumsOf(Written), After = sumsOf(Executed);
  std::set<SiteKey> Old = unnumberedIn(Written), HasNew;
  for (const MemorySite &Site : Executed.Kernel.Sites)
    if (Site.Site == NoSite && !Old.count(keysOf(Site).front()))
      HasNew.insert(arrayOf(Site));

  std::vector<size_t> Out;
  for (size_t I = 0; I != Written.Sites.size(); ++I) {
    const MemorySite &Site = Written.Kernel.Sites[I];
    if (!Written.Sites[I].Traffic.IsExact)
      continue;
    if (hasTwin(Written, Site)) {
      Out.push_back(I);
      continue;
    }
    SmallVector<SiteKey, 3> Keys = keysOf(Site);
    if (any_of(Keys, [&](const SiteKey &Key) {
          auto It = After.find(Key);
          return It != After.end() && It->second.isEqual(Before[Key]);
        }))
      continue;
    auto It = After.find(Keys.front());
    bool IsOpen = It != After.end() && !It->second.IsExact;
    if (!IsOpen || HasNew.count(arrayOf(Site)))
      Out.push_back(I);
  }
  return Out;
}

} // namespace gridspan
