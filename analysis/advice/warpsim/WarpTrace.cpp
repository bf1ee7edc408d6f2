//===- WarpTrace.cpp - What some warps of a launch do -------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Blocks from the middle of the grid, as far apart as blocks of one
// multiprocessor are. Of a loop with many trips a window in the middle is
// looked at, whose first iterations fill the caches and do not count.
//
// An index that was loaded from memory has no known value. Its lanes are spread
// over a large array by a hash of thread and iteration: two sites of the same
// index expression meet in the same record. Where all lanes step alike, by an
// amount that is not known, the hash is the warp's, and its lanes stay as they
// began.
//
//===----------------------------------------------------------------------===//

#include "analysis/advice/warpsim/WarpTrace.h"
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

/// Trips of a loop that nobody knows.
static constexpr uint64_t GuessedTrips = 32;

/// Records among which scattered lanes are spread.
static constexpr uint64_t ScatterRecords = uint64_t(1) << 24;

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
      : Kernel(Kernel), Launch(Launch), Machine(Machine) {
    for (const MemorySite &Site : Kernel.Sites)
      Evals.emplace_back(Kernel.Exprs, rootsOf(Site), Launch);
  }

  WarpTrace run();

private:
  static std::vector<ExprId> rootsOf(const MemorySite &Site);
  void setIteration(int64_t Loop, uint64_t K);
  void placeWarps();
  void visit(const Nest &N, double Weight);
  void visitLoop(const Nest &N, double Weight);
  void visitSite(uint32_t Site, double Weight);
  bool setLane(ConcreteEval &Eval, const SampledWarp &Place, unsigned Lane);
  bool isIn(uint32_t Site);
  std::optional<uint64_t> takenBy(ConcreteEval &Eval, const SiteLoop &L);
  uint64_t tripsOf(const Nest &N);
  std::optional<int64_t> offsetOf(uint32_t Site, const SampledWarp &Place,
                                  unsigned Lane);
  int64_t steppedBytes(uint32_t Site, const SampledWarp &Place) const;
  void findRanges();

  const KernelSites &Kernel;
  const LaunchValues &Launch;
  const MachineModel &Machine;
  std::vector<ConcreteEval> Evals; ///< by site
  WarpTrace Out;
  Nest Root;
  std::vector<SampledWarp> Warps;
  uint64_t Window = InnerWindow;
  /// The iterations under way, outermost first, for what is scattered.
  std::vector<uint64_t> Iteration;
};

} // namespace

std::vector<ExprId> Tracer::rootsOf(const MemorySite &Site) {
  std::vector<ExprId> Roots = {Site.Offset};
  if (Site.Start != NoExpr)
    Roots.push_back(Site.Start);
  Roots.insert(Roots.end(), Site.Guards.begin(), Site.Guards.end());
  for (const SiteLoop &L : Site.Loops)
    if (L.BackedgeTaken != NoExpr)
      Roots.push_back(L.BackedgeTaken);
  return Roots;
}

void Tracer::setIteration(int64_t Loop, uint64_t K) {
  for (ConcreteEval &Eval : Evals)
    Eval.setIteration(Loop, K);
}

static uint64_t threadsOf(const LaunchValues &Launch) {
  return uint64_t(Launch.Block[0]) * Launch.Block[1] * Launch.Block[2];
}

void Tracer::placeWarps() {
  uint64_t Blocks = uint64_t(Launch.Grid[0]) * Launch.Grid[1] * Launch.Grid[2];
  unsigned PerBlock = unsigned((threadsOf(Launch) + WarpSize - 1) / WarpSize);
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
    std::array<uint32_t, 3> Block = {
        uint32_t(At % Launch.Grid[0]),
        uint32_t(At / Launch.Grid[0] % Launch.Grid[1]),
        uint32_t(At / Launch.Grid[0] / Launch.Grid[1])};
    for (unsigned W = 0; W != PerBlock; ++W)
      Warps.push_back({Block, W});
  }
}

bool Tracer::setLane(ConcreteEval &Eval, const SampledWarp &Place,
                     unsigned Lane) {
  uint64_t T = uint64_t(Place.Warp) * WarpSize + Lane;
  const auto &B = Launch.Block;
  if (T >= threadsOf(Launch))
    return false;
  Eval.setThread({uint32_t(T % B[0]), uint32_t(T / B[0] % B[1]),
                  uint32_t(T / B[0] / B[1])});
  return true;
}

/// Backedges that the thread takes; nothing if not known. All ones: none, as it
/// does not get there.
std::optional<uint64_t> Tracer::takenBy(ConcreteEval &Eval, const SiteLoop &L) {
  if (L.BackedgeTaken == NoExpr)
    return std::nullopt;
  ConcreteValue V = Eval.value(L.BackedgeTaken);
  if (V.State == ConcreteValue::Inactive)
    return ~uint64_t(0);
  if (!V.isKnown())
    return std::nullopt;
  unsigned Width = Kernel.Exprs[L.BackedgeTaken].Width;
  return Width == 64 ? uint64_t(V.Value)
                     : uint64_t(V.Value) & ((uint64_t(1) << Width) - 1);
}

bool Tracer::isIn(uint32_t Index) {
  const MemorySite &Site = Kernel.Sites[Index];
  ConcreteEval &Eval = Evals[Index];
  for (ExprId Guard : Site.Guards) {
    ConcreteValue V = Eval.value(Guard);
    if (V.State == ConcreteValue::Inactive || (V.isKnown() && V.Value == 0))
      return false;
  }
  for (const SiteLoop &L : Site.Loops)
    if (std::optional<uint64_t> Taken = takenBy(Eval, L))
      if (*Taken == ~uint64_t(0) || Eval.iteration(L.Number) > *Taken)
        return false;
  return true;
}

/// The most that a lane of the sample makes, outer loops as they stand.
uint64_t Tracer::tripsOf(const Nest &N) {
  uint64_t Most = 0;
  bool IsKnown = false;
  ConcreteEval &Eval = Evals[N.First];
  for (const SampledWarp &Place : Warps) {
    Eval.setBlock(Place.Block);
    for (unsigned Lane : {0u, WarpSize - 1}) {
      if (!setLane(Eval, Place, Lane))
        break;
      std::optional<uint64_t> Taken = takenBy(Eval, *N.Where);
      if (!Taken || *Taken == ~uint64_t(0))
        continue;
      // A count of 2^32 - 1 is what a guard before the loop excludes.
      if (Kernel.Exprs[N.Where->BackedgeTaken].Width == 32 &&
          *Taken == 0xffffffff)
        continue;
      IsKnown = true;
      Most = std::max(Most, *Taken + 1);
    }
  }
  if (!IsKnown) {
    Out.AreTripCountsKnown = false;
    return GuessedTrips;
  }
  return Most;
}

/// Steele et al., "Fast splittable pseudorandom number generators", 2014.
static uint64_t mixed(uint64_t X) {
  X += 0x9e3779b97f4a7c15;
  X = (X ^ X >> 30) * 0xbf58476d1ce4e5b9;
  X = (X ^ X >> 27) * 0x94d049bb133111eb;
  return X ^ X >> 31;
}

/// How far a warp has gone in this iteration, where its lanes step alike.
int64_t Tracer::steppedBytes(uint32_t Site, const SampledWarp &Place) const {
  const MemorySite &S = Kernel.Sites[Site];
  uint64_t Hash = mixed(S.Index);
  for (uint64_t Part : {uint64_t(Place.Block[0]), uint64_t(Place.Block[1]),
                        uint64_t(Place.Block[2]), uint64_t(Place.Warp)})
    Hash = mixed(Hash + Part);
  for (uint64_t K : Iteration)
    Hash = mixed(Hash + K);
  return int64_t(Hash % (ScatterRecords / WarpSize)) * WarpSize * S.IndexBytes;
}

std::optional<int64_t> Tracer::offsetOf(uint32_t Site, const SampledWarp &Place,
                                        unsigned Lane) {
  const MemorySite &S = Kernel.Sites[Site];
  ConcreteValue V = Evals[Site].value(S.Offset);
  if (V.State == ConcreteValue::Inactive)
    return std::nullopt;
  if (V.isKnown())
    return V.Value;
  Out.IsScattered[Site] = true;
  if (S.Start != NoExpr)
    if (ConcreteValue First = Evals[Site].value(S.Start); First.isKnown())
      return First.Value + steppedBytes(Site, Place);
  RecordOffset Record = recordOffset(Kernel.Exprs, S.Offset);
  if (Record.RecordBytes == 0)
    Record = {{{S.Offset, 1}}, std::max<int64_t>(1, S.Size), 0};
  // What is known of it stays; the rest is anywhere, in whole records. Where a
  // loop's counter is a term of its own, the rest does not change with it.
  int64_t Known = Record.Constant, Bytes = 0;
  uint64_t Hash = 0;
  SmallVector<int64_t, 2> Counted;
  for (const OffsetTerm &Term : Record.Terms) {
    ConcreteEval &Eval = Evals[Site];
    const ExprNode &Node = Kernel.Exprs[Term.first];
    bool IsAround =
        any_of(S.Loops, [&](const SiteLoop &L) { return L.Number == Node.B; });
    if (isCounter(Kernel.Exprs, Term) && IsAround) {
      Known += Term.second * int64_t(Eval.iteration(Node.B));
      Counted.push_back(Node.B);
    } else if (ConcreteValue V = Eval.value(Term.first); V.isKnown()) {
      Known += Term.second * V.Value;
    } else {
      Bytes = std::gcd(Bytes, Term.second);
      Hash = mixed(Hash ^ (S.Index == NoSite ? Term.first : S.Index));
    }
  }
  if (Bytes == 0)
    Bytes = Record.RecordBytes;
  for (uint64_t Part :
       {uint64_t(Place.Block[0]), uint64_t(Place.Block[1]),
        uint64_t(Place.Block[2]), uint64_t(Place.Warp) * WarpSize + Lane})
    Hash = mixed(Hash + Part);
  for (size_t L = 0; L != Iteration.size(); ++L)
    if (!is_contained(Counted, S.Loops[L].Number))
      Hash = mixed(Hash + Iteration[L]);
  return int64_t(Hash % ScatterRecords) * Bytes + Known;
}

void Tracer::visitSite(uint32_t Index, double Weight) {
  const MemorySite &Site = Kernel.Sites[Index];
  if (Site.Size == 0)
    return;
  ConcreteEval &Eval = Evals[Index];
  for (uint32_t W = 0; W != Warps.size(); ++W) {
    TraceEvent Event;
    Event.Site = Index;
    Event.Warp = W;
    Event.Weight = Weight;
    Eval.setBlock(Warps[W].Block);
    for (unsigned Lane = 0; Lane != WarpSize; ++Lane) {
      if (!setLane(Eval, Warps[W], Lane))
        break;
      if (!isIn(Index))
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
  setIteration(N.Loop, 0);
  uint64_t Trips = tripsOf(N);
  Out.Trips[N.Loop] = double(Trips);
  uint64_t Most = N.isInnermost() ? Window : OuterWindow;
  uint64_t Begin = 0, End = Trips, Warm = 0;
  if (Trips > Most) {
    Begin = Trips / 2 - Most / 2;
    End = Begin + Most;
    Warm = std::max<uint64_t>(1, Most / 5);
    // Whole sectors: of neighbouring elements, as many requests that fetch one
    // as in the whole loop.
    if (End - Begin - Warm >= SectorIterations)
      Warm += (End - Begin - Warm) % SectorIterations;
  }
  double Share =
      End - Begin == Warm ? 0 : double(Trips) / double(End - Begin - Warm);
  Iteration.push_back(0);
  for (uint64_t K = Begin; K != End; ++K) {
    setIteration(N.Loop, K);
    Iteration.back() = K;
    visit(N, K - Begin < Warm ? 0 : Weight * Share);
  }
  Iteration.pop_back();
}

void Tracer::visit(const Nest &N, double Weight) {
  for (const Nest::Item &Item : N.Items)
    if (Item.Inner)
      visitLoop(*Item.Inner, Weight);
    else
      visitSite(Item.Site, Weight);
}

/// Where sites are at the corners of the grid, of its blocks and of the loops:
/// that is where affine offsets are lowest and highest.
void Tracer::findRanges() {
  unsigned LastWarp = unsigned((threadsOf(Launch) - 1) / WarpSize);
  for (uint32_t Index = 0; Index != Kernel.Sites.size(); ++Index) {
    const MemorySite &Site = Kernel.Sites[Index];
    OffsetRange &Range = Out.Ranges[Index];
    ConcreteEval &Eval = Evals[Index];
    if (Out.IsScattered[Index])
      continue;
    unsigned Corners = 1u << (4 + std::min<size_t>(Site.Loops.size(), 3));
    for (unsigned Corner = 0; Corner != Corners; ++Corner) {
      SampledWarp Place = {{}, Corner & 8 ? LastWarp : 0};
      for (unsigned Axis = 0; Axis != 3; ++Axis)
        Place.Block[Axis] = Corner >> Axis & 1 ? Launch.Grid[Axis] - 1 : 0;
      Eval.setBlock(Place.Block);
      for (size_t L = 0; L != Site.Loops.size(); ++L) {
        bool IsLast = L < 3 && Corner >> (4 + L) & 1;
        double Trips = Out.Trips[Site.Loops[L].Number];
        Eval.setIteration(Site.Loops[L].Number,
                          IsLast && Trips > 1 ? uint64_t(Trips) - 1 : 0);
      }
      for (unsigned Lane : {0u, WarpSize - 1}) {
        if (!setLane(Eval, Place, Lane))
          continue;
        ConcreteValue V = Eval.value(Site.Offset);
        // Guards cut the edges off a little: that makes no difference.
        if (!V.isKnown())
          continue;
        if (Range.isEmpty())
          Range = {V.Value, V.Value};
        Range.Lo = std::min(Range.Lo, V.Value);
        Range.Hi = std::max(Range.Hi, V.Value);
      }
    }
    // Masks and remainders reach their highest value in between.
    for (const TraceEvent &Event : Out.Events)
      for (unsigned Lane = 0; Event.Site == Index && Lane != WarpSize; ++Lane)
        if (Event.Active >> Lane & 1 && !Range.isEmpty()) {
          Range.Lo = std::min(Range.Lo, Event.Offset[Lane]);
          Range.Hi = std::max(Range.Hi, Event.Offset[Lane]);
        }
  }
}

WarpTrace Tracer::run() {
  Out.Ranges.resize(Kernel.Sites.size());
  Out.IsScattered.resize(Kernel.Sites.size());
  uint64_t Executed = 0;
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
    Executed += Site.Loops.empty() ? 0 : Outer;
  }
  placeWarps();
  if (Executed)
    Window = std::clamp<uint64_t>(MaxEvents / (Executed * Warps.size()), 8,
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
