//===- LaunchTimer.cpp - Times launches by events -------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A launch is timed from the end of what the program's stream held before to
// the end of the launch there. So what it costs the program counts in full:
// waits between devices, copies into replicas, and, where the stream has run
// dry, the time in which the host enqueues it.
//
// The events are a pool of a few. Where all are in use the launch is not timed,
// and one of the next ones is. Events are looked at after 1, 2, 4 and up to 64
// launches, so that a program that enqueues many is not slowed down by looking
// in vain; and before each plan.
//
//===----------------------------------------------------------------------===//

#include "runtime/launch/LaunchTimer.h"
#include "runtime/launch/LaunchClasses.h"
#include <algorithm>
#include <chrono>
#include <thread>

namespace gridspan {

static constexpr unsigned MostTimings = 16;
static constexpr unsigned LongestPause = 64;
static constexpr std::chrono::milliseconds LongestWait(1);

/// Returns a free timing; null if there is none.
LaunchTimer::Timing *LaunchTimer::take() {
  MutexLock Guard(Lock);
  if (Free.empty()) {
    if (NumTimings == MostTimings)
      return nullptr;
    auto New = std::make_unique<Timing>();
    if (B.createEvent(0, 0, New->Whole.From) ||
        B.createEvent(0, 0, New->Whole.To))
      return nullptr;
    ++NumTimings;
    Free.push_back(std::move(New));
  }
  Pending.push_back(std::move(Free.back()));
  Free.pop_back();
  AnyPending.store(true, std::memory_order_relaxed);
  Timing &Out = *Pending.back();
  Out.HasTile.clear();
  Out.IsEnqueued = Out.Failed = false;
  return &Out;
}

/// Returns true if some time has passed since events were looked at, in
/// launches or by the clock.
bool LaunchTimer::isTimeToLook() {
  if (Patience.fetch_sub(1, std::memory_order_relaxed) <= 1)
    return true;
  const Clock::duration Last(LastLook.load(std::memory_order_relaxed));
  return Clock::now().time_since_epoch() - Last >= LongestWait;
}

LaunchTimer::Timing *LaunchTimer::begin(const Decision &D, Stream &Main) {
  if (!D.Class)
    return nullptr;
  const Plan &P = D.LaunchPlan;
  const uint64_t Number = D.Class->count(*P.Timed);
  if (AnyPending.load(std::memory_order_relaxed) && isTimeToLook())
    collect();
  if (!isTimed(Number, P.PredictedTime) &&
      !((P.IsTry || P.WantsTimes) && Number > 1))
    return nullptr;
  Timing *T = take();
  if (!T)
    return nullptr;
  T->Class = D.Class;
  T->What = *P.Timed;
  T->Predicted = P.PredictedTime;
  T->Size = P.Size;
  T->Fixed = P.FixedTime;
  T->Shares = P.Shares;
  T->Failed = B.record(*T->Whole.From, Main) != cudaSuccess;
  return T;
}

void LaunchTimer::beginTile(Timing *T, int Device, Stream &On) {
  if (!T)
    return;
  const auto Index = static_cast<size_t>(Device);
  if (T->Tiles.size() <= Index)
    T->Tiles.resize(Index + 1);
  if (T->HasTile.size() <= Index)
    T->HasTile.resize(Index + 1);
  Timing::Pair &P = T->Tiles[Index];
  if ((!P.From && B.createEvent(Device, 0, P.From)) ||
      (!P.To && B.createEvent(Device, 0, P.To)) || B.record(*P.From, On)) {
    T->Failed = true;
    return;
  }
  T->HasTile[Index] = true;
}

void LaunchTimer::endTile(Timing *T, int Device, Stream &On) {
  if (T && !T->Failed && B.record(*T->Tiles[Device].To, On))
    T->Failed = true;
}

void LaunchTimer::end(Timing *T, Stream &Main, bool Failed) {
  if (!T)
    return;
  Failed |= T->Failed || B.record(*T->Whole.To, Main) != cudaSuccess;
  MutexLock Guard(Lock);
  T->Failed = Failed;
  T->IsEnqueued = true;
}

std::optional<LaunchTime> LaunchTimer::read(const Timing &T) {
  float Ms = 0;
  if (B.elapsed(*T.Whole.From, *T.Whole.To, Ms))
    return std::nullopt;
  LaunchTime Out = {Ms * 1e-3, T.Predicted, {}, T.Shares, T.Size, T.Fixed};
  for (size_t Device = 0; Device != T.HasTile.size(); ++Device) {
    if (!T.HasTile[Device])
      continue;
    if (B.elapsed(*T.Tiles[Device].From, *T.Tiles[Device].To, Ms))
      return std::nullopt;
    Out.ByDevice.push_back(Ms * 1e-3);
  }
  if (!(Out.Seconds > 0) || !(Out.Predicted > 0))
    return std::nullopt;
  return Out;
}

void LaunchTimer::collect() {
  if (!AnyPending.load(std::memory_order_relaxed))
    return;
  LastLook.store(Clock::now().time_since_epoch().count(),
                 std::memory_order_relaxed);
  struct Found {
    std::shared_ptr<LaunchClass> Class;
    Division What;
    std::optional<LaunchTime> Time;
  };
  std::vector<Found> Done;
  {
    MutexLock Guard(Lock);
    for (size_t I = 0; I != Pending.size();) {
      Timing &T = *Pending[I];
      const cudaError_t Error = !T.IsEnqueued ? cudaErrorNotReady
                                : T.Failed    ? cudaErrorUnknown
                                              : B.query(*T.Whole.To);
      if (Error == cudaErrorNotReady) {
        ++I;
        continue;
      }
      Done.push_back(
          {std::move(T.Class), T.What, Error ? std::nullopt : read(T)});
      Free.push_back(std::move(Pending[I]));
      Pending.erase(Pending.begin() + static_cast<ptrdiff_t>(I));
    }
    const unsigned Next =
        Done.empty()
            ? std::min(2 * Pause.load(std::memory_order_relaxed), LongestPause)
            : 1;
    Pause.store(Next, std::memory_order_relaxed);
    Patience.store(static_cast<int>(Next), std::memory_order_relaxed);
    AnyPending.store(!Pending.empty(), std::memory_order_relaxed);
  }
  for (const Found &F : Done)
    if (F.Time)
      F.Class->add(F.What, *F.Time);
}

bool LaunchTimer::isPending(const LaunchClass &Of) {
  MutexLock Guard(Lock);
  return std::any_of(Pending.begin(), Pending.end(), [&](const auto &T) {
    return T->Class.get() == &Of && T->IsEnqueued;
  });
}

void LaunchTimer::await(const LaunchClass &Of, double Seconds) {
  const auto Deadline =
      std::chrono::steady_clock::now() + std::chrono::duration<double>(Seconds);
  for (collect(); isPending(Of); collect()) {
    if (std::chrono::steady_clock::now() >= Deadline)
      return;
    std::this_thread::yield();
  }
}

} // namespace gridspan
