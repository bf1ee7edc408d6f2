//===- WarpTrace.cpp - Sampled requests of a launch -----------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Samples blocks from the middle of the grid, as far apart as blocks of one
// multiprocessor are. A loop with many trips is looked at in a window in its
// middle. The first iterations of the window fill the caches and do not count.
//
// An index that was loaded from memory has no known value. Its lanes are spread
// over a large array by a hash of thread and iteration: two sites of the same
// index expression meet in the same record. Where all lanes step alike, by an
// amount that is not known, the hash is the warp's, and its lanes stay as they
// began.
//
//===----------------------------------------------------------------------===//

#include "analysis/advice/warpsim/WarpTrace.h"
#include "analysis/advice/warpsim/WarpSampler.h"
#include "analysis/expr/LaunchDefaults.h"
#include "analysis/expr/RecordOffset.h"
#include "analysis/machine/WarpRequest.h"
#include "llvm/ADT/SmallVector.h"
#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

using namespace llvm;

namespace gridspan {

/// Events at most, about.
static constexpr uint64_t MaxEvents = 12000;

/// Iterations of an innermost loop, and of those around it, that are looked at;
/// the first ones only warm the caches.
static constexpr uint64_t InnerWindow = 40, OuterWindow = 3;

/// Iterations over elements of 4 bytes that share a sector.
static constexpr uint64_t SectorIterations = 8;

/// Warps of the sample, if blocks are not larger.
static constexpr unsigned TypicalWarps = 16;

namespace {

/// Sites and loops of one loop, or of the kernel, in program order.
struct Nest {
  int64_t Loop = -1;
  const SiteLoop *Where = nullptr;
  uint32_t First = NoSite; ///< a site inside
  struct Item {
    uint32_t Site = NoSite;
    std::unique_ptr<Nest> Inner;
  };
  std::vector<Item> Items;

  bool isInnermost() const {
    return none_of(Items, [](const Item &I) { return bool(I.Inner); });
  }
};

struct SampledWarp {
  std::array<uint32_t, 3> Block;
  unsigned Warp;
};

class Tracer {
public:
  Tracer(const KernelSites &Kernel, const LaunchValues &Launch,
         const MachineModel &Machine)
      : Kernel(Kernel), Launch(Launch), Machine(Machine),
        Sampler(Kernel.Exprs, Launch, &Memo) {}

  WarpTrace run();

private:
  uint64_t nestSites();
  void chooseWarps();
  void stand(const SampledWarp &Warp);
  void visit(const Nest &N, double Weight);
  void visitLoop(const Nest &N, double Weight);
  void visitSite(uint32_t Site, double Weight);
  uint64_t tripsOf(const Nest &N);
  std::optional<int64_t> offsetOf(uint32_t Site, const SampledWarp &Warp,
                                  unsigned Lane);
  int64_t scatteredBytes(uint32_t Site, const SampledWarp &Warp, unsigned Lane);
  int64_t steppedBytes(uint32_t Site, const SampledWarp &Warp) const;
  void findRanges();
  void findRange(uint32_t Site);

  const KernelSites &Kernel;
  const LaunchValues &Launch;
  const MachineModel &Machine;
  LaunchMemo Memo; ///< each site stands in the warps one after the other
  WarpSampler Sampler;
  WarpTrace Out;
  Nest Root;
  std::vector<SampledWarp> Warps;
  uint64_t Window = InnerWindow;
  /// The loops under way, outermost first: their iterations, and the trips of
  /// the lanes of each warp.
  std::vector<uint64_t> Iteration;
  std::vector<std::vector<LaneTrips>> Trips;
};

} // namespace

void Tracer::stand(const SampledWarp &Warp) {
  Sampler.setBlock(Warp.Block);
  Sampler.setWarp(Warp.Warp);
}

void Tracer::chooseWarps() {
  uint64_t Blocks = Sampler.numBlocks();
  unsigned PerBlock = Sampler.warpsPerBlock();
  uint64_t Share =
      (Blocks + Machine.Multiprocessors - 1) / Machine.Multiprocessors;
  Out.ResidentBlocks = unsigned(std::min<uint64_t>(
      {std::max(1u, Machine.MaxWarps / PerBlock), Machine.MaxBlocks, Share}));
  Out.ResidentWarps = Out.ResidentBlocks * PerBlock;
  Out.TotalWarps = double(Blocks) * PerBlock;
  Out.BlocksOfLaunch = double(Blocks);
  Out.SampledBlocks =
      std::min(Out.ResidentBlocks, (TypicalWarps + PerBlock - 1) / PerBlock);
  Out.SampledWarps = Out.SampledBlocks * PerBlock;
  for (unsigned I = 0; I != Out.SampledBlocks; ++I) {
    uint64_t At = (Blocks / 2 + uint64_t(I) * Machine.Multiprocessors) % Blocks;
    for (unsigned W = 0; W != PerBlock; ++W)
      Warps.push_back({Sampler.blockAt(At), W});
  }
}

/// Returns the most that a lane of the sample makes, outer loops as they stand.
uint64_t Tracer::tripsOf(const Nest &N) {
  const MemorySite &Site = Kernel.Sites[N.First];
  size_t Depth = Iteration.size();
  SmallVector<ExprId, 4> Guards = Sampler.guardsBefore(Site, Depth);
  uint64_t Most = 0;
  bool IsBounded = false;
  std::vector<LaneTrips> &OfWarps = Trips.emplace_back();
  for (const SampledWarp &Warp : Warps) {
    stand(Warp);
    // Work under a condition counts as done, also where no lane gets there.
    uint32_t Lanes = Sampler.reaching(Guards, Sampler.lanes()).Lanes;
    LaneTrips T = Sampler.tripsOf(*N.Where, Lanes ? Lanes : Sampler.lanes());
    IsBounded |= T.IsBounded;
    Most = std::max(Most, T.Most);
    OfWarps.push_back(T);
  }
  Out.AreTripCountsKnown &= IsBounded;
  return Most;
}

/// Steele et al., "Fast splittable pseudorandom number generators", 2014.
static uint64_t mixed(uint64_t X) {
  X += 0x9e3779b97f4a7c15;
  X = (X ^ X >> 30) * 0xbf58476d1ce4e5b9;
  X = (X ^ X >> 27) * 0x94d049bb133111eb;
  return X ^ X >> 31;
}

/// Returns the bytes that a warp has stepped by in this iteration, as a hash.
/// The lanes of the site step alike, by an unknown amount.
int64_t Tracer::steppedBytes(uint32_t Site, const SampledWarp &Warp) const {
  const MemorySite &S = Kernel.Sites[Site];
  uint64_t Hash = mixed(S.Index);
  for (uint64_t Part : {uint64_t(Warp.Block[0]), uint64_t(Warp.Block[1]),
                        uint64_t(Warp.Block[2]), uint64_t(Warp.Warp)})
    Hash = mixed(Hash + Part);
  for (uint64_t K : Iteration)
    Hash = mixed(Hash + K);
  return int64_t(Hash % (ScatterRecords / WarpSize)) * WarpSize * S.IndexBytes;
}

/// Returns an offset of which a part depends on loaded data. The known part
/// stays; a hash gives the rest, in whole records. The hash leaves out loops
/// whose counter is a term of its own.
int64_t Tracer::scatteredBytes(uint32_t Site, const SampledWarp &Warp,
                               unsigned Lane) {
  const MemorySite &S = Kernel.Sites[Site];
  RecordOffset Record = recordOffset(Kernel.Exprs, S.Offset);
  if (Record.RecordBytes == 0)
    Record = {{{S.Offset, 1}}, std::max<int64_t>(1, S.Size), 0};
  int64_t Known = Record.Constant, Bytes = 0;
  uint64_t Hash = 0;
  SmallVector<int64_t, 2> Counted;
  for (const OffsetTerm &Term : Record.Terms) {
    const ExprNode &Node = Kernel.Exprs[Term.first];
    auto Around =
        find_if(S.Loops, [&](const SiteLoop &L) { return L.Number == Node.B; });
    if (isCounter(Kernel.Exprs, Term) && Around != S.Loops.end()) {
      Known +=
          Term.second * int64_t(Iteration[size_t(Around - S.Loops.begin())]);
      Counted.push_back(Node.B);
    } else if (ConcreteValue V = Sampler.value(Term.first, Lane); V.isKnown()) {
      Known += Term.second * V.Value;
    } else {
      Bytes = std::gcd(Bytes, Term.second);
      Hash = mixed(Hash ^ (S.Index == NoSite ? Term.first : S.Index));
    }
  }
  if (Bytes == 0)
    Bytes = Record.RecordBytes;
  for (uint64_t Part :
       {uint64_t(Warp.Block[0]), uint64_t(Warp.Block[1]),
        uint64_t(Warp.Block[2]), uint64_t(Warp.Warp) * WarpSize + Lane})
    Hash = mixed(Hash + Part);
  for (size_t L = 0; L != Iteration.size(); ++L)
    if (!is_contained(Counted, S.Loops[L].Number))
      Hash = mixed(Hash + Iteration[L]);
  return int64_t(Hash % ScatterRecords) * Bytes + Known;
}

std::optional<int64_t> Tracer::offsetOf(uint32_t Site, const SampledWarp &Warp,
                                        unsigned Lane) {
  const MemorySite &S = Kernel.Sites[Site];
  ConcreteValue V = Sampler.value(S.Offset, Lane);
  if (V.State == ConcreteValue::Inactive)
    return std::nullopt;
  if (V.isKnown())
    return V.Value;
  Out.IsScattered[Site] = true;
  if (S.Start != NoExpr)
    if (ConcreteValue First = Sampler.value(S.Start, Lane); First.isKnown())
      return First.Value + steppedBytes(Site, Warp);
  return scatteredBytes(Site, Warp, Lane);
}

void Tracer::visitSite(uint32_t Index, double Weight) {
  const MemorySite &Site = Kernel.Sites[Index];
  if (Site.Size == 0)
    return;
  for (uint32_t W = 0, End = uint32_t(Warps.size()); W != End; ++W) {
    TraceEvent Event;
    Event.Site = Index;
    Event.Warp = W;
    Event.Weight = Weight;
    stand(Warps[W]);
    uint32_t Lanes = Sampler.lanes();
    for (size_t L = 0; L != Iteration.size(); ++L)
      Lanes = Trips[L][W].runningIn(Iteration[L], Lanes);
    Lanes = Sampler.reaching(Site.Guards, Lanes).Lanes;
    for (unsigned Lane = 0; Lane != WarpSize; ++Lane) {
      if (!(Lanes >> Lane & 1))
        continue;
      if (std::optional<int64_t> Offset = offsetOf(Index, Warps[W], Lane)) {
        Event.Active |= 1u << Lane;
        Event.Offset[Lane] = *Offset;
      }
    }
    if (Event.Active)
      Out.Events.push_back(Event);
  }
}

void Tracer::visitLoop(const Nest &N, double Weight) {
  Sampler.setIteration(N.Loop, 0);
  uint64_t Most = tripsOf(N);
  Out.Trips[N.Loop] = double(Most);
  uint64_t Limit = N.isInnermost() ? Window : OuterWindow;
  uint64_t Begin = 0, End = Most, Warm = 0;
  if (Most > Limit) {
    Begin = Most / 2 - Limit / 2;
    End = Begin + Limit;
    Warm = std::max<uint64_t>(1, Limit / 5);
    // Whole sectors: of neighbouring elements, as many requests that fetch one
    // as in the whole loop.
    if (End - Begin - Warm >= SectorIterations)
      Warm += (End - Begin - Warm) % SectorIterations;
  }
  double Share =
      End - Begin == Warm ? 0 : double(Most) / double(End - Begin - Warm);
  Iteration.push_back(0);
  for (uint64_t K = Begin; K != End; ++K) {
    Sampler.setIteration(N.Loop, K);
    Iteration.back() = K;
    visit(N, K - Begin < Warm ? 0 : Weight * Share);
  }
  Iteration.pop_back();
  Trips.pop_back();
}

void Tracer::visit(const Nest &N, double Weight) {
  for (const Nest::Item &Item : N.Items)
    if (Item.Inner)
      visitLoop(*Item.Inner, Weight);
    else
      visitSite(Item.Site, Weight);
}

/// Looks at the corners of the grid, of its blocks and of the loops: that is
/// where affine offsets are lowest and highest.
void Tracer::findRange(uint32_t Index) {
  const MemorySite &Site = Kernel.Sites[Index];
  OffsetRange &Range = Out.Ranges[Index];
  unsigned LastWarp = Sampler.warpsPerBlock() - 1;
  unsigned Corners = 1u << (4 + std::min<size_t>(Site.Loops.size(), 3));
  for (unsigned Corner = 0; Corner != Corners; ++Corner) {
    SampledWarp Warp = {{}, Corner & 8 ? LastWarp : 0};
    for (unsigned Axis = 0; Axis != 3; ++Axis)
      Warp.Block[Axis] = Corner >> Axis & 1 ? Launch.Grid[Axis] - 1 : 0;
    stand(Warp);
    for (size_t L = 0, End = Site.Loops.size(); L != End; ++L) {
      bool IsLast = L < 3 && Corner >> (4 + L) & 1;
      double Trips = Out.Trips[Site.Loops[L].Number];
      Sampler.setIteration(Site.Loops[L].Number,
                           IsLast && Trips > 1 ? uint64_t(Trips) - 1 : 0);
    }
    for (unsigned Lane : {0u, WarpSize - 1}) {
      if (!(Sampler.lanes() >> Lane & 1))
        continue;
      // Guards leave out some edges: that makes no difference.
      if (ConcreteValue V = Sampler.value(Site.Offset, Lane); V.isKnown())
        Range.add(V.Value);
    }
  }
}

void Tracer::findRanges() {
  for (uint32_t Index = 0; Index != Kernel.Sites.size(); ++Index)
    if (!Out.IsScattered[Index])
      findRange(Index);
  // Masks and remainders reach their highest value in between.
  for (const TraceEvent &Event : Out.Events)
    for (unsigned Lane = 0; Lane != WarpSize; ++Lane)
      if (Event.Active >> Lane & 1 && !Out.Ranges[Event.Site].isEmpty())
        Out.Ranges[Event.Site].add(Event.Offset[Lane]);
}

/// Puts the sites into the nest of their loops. Returns how often a warp visits
/// sites of loops for one iteration of the innermost ones.
uint64_t Tracer::nestSites() {
  uint64_t Visits = 0;
  for (uint32_t I = 0; I != Kernel.Sites.size(); ++I) {
    const MemorySite &Site = Kernel.Sites[I];
    Nest *At = &Root;
    for (const SiteLoop &L : Site.Loops) {
      auto It = find_if(At->Items, [&](const Nest::Item &Item) {
        return Item.Inner && Item.Inner->Loop == L.Number;
      });
      if (It == At->Items.end()) {
        At->Items.push_back({NoSite, std::make_unique<Nest>()});
        It = std::prev(At->Items.end());
        It->Inner->Loop = L.Number;
        It->Inner->Where = &L;
        It->Inner->First = I;
      }
      At = It->Inner.get();
    }
    At->Items.push_back({I, nullptr});
    uint64_t Outer = 1;
    for (size_t L = 1; L < Site.Loops.size(); ++L)
      Outer *= OuterWindow;
    Visits += Site.Loops.empty() ? 0 : Outer;
  }
  return Visits;
}

WarpTrace Tracer::run() {
  Out.Ranges.resize(Kernel.Sites.size());
  Out.IsScattered.resize(Kernel.Sites.size());
  uint64_t Visits = nestSites();
  chooseWarps();
  if (Visits)
    Window = std::clamp<uint64_t>(MaxEvents / (Visits * Warps.size()), 8,
                                  InnerWindow);
  visit(Root, 1);
  findRanges();
  return std::move(Out);
}

WarpTrace traceWarps(const KernelSites &Kernel, const LaunchValues &Launch,
                     const MachineModel &Machine) {
  return Tracer(Kernel, Launch, Machine).run();
}

} // namespace gridspan
