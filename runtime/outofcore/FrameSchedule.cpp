//===- FrameSchedule.cpp - Order of the loads and evictions ---------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All uses are known beforehand, so the frame to leave is the one whose next
// use is farthest away (L. A. Belady, "A study of replacement algorithms for a
// virtual-storage computer", IBM Systems Journal 5(2), 1966), which no other
// rule beats in loads. Frames that the launch does not need any more are equal
// to it; of those the least recently used goes. So what stays is what a
// following sweep in the other direction begins with, and nobody has to wait
// for what leaves. But first those of the allocation that a frame is loaded of,
// if they were not used just before: so the parts that allocations have of the
// memory stay as they are, and rings of that many slots will do (FrameRings.h).
//
// A frame that leaves was saved right behind the last chunk that wrote it, as
// that chunk is known too: write-backs run beside later chunks instead of
// holding up the one that needs the room. It is not saved when what it holds is
// dead: its next use is the first by a launch that overwrites all of it, and no
// earlier launch uses it afterwards. Chunks of two launches that touch the same
// bytes keep their launches' order, so that no later one has used it yet. Such
// a frame comes back without its contents.
//
// With rings there is nothing to choose: a frame has one slot, and what is
// there leaves. Rings do not take room from each other, so a step's order
// decides what each of them moves by itself.
//
// Where devices do not reach each other's memory, a frame that chunks of two
// devices touch leaves the one before it comes to the other, with all that was
// written to it so far. With contiguous shares of the grid those are few.
//
//===----------------------------------------------------------------------===//

#include "runtime/outofcore/FrameSchedule.h"
#include "gridspan/ABI.h"
#include <algorithm>
#include <cassert>
#include <numeric>

namespace gridspan {
namespace {

constexpr uint32_t Never = UINT32_MAX;
constexpr unsigned NoAllocation = UINT32_MAX;
/// Frames last used this many steps ago may leave out of turn.
constexpr uint32_t LongAgo = 4;

class Scheduler {
public:
  Scheduler(const std::vector<PagedView> &Paged,
            const std::vector<uint64_t> &Budget, OutOfCorePlan &Plan,
            bool Apart, const std::vector<OverwrittenFrames> &Overwritten,
            const RingLimits *Rings = nullptr)
      : Paged(Paged), Budget(Budget), Plan(Plan), Apart(Apart),
        Overwritten(Overwritten), Rings(Rings), Resident(Budget.size()),
        Used(Budget.size()) {}

  bool run();
  /// By allocation and device, after run() with rings.
  const std::vector<std::vector<bool>> &conflicts() const { return Conflicts; }
  /// Returns the bytes that the host does not have, after run().
  uint64_t dirtyBytes() const;

private:
  struct State {
    FrameRef Ref;
    uint64_t Bytes;
    Location Where;
    bool Dirty;
    bool Filled;
    bool MustWriteBack;
    uint32_t NeededBy = Never; ///< the step at hand, if it uses the frame
    uint32_t LastUse = 0;      ///< step + 1; 0: before the launch
    uint32_t LastWrite = Never;
    uint32_t Next = 0; ///< index into Uses of the first use not yet past
    uint32_t EndOfUses = 0;
  };

  struct StepUse {
    uint32_t Step;
    /// Nobody wants what the frame holds before it.
    bool Fresh;
  };

  void collectStates();
  void collectSlots();
  void collectUses();
  bool isOverwritten(unsigned Launch, const FrameRef &R) const;
  void markFresh(const State &S, std::vector<bool> &Seen);
  template <typename Function>
  void forFrames(const FrameUse &Use, Function &&Visit) {
    for (uint32_t F = Use.Lo; F < Use.Hi; ++F)
      Visit(States[First[Use.Allocation] + F]);
  }
  StepUse *useFrom(State &S, uint32_t Step);
  uint32_t nextUse(State &S, uint32_t Step);
  State *victim(int Device, uint32_t Step, unsigned For);
  void save(State &S);
  void leave(State &S, uint32_t Step);
  void evict(State &S, uint32_t Step);
  bool makeRoom(uint64_t Bytes, uint32_t Step, unsigned For);
  void takeSlot(State &S, uint32_t Step);
  bool load(State &S, uint32_t Step);

  const std::vector<PagedView> &Paged;
  const std::vector<uint64_t> &Budget;
  OutOfCorePlan &Plan;
  const bool Apart;
  const std::vector<OverwrittenFrames> &Overwritten;
  const RingLimits *const Rings; ///< null: frames may be anywhere
  std::vector<State> States;
  std::vector<uint32_t> First;                 ///< by allocation, into States
  std::vector<StepUse> Uses;                   ///< grouped by frame
  std::vector<std::vector<uint32_t>> Resident; ///< by device, into States
  std::vector<uint64_t> Used;                  ///< bytes, by device
  static constexpr uint32_t Free = UINT32_MAX;
  /// By allocation, device and slot, into States; Free: none.
  std::vector<std::vector<std::vector<uint32_t>>> Slots;
  std::vector<std::vector<bool>> Conflicts;
};

} // namespace

void Scheduler::collectStates() {
  for (unsigned A = 0; A < Paged.size(); ++A) {
    First.push_back(States.size());
    for (uint32_t F = 0; F < Paged[A].Frames.size(); ++F) {
      const PagedView::Frame &Frame = Paged[A].Frames[F];
      assert((!Paged[A].StaysOnHost || Frame.Where == Host) && "left behind");
      if (Frame.Where != Host) {
        Resident[Frame.Where].push_back(States.size());
        Used[Frame.Where] += Frame.Bytes;
      }
      States.push_back({{A, F},
                        Frame.Bytes,
                        Frame.Where,
                        Frame.Dirty,
                        Frame.Filled,
                        Frame.MustWriteBack});
    }
  }
}

/// Fills the slots with what is in them. Other frames leave.
void Scheduler::collectSlots() {
  for (size_t A = 0; A < Paged.size(); ++A) {
    Slots.emplace_back();
    Conflicts.emplace_back(Budget.size());
    for (size_t D = 0; D < Budget.size(); ++D) {
      const uint32_t Count = Rings->Slots[A][D];
      std::vector<uint32_t> &Ring = Slots.back().emplace_back(Count, Free);
      const RingView &Present = Rings->Present[A][D];
      if (Count == 0 || Present.Slots != Count)
        continue;
      for (uint32_t F : Present.Frames)
        Ring[F % Count] = First[A] + F;
    }
  }
  if (Plan.Steps.empty())
    return;
  for (State &S : States) {
    if (S.Where == Host || Rings->Stays[S.Ref.Allocation])
      continue;
    const std::vector<uint32_t> &Ring = Slots[S.Ref.Allocation][S.Where];
    if (Ring.empty() || Ring[S.Ref.Frame % Ring.size()] !=
                            static_cast<uint32_t>(&S - States.data()))
      evict(S, 0);
  }
}

void Scheduler::collectUses() {
  for (const OutOfCoreStep &Step : Plan.Steps)
    for (const FrameUse &Use : Step.Uses)
      forFrames(Use, [](State &S) { ++S.EndOfUses; });
  uint32_t Sum = 0;
  for (State &S : States) {
    S.Next = Sum;
    Sum += S.EndOfUses;
    S.EndOfUses = S.Next;
  }
  Uses.resize(Sum);
  for (uint32_t Step = 0; Step < Plan.Steps.size(); ++Step)
    for (const FrameUse &Use : Plan.Steps[Step].Uses)
      forFrames(Use, [&](State &S) { Uses[S.EndOfUses++] = {Step, false}; });
  std::vector<bool> Seen;
  for (const State &S : States)
    markFresh(S, Seen);
}

bool Scheduler::isOverwritten(unsigned Launch, const FrameRef &R) const {
  if (Overwritten.empty())
    return Paged[R.Allocation].Frames[R.Frame].Overwritten;
  const std::vector<bool> &Of = Overwritten[Launch][R.Allocation];
  return !Of.empty() && Of[R.Frame];
}

/// Marks the uses before which nobody wants the frame's contents. Seen is
/// scratch.
void Scheduler::markFresh(const State &S, std::vector<bool> &Seen) {
  unsigned Latest = 0; ///< launch of the uses so far
  Seen.clear();
  for (uint32_t I = S.Next; I < S.EndOfUses; ++I) {
    const unsigned Launch = Plan.Steps[Uses[I].Step].Launch;
    if (Seen.size() <= Launch)
      Seen.resize(Launch + 1);
    Uses[I].Fresh =
        !Seen[Launch] && Latest <= Launch && isOverwritten(Launch, S.Ref);
    Seen[Launch] = true;
    Latest = std::max(Latest, Launch);
  }
  unsigned Earliest = UINT32_MAX; ///< launch of the uses behind
  for (uint32_t I = S.EndOfUses; I-- > S.Next;) {
    const unsigned Launch = Plan.Steps[Uses[I].Step].Launch;
    Uses[I].Fresh = Uses[I].Fresh && Earliest >= Launch;
    Earliest = std::min(Earliest, Launch);
  }
}

/// Returns the frame's first use not before the step; null if there is none.
Scheduler::StepUse *Scheduler::useFrom(State &S, uint32_t Step) {
  while (S.Next < S.EndOfUses && Uses[S.Next].Step < Step)
    ++S.Next;
  return S.Next < S.EndOfUses ? &Uses[S.Next] : nullptr;
}

uint32_t Scheduler::nextUse(State &S, uint32_t Step) {
  const StepUse *Use = useFrom(S, Step + 1);
  return Use ? Use->Step : Never;
}

Scheduler::State *Scheduler::victim(int Device, uint32_t Step, unsigned For) {
  State *Best = nullptr;
  uint32_t BestNext = 0;
  bool BestOwn = false;
  for (uint32_t I : Resident[Device]) {
    State &S = States[I];
    if (S.NeededBy == Step)
      continue;
    const uint32_t Next = nextUse(S, Step);
    const bool Own = Next == Never && S.Ref.Allocation == For &&
                     S.LastUse + LongAgo <= Step + 1;
    if (!Best || Next > BestNext ||
        (Next == BestNext &&
         (Own != BestOwn ? Own : S.LastUse < Best->LastUse))) {
      Best = &S;
      BestNext = Next;
      BestOwn = Own;
    }
  }
  return Best;
}

/// Has the frame written back as soon as its contents are final.
void Scheduler::save(State &S) {
  if (!S.Dirty)
    return;
  (S.LastWrite == Never ? Plan.SaveFirst : Plan.Steps[S.LastWrite].Save)
      .push_back(S.Ref);
  Plan.BytesOut += S.Bytes;
  S.Dirty = false;
  S.LastWrite = Never;
}

/// Has the frame leave before the step.
void Scheduler::leave(State &S, uint32_t Step) {
  if (Paged[S.Ref.Allocation].IsFreedNext && !useFrom(S, Step))
    S.Dirty = false;
  save(S);
  if (Rings) {
    std::vector<uint32_t> &Ring = Slots[S.Ref.Allocation][S.Where];
    if (!Ring.empty() && Ring[S.Ref.Frame % Ring.size()] ==
                             static_cast<uint32_t>(&S - States.data()))
      Ring[S.Ref.Frame % Ring.size()] = Free;
    S.Where = Host;
    return;
  }
  std::vector<uint32_t> &Here = Resident[S.Where];
  Here.erase(std::find(Here.begin(), Here.end(),
                       static_cast<uint32_t>(&S - States.data())));
  Used[S.Where] -= S.Bytes;
  S.Where = Host;
}

void Scheduler::evict(State &S, uint32_t Step) {
  // It may be about to be used, where it comes to another device.
  if (const StepUse *Use = useFrom(S, Step); Use && Use->Fresh)
    S.Dirty = false;
  leave(S, Step);
  Plan.Steps[Step].Evict.push_back(S.Ref);
}

/// Has frames leave the step's device until Bytes more fit, For the allocation.
bool Scheduler::makeRoom(uint64_t Bytes, uint32_t Step, unsigned For) {
  OutOfCoreStep &At = Plan.Steps[Step];
  while (Used[At.Device] + Bytes > Budget[At.Device]) {
    State *Out = victim(At.Device, Step, For);
    if (!Out)
      return false;
    evict(*Out, Step);
  }
  return true;
}

/// Has what is in the frame's slot on the step's device leave.
void Scheduler::takeSlot(State &S, uint32_t Step) {
  const unsigned A = S.Ref.Allocation;
  const int Device = Plan.Steps[Step].Device;
  std::vector<uint32_t> &Ring = Slots[A][Device];
  if (Ring.empty()) {
    Conflicts[A][Device] = true;
    return;
  }
  const uint32_t At = S.Ref.Frame % Ring.size();
  if (Ring[At] != Free) {
    State &Old = States[Ring[At]];
    if (Old.NeededBy == Step)
      Conflicts[A][Device] = true;
    evict(Old, Step);
  }
  Ring[At] = static_cast<uint32_t>(&S - States.data());
}

bool Scheduler::load(State &S, uint32_t Step) {
  if (Rings)
    takeSlot(S, Step);
  else if (!makeRoom(S.Bytes, Step, S.Ref.Allocation))
    return false;
  OutOfCoreStep &At = Plan.Steps[Step];
  const bool Copy = S.Filled && !useFrom(S, Step)->Fresh;
  At.Load.push_back({S.Ref, Copy});
  if (Copy)
    Plan.BytesIn += S.Bytes;
  S.Where = At.Device;
  if (Rings)
    return true;
  Resident[At.Device].push_back(static_cast<uint32_t>(&S - States.data()));
  Used[At.Device] += S.Bytes;
  return true;
}

bool Scheduler::run() {
  collectStates();
  collectUses();
  if (Rings)
    collectSlots();
  for (uint32_t Step = 0; Step < Plan.Steps.size(); ++Step) {
    OutOfCoreStep &At = Plan.Steps[Step];
    for (const FrameUse &Use : At.Uses)
      forFrames(Use, [&](State &S) { S.NeededBy = Step; });
    // More than there is room for may be there from before.
    bool Fits = Rings || makeRoom(0, Step, NoAllocation);
    for (const FrameUse &Use : At.Uses)
      forFrames(Use, [&](State &S) {
        if (Apart && S.Where != Host && S.Where != At.Device && Fits)
          evict(S, Step);
        if (S.Where == Host && Fits)
          Fits = load(S, Step);
        S.LastUse = Step + 1;
        if (Use.Modes & (GridspanWrite | GridspanAtomic)) {
          S.Dirty = S.Filled = true;
          S.LastWrite = Step;
        }
      });
    if (!Fits)
      return false;
  }
  for (State &S : States) {
    if (S.Where == Host)
      continue;
    if (S.MustWriteBack) {
      Plan.EvictLast.push_back(S.Ref);
      leave(S, static_cast<uint32_t>(Plan.Steps.size()));
    } else if (Paged[S.Ref.Allocation].Saves &&
               !Paged[S.Ref.Allocation].IsFreedNext) {
      save(S);
    }
  }
  return true;
}

uint64_t Scheduler::dirtyBytes() const {
  uint64_t Sum = 0;
  for (const State &S : States)
    Sum += S.Dirty && !Paged[S.Ref.Allocation].IsFreedNext ? S.Bytes : 0;
  return Sum;
}

bool scheduleFrames(const std::vector<PagedView> &Paged,
                    const std::vector<uint64_t> &Budget, OutOfCorePlan &Plan,
                    bool Apart,
                    const std::vector<OverwrittenFrames> &Overwritten) {
  return Scheduler(Paged, Budget, Plan, Apart, Overwritten).run();
}

std::vector<std::vector<bool>>
scheduleInRings(const std::vector<PagedView> &Paged, const RingLimits &Rings,
                OutOfCorePlan &Plan, bool Apart,
                const std::vector<OverwrittenFrames> &Overwritten) {
  const size_t Devices = Rings.Slots.empty() ? 0 : Rings.Slots.front().size();
  const std::vector<uint64_t> Budget(Devices); // of no use
  Scheduler Schedule(Paged, Budget, Plan, Apart, Overwritten, &Rings);
  Schedule.run();
  return Schedule.conflicts();
}

std::vector<BusBytes>
leastTraffic(const std::vector<PagedView> &Paged,
             const std::vector<uint64_t> &Budget, const OutOfCorePlan &Plan,
             bool Apart, const std::vector<OverwrittenFrames> &Overwritten) {
  OutOfCorePlan Free;
  std::vector<BusBytes> Least;
  for (const OutOfCoreStep &Step : Plan.Steps) {
    OutOfCoreStep &New = Free.Steps.emplace_back();
    New.Launch = Step.Launch;
    New.Device = Step.Device;
    New.Uses = Step.Uses;
    Least.resize(std::max<size_t>(Least.size(), Step.Launch + 1));
  }
  if (Least.empty())
    return Least;
  // Half of the range of the sums, so that they do not overflow.
  const std::vector<uint64_t> Plenty(Budget.size(), UINT64_MAX / 2);
  Scheduler Schedule(Paged, Plenty, Free, Apart, Overwritten);
  [[maybe_unused]] const bool Fits = Schedule.run();
  assert(Fits && "there is room for all");
  const auto BytesOf = [&](const FrameRef &R) {
    return Paged[R.Allocation].Frames[R.Frame].Bytes;
  };
  for (const OutOfCoreStep &Step : Free.Steps) {
    for (const FrameLoad &L : Step.Load)
      Least[Step.Launch].In += L.Copy ? BytesOf(L.Ref) : 0;
    for (const FrameRef &R : Step.Save)
      Least[Step.Launch].Out += BytesOf(R);
  }
  const uint64_t Room =
      std::accumulate(Budget.begin(), Budget.end(), uint64_t(0));
  const uint64_t Dirty = Schedule.dirtyBytes();
  Least.back().Out += Dirty > Room ? Dirty - Room : 0;
  return Least;
}

} // namespace gridspan
