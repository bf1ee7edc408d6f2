//===- LaunchTimer.h - Times launches by events -----------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Times some of the launches by events around them: in the program's stream,
// and around each tile on its device. Times are looked for when later launches
// come by. Only who is about to decide by times that are still missing waits
// for them.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_LAUNCH_LAUNCHTIMER_H
#define GRIDSPAN_RUNTIME_LAUNCH_LAUNCHTIMER_H

#include "runtime/backend/Backend.h"
#include "runtime/launch/Decision.h"
#include "runtime/support/ThreadSafety.h"
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace gridspan {

/// Thread-safe, but for a single Timing, which belongs to one launch.
class LaunchTimer {
public:
  explicit LaunchTimer(Backend &B) : B(B) {}

  /// The events of a launch that is timed.
  class Timing;

  /// The receiver of the times of launches that a profile wants; called by
  /// whoever finds them.
  using ForProfile =
      std::function<void(ProfileEntry &Of, double Seconds, bool IsRecorded)>;
  void setProfile(ForProfile To) { Profile = std::move(To); }

  /// Counts the launch and, if it is to be timed, sets an event behind what
  /// Main holds. Returns null if it is not. Target says if a profile wants the
  /// time.
  Timing *begin(const Decision &D, const LaunchTarget &Target, Stream &Main);
  /// The same for a launch whose time is for the profile alone.
  Timing *begin(const LaunchTarget &Target, Stream &Main);
  /// Sets the events around a tile. T may be null.
  void beginTile(Timing *T, int Device, Stream &On);
  void endTile(Timing *T, int Device, Stream &On);
  /// Sets the event behind the launch, in the program's stream; T may be null.
  /// Failed: it was not enqueued, and has no time.
  void end(Timing *T, Stream &Main, bool Failed);

  /// Adds the times of launches that are done to their histories.
  void collect();
  /// Waits until all timed launches of the class are done, or for so many
  /// seconds, and collects.
  void await(const LaunchClass &Of, double Seconds);

private:
  using Clock = std::chrono::steady_clock;
  Timing *start(const LaunchTarget &Target, Stream &Main, bool IsWanted);
  bool isTimeToLook();
  Timing *take(bool IsWanted);
  bool isPending(const LaunchClass &Of);
  /// Returns the time of a launch that is done, if there is one.
  std::optional<LaunchTime> read(const Timing &T);

  Backend &B;
  ForProfile Profile;
  Mutex Lock;
  std::vector<std::unique_ptr<Timing>> Free GUARDED_BY(Lock);
  /// In the order in which their launches began.
  std::vector<std::unique_ptr<Timing>> Pending GUARDED_BY(Lock);
  /// Launches until events are looked at again, and that number the next time.
  /// Where launches are long they are looked at again after LongestWait.
  std::atomic<int> Patience{0};
  std::atomic<unsigned> Pause{1};
  std::atomic<Clock::rep> LastLook{0}; ///< since the clock's epoch
  std::atomic<bool> AnyPending{false};
};

class LaunchTimer::Timing {
  friend class LaunchTimer;
  struct Pair {
    std::unique_ptr<Event> From, To;
  };
  Pair Whole;
  std::vector<Pair> Tiles; ///< by device
  std::vector<bool> HasTile;
  std::shared_ptr<LaunchClass> Class; ///< null: for the profile alone
  ProfileEntry *Profiled = nullptr;   ///< of a profile that wants the time
  bool IsRecorded = false;
  Division What;
  double Predicted = 0;
  double Size = 1;
  double Fixed = 0;
  std::vector<double> Shares;
  bool IsEnqueued = false;
  bool Failed = false;
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_LAUNCH_LAUNCHTIMER_H
