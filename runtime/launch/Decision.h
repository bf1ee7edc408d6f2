//===- Decision.h - How a launch is to run ----------------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A plan together with what keeps it true: the allocations that its indices
// stand for and the contents that it was made from. Immutable once others can
// find it, but for the count of its uses.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_LAUNCH_DECISION_H
#define GRIDSPAN_RUNTIME_LAUNCH_DECISION_H

#include "runtime/memory/Allocation.h"
#include "runtime/plan/Plan.h"
#include "runtime/plan/PlanInput.h"
#include "runtime/plan/UnsplitPlan.h"
#include "runtime/report/Report.h"
#include <atomic>
#include <memory>
#include <optional>
#include <vector>

namespace gridspan {

class LaunchClass;

/// What the tiles of a launch do with an allocation that some have copies of,
/// and what followed from that before. Guarded by OwnedBytes::lock().
struct PlannedCopies {
  /// The tiles' with copies, in their order, then the home's; empty: there are
  /// no such tiles.
  std::vector<PlaceUse> Uses;
  uint64_t Rows = 0; ///< that are written
  /// The last steps, from the second launch on. A program that swaps buffers
  /// comes back to the same states.
  std::vector<std::shared_ptr<const CopyStep>> Steps;
  bool Repeats = false;
};

/// A member that a copy of its class starts without.
template <typename T> struct Uncopied : T {
  using T::T;
  using T::operator=;
  Uncopied() = default;
  Uncopied(const Uncopied & /*Of*/) : T() {}
  Uncopied &operator=(const Uncopied &) = delete;
};

/// A plan with the allocations that its indices stand for.
struct Decision {
  Plan LaunchPlan;
  /// The allocations of Plan::Effects and TilePlan::Replicas; null for one
  /// that is not ours.
  std::vector<std::shared_ptr<Allocation>> Allocations;
  std::vector<PlacedPointer> Pointers;
  uint64_t Epoch = 0;
  uint64_t LocalBytes = 0;
  uint64_t RemoteBytes = 0;
  KernelCounters *Counters = nullptr;
  /// The launches that its time stands for, if Plan::Timed is set; else null.
  std::shared_ptr<LaunchClass> Class;
  /// LaunchClasses::Found::IsForOthers
  bool IsOfOthers = false;
  /// The class's generation when the decision was made.
  uint64_t Generation = 0;
  /// The seconds that the class's launches had taken then.
  double SpentBefore = 0;
  /// True if the kernel's clone for distinct arguments is to run.
  bool NoAlias = false;
  /// True if the decision depends on nothing but the shape.
  bool IsForShape = false;
  /// The version of an allocation's contents when the decision was made, and
  /// the number of uses before which the contents had it already.
  struct Contents {
    uint64_t Version = 0;
    uint64_t Since = 0;
  };
  /// One for each of Allocations.
  std::vector<Contents> SeenContents;
  /// Allocations whose contents, as indices, the plan follows from.
  std::vector<unsigned> InspectedAllocations;
  /// True if the plan could be better had some indices been inspected.
  bool WantsIndices = false;
  /// True if later launches may run another way: because indices get inspected,
  /// pages may be moved, or replicas pay in the long run.
  bool MayChange = false;
  /// Set if the launch runs unsplit only because other devices are not open, or
  /// has its pages where they are faster to reach from there alone: the seconds
  /// that it loses by that.
  std::optional<double> LostUntilOpen;
  /// Set if that is not known, as none like it was measured: what it loses if
  /// it is as long as predicted, which is then worth opening devices for.
  std::optional<double> LostIfLong;
  /// Set if the decision holds for launches with other arguments as well: the
  /// work that a launch may do for it to apply.
  std::optional<WorkLimit> HoldsWithin;
  /// What the pointers of these have in common.
  enum class Alike : uint8_t {
    Allocations, ///< they lead to the same ones
    Pointers,    ///< they are the same
    Nothing, ///< they may lead anywhere: the plan says that all may be touched
  };
  Alike HoldsFor = Alike::Allocations;
  /// Above 0 if that is by a prediction for a kernel's first launches: how many
  /// there are before a plan is made.
  uint64_t PutOffUntil = 0;
  /// True if it goes by the last plan of launches like it, or serves later ones
  /// that do.
  bool GoesByLast = false;
  /// The least uses before a way that lost may be tried again.
  uint64_t UsesBetweenTries = 64;
  /// Returns true if launches with other scalars go by it.
  bool standsForOthers() const { return GoesByLast && HoldsWithin; }
  /// Returns true if the next one may have another key.
  bool mayChangeKey() const { return GoesByLast || PutOffUntil; }
  /// ReplanCheck::mayRenew()
  bool MayRenew = false;
  /// True once another decision takes its place under another key.
  mutable Uncopied<std::atomic<bool>> IsVoid{false};
  /// True until a launch is timed for those that go by this decision.
  mutable Uncopied<std::atomic<bool>> TimesNext{false};
  /// TextureTable::generation(), if textures are why it is not split; else 0.
  uint64_t Textures = 0;
  /// By allocation, once the launch was carried out; else empty. ClosedCopies:
  /// the same with closed gaps; without uses where there are none to close.
  mutable Uncopied<std::vector<PlannedCopies>> Copies;
  mutable Uncopied<std::vector<PlannedCopies>> ClosedCopies;
  /// The launches so far, where that matters.
  mutable Uncopied<std::atomic<uint64_t>> Uses{0};
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_LAUNCH_DECISION_H
