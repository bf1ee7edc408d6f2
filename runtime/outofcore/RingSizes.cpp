//===- RingSizes.cpp - Room for each ring of a chain ----------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a ring moves depends on its own size only, as nothing of it gives way to
// another one's frames. So schedules with rings that are all of one size say
// what each would move with it. Beginning with the smallest rings that work,
// the one whose next larger size saves the most bytes for a slot gets it, as
// long as there is room: which is right but for the last step where the savings
// become smaller (H. S. Stone, J. Turek and J. L. Wolf, "Optimal partitioning
// of cache memory", IEEE Transactions on Computers 41(9), 1992); where they do
// not, sizes between are skipped.
//
// Rings that are there already are kept if that costs little: making one maps
// all of its slots.
//
//===----------------------------------------------------------------------===//

#include "runtime/outofcore/RingSizes.h"
#include <algorithm>
#include <functional>

namespace gridspan {
namespace {

/// The bytes that rings of present sizes may move, as a multiple.
constexpr double KeptRings = 1.2;

/// What it takes to try a size, for each step of the plan.
constexpr double SecondsPerStep = 1.5e-6;

using SlotCounts = std::vector<std::vector<uint32_t>>;

/// What one ring would move, by size.
struct Option {
  uint32_t Slots;
  uint64_t Bytes;
};

/// The rings of one allocation, by device.
using Options = std::vector<std::vector<Option>>;

/// Numbers up to Most, one apart at first and then an eighth.
std::vector<uint32_t> sizesUpTo(uint32_t Most) {
  std::vector<uint32_t> Out;
  for (uint32_t S = 1; S < Most; S += std::max(1U, S / 8))
    Out.push_back(S);
  Out.push_back(Most);
  return Out;
}

class RingSizer {
public:
  RingSizer(const OutOfCorePlan &Plan, const std::vector<PagedView> &Paged,
            const RingViews &Present, const std::vector<uint64_t> &Budget,
            bool Apart, const std::vector<OverwrittenFrames> &Overwritten)
      : Plan(Plan), Paged(Paged), Present(Present), Budget(Budget),
        Apart(Apart), Overwritten(Overwritten),
        IsUsed(Paged.size(), std::vector<bool>(Budget.size())) {
    for (const OutOfCoreStep &Step : Plan.Steps)
      for (const FrameUse &U : Step.Uses)
        IsUsed[U.Allocation][Step.Device] = true;
  }

  std::optional<RingPlan> run(uint64_t Enough, double Worth) const;

private:
  std::optional<RingPlan> planWith(SlotCounts Slots) const;
  SlotCounts presentSizes() const;
  bool isUsed(size_t Allocation) const {
    const std::vector<bool> &Of = IsUsed[Allocation];
    return std::find(Of.begin(), Of.end(), true) != Of.end();
  }
  std::vector<uint64_t> heldBytes(size_t Allocation) const;
  std::optional<std::vector<bool>> keepUnused(SlotCounts &Slots) const;
  std::vector<uint32_t> sizes() const;
  std::vector<Options> allOptions() const;
  std::optional<SlotCounts> bestSizes() const;
  bool enlarge(const std::vector<Options> &All, size_t Device,
               std::vector<std::vector<size_t>> &Chosen, uint64_t &Room) const;

  const OutOfCorePlan &Plan;
  const std::vector<PagedView> &Paged;
  const RingViews &Present;
  const std::vector<uint64_t> &Budget;
  const bool Apart;
  const std::vector<OverwrittenFrames> &Overwritten;
  std::vector<std::vector<bool>> IsUsed; ///< by allocation and device
};

} // namespace

/// Returns the bytes that an allocation has on each device.
std::vector<uint64_t> RingSizer::heldBytes(size_t Allocation) const {
  const PagedView &V = Paged[Allocation];
  std::vector<uint64_t> Out;
  std::vector<bool> InRing(V.Frames.size());
  for (const RingView &Ring : Present[Allocation]) {
    Out.push_back(Ring.Slots * V.FrameBytes);
    for (uint32_t F : Ring.Frames)
      InRing[F] = true;
  }
  for (size_t F = 0; F < V.Frames.size(); ++F)
    if (V.Frames[F].Where != Host && !InRing[F])
      Out[V.Frames[F].Where] += V.Frames[F].Bytes;
  return Out;
}

/// Gives what the plan does not use the room that Slots leave, as it is; all of
/// it leaves where there is none. Returns by allocation whether it stays,
/// nothing if the slots themselves have no room.
std::optional<std::vector<bool>>
RingSizer::keepUnused(SlotCounts &Slots) const {
  std::vector<uint64_t> Room = Budget;
  for (size_t A = 0; A < Paged.size(); ++A)
    for (size_t D = 0; D < Budget.size() && isUsed(A); ++D) {
      const uint64_t Bytes = Slots[A][D] * Paged[A].FrameBytes;
      if (Bytes > Room[D])
        return std::nullopt;
      Room[D] -= Bytes;
    }
  std::vector<bool> Stays(Paged.size());
  for (size_t A = 0; A < Paged.size(); ++A) {
    if (isUsed(A))
      continue;
    const std::vector<uint64_t> Held = heldBytes(A);
    Stays[A] =
        std::equal(Held.begin(), Held.end(), Room.begin(), std::less_equal<>());
    for (size_t D = 0; D < Budget.size(); ++D) {
      Slots[A][D] = Stays[A] ? Present[A][D].Slots : 0;
      Room[D] -= Stays[A] ? Held[D] : 0;
    }
  }
  return Stays;
}

/// Slots are of the rings that the plan uses. Returns nothing if the plan
/// cannot be carried out so.
std::optional<RingPlan> RingSizer::planWith(SlotCounts Slots) const {
  const std::optional<std::vector<bool>> Stays = keepUnused(Slots);
  if (!Stays)
    return std::nullopt;
  RingPlan Out;
  Out.Plan = Plan;
  for (const std::vector<bool> &Of : scheduleInRings(
           Paged, {Slots, Present, *Stays}, Out.Plan, Apart, Overwritten))
    if (std::find(Of.begin(), Of.end(), true) != Of.end())
      return std::nullopt;
  Out.HasRings = true;
  Out.Rings.Bytes.resize(Budget.size());
  for (size_t A = 0; A < Paged.size(); ++A) {
    Out.Rings.Outside.emplace_back(Budget.size());
    for (size_t D = 0; D < Budget.size(); ++D)
      Out.Rings.Bytes[D] += Slots[A][D] * Paged[A].FrameBytes;
  }
  Out.Rings.Slots = std::move(Slots);
  return Out;
}

SlotCounts RingSizer::presentSizes() const {
  SlotCounts Out;
  for (const std::vector<RingView> &Of : Present) {
    Out.emplace_back();
    for (const RingView &V : Of)
      Out.back().push_back(V.Slots);
  }
  return Out;
}

/// Returns the sizes that are tried.
std::vector<uint32_t> RingSizer::sizes() const {
  const uint64_t Room = *std::max_element(Budget.begin(), Budget.end());
  size_t Most = 1;
  for (const PagedView &V : Paged)
    if (!V.Frames.empty())
      Most = std::max<size_t>(
          Most, std::min<uint64_t>(V.Frames.size(), Room / V.FrameBytes));
  return sizesUpTo(static_cast<uint32_t>(Most));
}

/// Returns what each ring that is used would move, for the sizes that it works
/// with, without those of which a smaller one moves no more.
std::vector<Options> RingSizer::allOptions() const {
  std::vector<Options> Out(Paged.size(), Options(Budget.size()));
  std::vector<bool> Unused;
  for (size_t A = 0; A < Paged.size(); ++A)
    Unused.push_back(!isUsed(A));
  for (const uint32_t Size : sizes()) {
    const auto SlotsOf = [&](size_t A) {
      return std::min(Size, static_cast<uint32_t>(Paged[A].Frames.size()));
    };
    SlotCounts Slots;
    for (size_t A = 0; A < Paged.size(); ++A)
      Slots.emplace_back(Budget.size(), SlotsOf(A));
    OutOfCorePlan Tried = Plan;
    const std::vector<std::vector<bool>> Conflicts = scheduleInRings(
        Paged, {Slots, Present, Unused}, Tried, Apart, Overwritten);
    std::vector<std::vector<uint64_t>> Bytes(
        Paged.size(), std::vector<uint64_t>(Budget.size()));
    const auto Add = [&](const FrameRef &R, int Device) {
      Bytes[R.Allocation][Device] += Paged[R.Allocation].Frames[R.Frame].Bytes;
    };
    for (const OutOfCoreStep &Step : Tried.Steps) {
      for (const FrameLoad &L : Step.Load)
        if (L.Copy)
          Add(L.Ref, Step.Device);
      for (const FrameRef &R : Step.Save)
        Add(R, Step.Device);
    }
    for (size_t A = 0; A < Paged.size(); ++A)
      for (size_t D = 0; D < Budget.size(); ++D)
        if (std::vector<Option> &Of = Out[A][D];
            IsUsed[A][D] && !Conflicts[A][D] &&
            (Of.empty() || Bytes[A][D] < Of.back().Bytes))
          Of.push_back({SlotsOf(A), Bytes[A][D]});
  }
  return Out;
}

/// Gives one ring on the device a larger size; false if none has room or use
/// for it. Chosen are indices into All.
bool RingSizer::enlarge(const std::vector<Options> &All, size_t Device,
                        std::vector<std::vector<size_t>> &Chosen,
                        uint64_t &Room) const {
  double Best = 0;
  size_t Of = 0, To = 0;
  for (size_t A = 0; A < Paged.size(); ++A) {
    const std::vector<Option> &Sizes = All[A][Device];
    for (size_t I = Chosen[A][Device] + 1; I < Sizes.size(); ++I) {
      const Option &Now = Sizes[Chosen[A][Device]];
      const uint64_t More = (Sizes[I].Slots - Now.Slots) * Paged[A].FrameBytes;
      const double Saves = static_cast<double>(Now.Bytes - Sizes[I].Bytes) /
                           static_cast<double>(More);
      if (More > Room || Saves <= Best)
        continue;
      Best = Saves;
      Of = A;
      To = I;
    }
  }
  if (Best == 0)
    return false;
  const std::vector<Option> &Sizes = All[Of][Device];
  Room -= (Sizes[To].Slots - Sizes[Chosen[Of][Device]].Slots) *
          Paged[Of].FrameBytes;
  Chosen[Of][Device] = To;
  return true;
}

std::optional<SlotCounts> RingSizer::bestSizes() const {
  const std::vector<Options> All = allOptions();
  std::vector<std::vector<size_t>> Chosen(Paged.size(),
                                          std::vector<size_t>(Budget.size()));
  SlotCounts Out(Paged.size(), std::vector<uint32_t>(Budget.size()));
  for (size_t D = 0; D < Budget.size(); ++D) {
    uint64_t Room = Budget[D];
    for (size_t A = 0; A < Paged.size(); ++A) {
      if (!IsUsed[A][D])
        continue;
      if (All[A][D].empty())
        return std::nullopt;
      const uint64_t Least = All[A][D].front().Slots * Paged[A].FrameBytes;
      if (Least > Room)
        return std::nullopt;
      Room -= Least;
    }
    while (enlarge(All, D, Chosen, Room))
      ;
    for (size_t A = 0; A < Paged.size(); ++A)
      if (IsUsed[A][D]) {
        Out[A][D] = All[A][D][Chosen[A][D]].Slots;
      } else if (const uint64_t Kept =
                     Present[A][D].Slots * Paged[A].FrameBytes;
                 Kept <= Room) {
        Out[A][D] = Present[A][D].Slots;
        Room -= Kept;
      }
  }
  return Out;
}

std::optional<RingPlan> RingSizer::run(uint64_t Enough, double Worth) const {
  const auto BytesOf = [](const RingPlan &P) {
    return P.Plan.BytesIn + P.Plan.BytesOut;
  };
  std::optional<RingPlan> Kept = planWith(presentSizes());
  if (Kept && static_cast<double>(BytesOf(*Kept)) <=
                  KeptRings * static_cast<double>(Enough))
    return Kept;
  if (SecondsPerStep * static_cast<double>(Plan.Steps.size() * sizes().size()) >
      Worth)
    return Kept;
  std::optional<SlotCounts> Sizes = bestSizes();
  std::optional<RingPlan> New =
      Sizes ? planWith(std::move(*Sizes)) : std::nullopt;
  return Kept && (!New || BytesOf(*Kept) <= BytesOf(*New)) ? Kept : New;
}

std::optional<RingPlan>
planInRings(const OutOfCorePlan &Plan, const std::vector<PagedView> &Paged,
            const RingViews &Present, const std::vector<uint64_t> &Budget,
            bool Apart, const std::vector<OverwrittenFrames> &Overwritten,
            uint64_t Enough, double Worth) {
  return RingSizer(Plan, Paged, Present, Budget, Apart, Overwritten)
      .run(Enough, Worth);
}

} // namespace gridspan
