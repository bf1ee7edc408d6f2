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
// and one of the next ones is. Some are kept for launches that a plan waits
// for, such as tries, which may be few: a program that enqueues faster than
// devices run has all others pending. Events are looked at after 1, 2, 4 and up
// to 64 launches, so that a program that enqueues many is not slowed down by
// looking in vain; and before each plan.
//
//===----------------------------------------------------------------------===//

#include "runtime/launch/LaunchTimer.h"
#include "runtime/launch/LaunchClasses.h"
#include <algorithm>
#include <chrono>
#include <thread>

namespace gridspan {

static constexpr unsigned MostTimings = 24;
/// Those of them that only launches which a plan waits for may take.
static constexpr unsigned KeptTimings = 8;
static constexpr unsigned LongestPause = 64;
static constexpr std::chrono::milliseconds LongestWait(1);

/// Returns a free timing; null if there is none. IsWanted: it may be one that
/// is kept.
LaunchTimer::Timing *LaunchTimer::take(bool IsWanted) {
  MutexLock Guard(Lock);
  if (Pending.size() >= MostTimings - (IsWanted ? 0 : KeptTimings))
    return nullptr;
  if (Free.empty()) {
    auto New = std::make_unique<Timing>();
    if (B.createEvent(0, 0, New->Whole.From) ||
        B.createEvent(0, 0, New->Whole.To))
      return nullptr;
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

/// Begins a timing, if there is one to be had.
LaunchTimer::Timing *LaunchTimer::start(const LaunchTarget &Target,
                                        Stream &Main, bool IsWanted) {
  const bool IsRecorded = Target.RecordAs != 0;
  Timing *T = take(IsWanted || IsRecorded);
  if (!T)
    return nullptr;
  T->Class = nullptr;
  T->Profiled = Target.IsTimed ? Target.Profiled : nullptr;
  T->IsRecorded = IsRecorded;
  T->Failed = B.record(*T->Whole.From, Main) != cudaSuccess;
  return T;
}

LaunchTimer::Timing *LaunchTimer::begin(const LaunchTarget &Target,
                                        Stream &Main) {
  if (!Target.IsTimed || !Target.Profiled)
    return nullptr;
  if (AnyPending.load(std::memory_order_relaxed) && isTimeToLook())
    collect();
  return start(Target, Main, false);
}

LaunchTimer::Timing *LaunchTimer::begin(const Decision &D,
                                        const LaunchTarget &Target,
                                        Stream &Main) {
  if (!D.Class)
    return begin(Target, Main);
  const Plan &P = D.LaunchPlan;
  const uint64_t Number = D.Class->count(*P.Timed);
  if (AnyPending.load(std::memory_order_relaxed) && isTimeToLook())
    collect();
  // What a recording clone takes says nothing of the division.
  const bool HasTime = !Target.RecordAs && P.PredictedTime > 0;
  const bool IsWanted =
      HasTime && (((P.IsTry || P.WantsTimes) && Number > 1) ||
                  (D.TimesNext.load(std::memory_order_relaxed) &&
                   D.TimesNext.exchange(false)));
  const bool IsForClass =
      IsWanted || (HasTime && (isTimed(Number, P.PredictedTime) ||
                               (D.Class->isWatched() && Number > 1)));
  if (!IsForClass && !(Target.IsTimed && Target.Profiled))
    return nullptr;
  Timing *T = start(Target, Main, IsWanted);
  if (!T || !IsForClass)
    return T;
  T->Class = D.Class;
  T->What = *P.Timed;
  T->Predicted = P.PredictedTime;
  T->Size = P.Size;
  T->Fixed = P.FixedTime;
  T->Shares = P.Shares;
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
    ProfileEntry *Profiled = nullptr;
    bool IsRecorded = false;
    float Milliseconds = 0;
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
      Found &F = Done.emplace_back();
      if (!Error && T.Profiled &&
          !B.elapsed(*T.Whole.From, *T.Whole.To, F.Milliseconds))
        F.Profiled = T.Profiled;
      F.IsRecorded = T.IsRecorded;
      if (!Error && T.Class)
        F.Time = read(T);
      F.What = T.What;
      F.Class = std::move(T.Class);
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
  for (const Found &F : Done) {
    if (F.Time)
      F.Class->add(F.What, *F.Time);
    if (F.Profiled && Profile)
      Profile(*F.Profiled, F.Milliseconds * 1e-3, F.IsRecorded);
  }
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
