//===- ReplanCheck.cpp - Tells when to decide again -----------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A decision is good until something that it was made from is not so any more,
// or until it has been used so often that another one, if better, would pay for
// being looked for. The former is compared, the latter counted.
//
//===----------------------------------------------------------------------===//

#include "runtime/launch/ReplanCheck.h"
#include "runtime/launch/LaunchClasses.h"
#include "runtime/plan/DivisionChoice.h"
#include "runtime/plan/LaunchArguments.h"
#include <algorithm>
#include <bit>

namespace gridspan {

/// The least uses before a launch is planned again for replicas that pay in the
/// long run only: planning one that touches much takes longer than its gain.
static constexpr uint64_t LeastUses = 4;

bool ReplanCheck::isChanged(const Decision &D, unsigned Allocation) const {
  return Indices.versionOf(*D.Allocations[Allocation]) !=
         D.SeenContents[Allocation].Version;
}

/// Returns true if an allocation that the decision has replicas of may have
/// other contents than when it was made.
bool ReplanCheck::haveContentsChanged(const Decision &D) const {
  if (!Exec.trustsReplicas())
    return true;
  for (const TilePlan &Tile : D.LaunchPlan.Tiles)
    for (unsigned A : Tile.Replicas)
      if (isChanged(D, A))
        return true;
  return false;
}

/// Returns true if the plan follows from indices that may have changed since.
bool ReplanCheck::haveIndicesChanged(const Decision &D) const {
  return std::any_of(D.InspectedAllocations.begin(),
                     D.InspectedAllocations.end(),
                     [&](unsigned A) { return isChanged(D, A); });
}

/// Returns true if it is time to move pages that the decision leaves misplaced.
static bool moves(const Decision &D) {
  for (size_t A = 0, N = D.LaunchPlan.Effects.size(); A != N; ++A)
    if (const AllocationEffect &E = D.LaunchPlan.Effects[A];
        E.Misplaced > 0 &&
        D.Allocations[A]->misplaced() + E.MisplacedAgain >= E.MoveAt)
      return true;
  return false;
}

/// Returns true if times that the decision does not know may change it.
static bool hasNews(const Decision &D) {
  if (!D.Class)
    return false;
  const Plan &P = D.LaunchPlan;
  return P.isSplit() && P.Timed
             ? D.Class->isWorthAPlan(D.Generation, *P.Timed)
             : D.Class->isWorthAPlan(D.Generation, D.SpentBefore);
}

/// Returns true if launches since the decision, of which there were so many,
/// have taken long enough for another plan to be little beside them.
static bool isLongAgo(const Decision &D, uint64_t Uses) {
  return !D.Class ||
         D.Class->isLongAgo(D.SpentBefore, static_cast<double>(Uses) *
                                               D.LaunchPlan.PredictedSeconds);
}

/// Returns true if a try, or replicas, may be better than what the decision
/// has. One that stands for others has waited longer for that already.
static bool mayImprove(const Decision &D, uint64_t Uses) {
  if (D.standsForOthers() && Uses < D.UsesBetweenTries)
    return false;
  return D.LaunchPlan.WantsTry ||
         (D.LaunchPlan.MayImprove && Uses >= LeastUses);
}

/// A decision that waits for indices to be inspected, or for the time to move
/// pages, is made again after 1, 2, 4, 8... uses, which finds the time within a
/// factor of two; pages may move in between, where plans are little beside the
/// launches. So is one that replicas may improve if they are used longer,
/// but for the first two, and one that a try may improve, where launches have
/// taken longer than plans do; and once, one that gets a class for its scalars.
/// A try is decided again for each launch, and what was decided by times with
/// new times. One that relies on replicas or indices is made again when these
/// are no longer good, and one without devices that are not open when they are.
bool ReplanCheck::isOutdated(const Decision &D) const {
  if (D.LostUntilOpen && B.isReady())
    return true;
  if (haveIndicesChanged(D) || D.LaunchPlan.IsTry ||
      (D.Textures && D.Textures != Exec.textures().generation()) ||
      (D.PutOffUntil && D.Counters->Launches >= D.PutOffUntil) || hasNews(D))
    return true;
  if (!D.MayChange && !D.LaunchPlan.NeedsReplicas)
    return false;
  const uint64_t Uses = D.Uses.fetch_add(1, std::memory_order_relaxed) + 1;
  if (D.GoesByLast && Uses % D.UsesBetweenTries == 0 && isLongAgo(D, Uses))
    return true;
  if (D.MayChange && std::has_single_bit(Uses) &&
      (D.WantsIndices || (mayImprove(D, Uses) && isLongAgo(D, Uses)) ||
       (D.Class && Uses >= D.UsesBetweenTries) ||
       (D.IsOfOthers && Uses >= LaunchClasses::UsesForOwn) || moves(D)))
    return true;
  if (D.Class && D.MayChange && Uses % D.UsesBetweenTries == 0 && moves(D) &&
      isLongAgo(D, Uses))
    return true;
  return D.LaunchPlan.NeedsReplicas && haveContentsChanged(D);
}

bool ReplanCheck::needsReplan(const Decision &D) const {
  if (isOutdated(D))
    return true;
  if (D.LostUntilOpen)
    Opening.noteLost(*D.LostUntilOpen);
  return false;
}

/// Returns true if all of it is on the first device, and nothing else is known
/// of it that plans look at.
static bool isPlain(const Allocation &A) {
  return !A.Paged && !A.IsShared && !A.Unified && !A.IsAway &&
         A.misplaced() == 0 && A.Homes.bytesAt(0, A.bytes(), 0) == A.bytes();
}

bool ReplanCheck::mayRenew(const Decision &D, const PlanInput &In) {
  const Plan &P = D.LaunchPlan;
  return !D.HoldsWithin && !In.Kernel->NumTextures && !In.HostPagesExist &&
         !P.isSplit() && P.Moves.empty() && !D.WantsIndices &&
         D.InspectedAllocations.empty() &&
         std::ranges::none_of(P.Effects,
                              [](const AllocationEffect &E) {
                                return E.Misplaced > 0 || E.MisplacedAgain > 0;
                              }) &&
         std::ranges::all_of(D.Allocations,
                             [](const std::shared_ptr<Allocation> &A) {
                               return A && isPlain(*A);
                             });
}

std::shared_ptr<Decision>
ReplanCheck::renewed(const Decision &D, const LaunchRequest &R,
                     const MemoryManager &Memory) const {
  // Read first: what is found may be newer, but not older.
  const uint64_t Epoch = Memory.epoch();
  if (!D.MayRenew || Memory.hostPagesExist())
    return nullptr;
  const GridspanKernel &Kernel = R.kernel();
  std::vector<std::shared_ptr<Allocation>> Now(D.Allocations.size());
  for (uint32_t I = 0; I != Kernel.NumPointers; ++I) {
    const void *Pointer =
        pointerArgument(Kernel, Kernel.Pointers[I], R.Arguments);
    if (!Pointer)
      continue;
    const auto Index = static_cast<unsigned>(D.Pointers[I].Allocation);
    const Allocation &Was = *D.Allocations[Index];
    std::shared_ptr<Allocation> A = Memory.find(Pointer);
    if (!A || A->base() != Was.base() || A->bytes() != Was.bytes() ||
        A->kind() != Was.kind() || !isPlain(*A))
      return nullptr;
    Now[Index] = std::move(A);
  }
  if (needsReplan(D))
    return nullptr;
  auto Out = std::make_shared<Decision>(D);
  Out->Epoch = Epoch;
  Out->Uses = D.Uses.load(std::memory_order_relaxed);
  for (size_t I = 0; I != Now.size(); ++I)
    if (Now[I] != D.Allocations[I])
      Out->SeenContents[I] = {Indices.versionOf(*Now[I]), Out->Uses};
  Out->Allocations = std::move(Now);
  return Out;
}

bool ReplanCheck::lacksTimes(const Decision &D) {
  if (!D.Class || !D.LaunchPlan.Timed ||
      !(D.LaunchPlan.IsTry || D.LaunchPlan.WantsTry))
    return false;
  const LaunchHistory History = D.Class->history();
  const DivisionRecord *Known = History.find(*D.LaunchPlan.Timed);
  return Known && Known->Launches >= TryLaunches && !Known->isMeasured();
}

} // namespace gridspan
