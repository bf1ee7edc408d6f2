//===- PageMigration.cpp - Pages that are worth moving --------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A page moves by the ski-rental rule: when the bytes that were accessed from
// afar, and would have been local after the move, have come to the bytes of the
// move plus what it costs to stop for it. So moving never costs more than twice
// what the best choice in hindsight would have. Every move of a buffer doubles
// what the next one takes, for programs whose kernels alternately want it
// otherwise. And launches that have their pages where they want them take away,
// from the sum, what the move would cost them: what the most seconds depend on
// decides where pages are.
//
// That bounds what is lost by a factor; a program that gains by none of it may
// lose less than that. So moves for a way that was never measured, which only
// predictions promise something of, also keep within the allowance of tries
// (DivisionChoice.cpp).
//
// Pages that have never moved do so at once for a launch beside whose time that
// is nothing. What is read again and again crosses a link as often, since
// devices do not cache each other's memory, while predictions count it once.
//
//===----------------------------------------------------------------------===//

#include "runtime/plan/PageMigration.h"
#include "runtime/plan/PrivateCopies.h"
#include <algorithm>
#include <cmath>

namespace gridspan {

/// The share of a launch's time that a first move may take in any case.
static constexpr double CheapShare = 0.02;

namespace {

/// The moves of one buffer.
struct BufferMoves {
  std::vector<MovePlan> Moves;
  double Seconds = 0;
  /// The seconds that accessing the same pages from afar costs a launch.
  double AfarSeconds = 0;
};

} // namespace

/// Returns the spans with such as are less than a page apart made one. Pages
/// move as a whole, and the many rows of a block need no maps of their own.
static MayAccess::SpanList mergeWithinPages(const MayAccess::SpanList &Spans,
                                            uint64_t Page) {
  MayAccess::SpanList Out;
  const auto Touched = [](const Span &S) {
    return static_cast<double>(S.Hi - S.Lo) * S.Density;
  };
  for (const Span &S : Spans)
    if (Out.empty() || S.Lo - Out.back().Hi >= Page) {
      Out.push_back(S);
    } else {
      const double Bytes = Touched(Out.back()) + Touched(S);
      Out.back().Hi = S.Hi;
      Out.back().Density = Bytes / static_cast<double>(S.Hi - Out.back().Lo);
    }
  return Out;
}

static BufferMoves findMoves(const PlanInput &In, const SystemInfo &System,
                             const SplitCandidate &Wanted,
                             unsigned Allocation) {
  const PlacedAllocation &Placed = In.Allocations[Allocation];
  // The device that wants each byte: who writes it before who reads it, who has
  // it before who has not. Later entries of this order overwrite earlier ones.
  PageHomes Homes;
  boost::icl::interval_map<uint64_t, double, boost::icl::partial_enricher>
      Density;
  for (int Pass = 0; Pass < 4; ++Pass)
    for (auto Tile = Wanted.Tiles.rbegin(); Tile != Wanted.Tiles.rend();
         ++Tile) {
      if (isReplaced(*Tile, Allocation) || tileCopy(*Tile, Allocation) ||
          privateCopy(*Tile, Allocation))
        continue;
      const Touch &T = Wanted.Touched[Tile->Device][Allocation];
      for (const Span &S : mergeWithinPages(
               (Pass < 2 ? T.Reads : T.Writes).spans(), System.PageSize)) {
        Density.set({boost::icl::interval<uint64_t>::right_open(S.Lo, S.Hi),
                     S.Density * T.PerByteAfar});
        for (const PageHomes::Run &R : Placed.Homes->runs(S.Lo, S.Hi))
          if (Pass % 2 == 0 || R.Where == Tile->Device)
            Homes.set(R.Lo, R.Hi, Tile->Device);
      }
    }
  // Runs that would move, rounded to full pages; the edges round to the
  // nearest.
  const uint64_t Page = System.PageSize;
  auto Round = [&](uint64_t X) {
    return X == Placed.Bytes ? X : (X + Page / 2) / Page * Page;
  };
  BufferMoves Out;
  Out.Seconds = System.StopSeconds;
  for (const PageHomes::Run &W : Homes.runs(0, Placed.Bytes))
    for (const PageHomes::Run &R :
         Placed.Homes->runs(Round(W.Lo), std::min(Round(W.Hi), Placed.Bytes))) {
      if (R.Where == W.Where || !System.mayHoldPages(W.Where))
        continue;
      const double Seconds =
          static_cast<double>(R.Hi - R.Lo) /
          std::max(1.0, linkBandwidth(System, W.Where, R.Where));
      auto It = Density.find((R.Lo + R.Hi) / 2);
      Out.AfarSeconds +=
          Seconds * (It == Density.end() ? 1.0 : double(It->second));
      Out.Seconds += Seconds + std::ceil(static_cast<double>(R.Hi - R.Lo) /
                                         static_cast<double>(Page)) *
                                   System.PageMoveSeconds;
      Out.Moves.push_back({Allocation, R.Lo, R.Hi, W.Where});
    }
  return Out;
}

/// Returns the seconds that the launch would take longer if the pages of the
/// buffer were divided otherwise: all but one device's part would be afar.
static double contentedSeconds(const PlanInput &In, const SystemInfo &System,
                               const SplitCandidate &Wanted,
                               unsigned Allocation) {
  const PlacedAllocation &Placed = In.Allocations[Allocation];
  const unsigned Devices = System.numDevices();
  if (!Placed.Movable || !Placed.Homes || Devices < 2)
    return 0;
  double Most = 0;
  for (const TilePlan &Tile : Wanted.Tiles) {
    const int Other = Tile.Device == 0 ? 1 : 0;
    const double Link = linkBandwidth(System, Tile.Device, Other);
    if (Link <= 0 || isReplaced(Tile, Allocation))
      continue;
    const double Bytes =
        Wanted.Touched[Tile.Device][Allocation].movedAt(Tile.Device);
    const double Own = linkBandwidth(System, Tile.Device, Tile.Device);
    Most = std::max(Most, Bytes * (Devices - 1) / Devices *
                              std::max(0.0, 1 / Link - 1 / Own));
  }
  return Most;
}

void planMigration(const PlanInput &In, const SystemInfo &System,
                   const SplitCandidate &Wanted, std::optional<WayLoss> Loss,
                   double Budget, Plan &Out) {
  std::vector<BufferMoves> Buffers(In.Allocations.size());
  double Seconds = 0;
  for (unsigned A = 0; A < In.Allocations.size(); ++A) {
    if (!In.Allocations[A].Movable || !In.Allocations[A].Homes ||
        Wanted.RemoteByAllocation[A] <= 0)
      continue;
    Buffers[A] = findMoves(In, System, Wanted, A);
    if (!Buffers[A].Moves.empty())
      Seconds += Buffers[A].Seconds;
  }
  for (unsigned A = 0; A < In.Allocations.size(); ++A) {
    const BufferMoves &B = Buffers[A];
    if (B.Moves.empty()) {
      Out.Effects[A].Contented = contentedSeconds(In, System, Wanted, A);
      continue;
    }
    const double Share = B.Seconds / Seconds;
    const double Saved = Loss ? Loss->Seconds * Share : B.AfarSeconds;
    const PlacedAllocation &Placed = In.Allocations[A];
    AllocationEffect &Effect = Out.Effects[A];
    Effect.Misplaced = Saved;
    Effect.MisplacedAgain = Loss ? Loss->Again * Share : Saved;
    Effect.MoveAt = B.Seconds * std::exp2(std::min(Placed.Moves, 8U));
    const bool IsCheap =
        Placed.Moves == 0 && Seconds <= CheapShare * Wanted.Seconds;
    if ((IsCheap || Placed.Misplaced + Saved >= Effect.MoveAt) &&
        Seconds <= Budget)
      Out.Moves.insert(Out.Moves.end(), B.Moves.begin(), B.Moves.end());
  }
}

} // namespace gridspan
