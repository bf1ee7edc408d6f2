//===- LaunchClasses.h - The histories of similar launches ------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Launches of one kernel with blocks of one size, and with about as many
// threads and as much work, are a class: what one took says what the next one
// will take. Histories live as long as the process; what they say may be kept
// for the next one (SavedTimes.h).
//
// Scalar arguments may change what a launch takes without a prediction knowing
// it: how many counters threads meet at, for example. Times of launches before
// and after such a change must not be compared with each other. So launches
// whose scalars differ from those that the class began with get a class of
// their own, once there have been a few with the same ones. Launches that
// always have others, as the number of a step, stay together.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_LAUNCH_LAUNCHCLASSES_H
#define GRIDSPAN_RUNTIME_LAUNCH_LAUNCHCLASSES_H

#include "runtime/launch/SavedTimes.h"
#include "runtime/plan/LaunchHistory.h"
#include "runtime/plan/PlanInput.h"
#include "runtime/report/Report.h"
#include "runtime/support/ThreadSafety.h"
#include <atomic>
#include <compare>
#include <map>
#include <memory>
#include <optional>

namespace gridspan {

/// What the classes of a kernel know of each other. Thread-safe.
struct KernelTimes {
  /// DivisionRecord::kernelRatio() of unsplit launches, whichever were measured
  /// last; 0 if none were.
  std::atomic<double> Ratio{0};
  /// Sums over the classes: spentSeconds(), lostSeconds() and MoveSeconds of
  /// their histories, as of the last time that each has got.
  std::atomic<double> Spent{0}, Lost{0}, Moves{0};
  /// The seconds that plans have taken, over the classes.
  std::atomic<double> Plans{0};
};

/// The launches of a class. Thread-safe.
class LaunchClass {
public:
  /// Kernel: of all classes of the kernel.
  LaunchClass(LaunchHistory Start, std::shared_ptr<KernelTimes> Kernel)
      : History(std::move(Start)), Kernel(std::move(Kernel)) {}

  /// Counts a launch, and returns how many of its division there were with it.
  uint64_t count(const Division &What);
  /// Returns true if the next launches are to be timed, as one took long.
  bool isWatched() const { return IsWatched.load(std::memory_order_relaxed); }
  void add(const Division &What, const LaunchTime &Time);
  void addMove(double Seconds);
  LaunchHistory history() const;
  /// Changes with times that may change decisions.
  uint64_t generation() const {
    return Generation.load(std::memory_order_relaxed);
  }
  /// Returns true if there are times that a plan of that generation does not
  /// know, and launches have taken so long since that another plan, which takes
  /// the host 50 us or so, is little beside it. SpentBefore: the seconds that
  /// all had taken at that plan.
  bool isWorthAPlan(uint64_t PlanGeneration, double SpentBefore) const;
  /// The same of a plan by which launches are split in this way: plans are
  /// little beside launches, or the way may lose, as unsplit ones were not
  /// measured to be slower.
  bool isWorthAPlan(uint64_t PlanGeneration, const Division &Split) const;
  /// Returns true if launches have taken as long since whatever there is to
  /// know, by their times or, until there are some, by Predicted seconds.
  bool isLongAgo(double SpentBefore, double Predicted) const;
  /// What a plan of the class says of launches with other arguments.
  enum class Settled {
    No,     ///< it splits, tries or waits for something
    Slower, ///< they run unsplit, as other ways seem slower
    OneWay, ///< they run unsplit, as there is no other way
  };
  struct PlanNote {
    Settled How = Settled::No;
    uint64_t Generation = 0; ///< as for isWorthAPlan(), as is the next one
    double SpentBefore = 0;
    double Bytes = 0; ///< of the launch's allocations
  };
  /// Notes a plan, which took the host so long. Returns true if launches went
  /// by the one before, and will by this one: its own is worth timing.
  bool addPlan(const PlanNote &Of, double Seconds);
  /// Returns true if plans have taken little beside the kernel's launches. A
  /// program that allocates buffers anew for each launch would plan each one.
  bool affordsPlan() const;
  /// Counts a launch with arguments that have no plan yet, and returns how the
  /// last plan settled it: not at all if its allocations have more than twice
  /// the bytes or, where it affords a plan, there is news since or the last one
  /// is long ago.
  Settled goesByLastPlan(double Bytes);
  /// Notes a launch with arguments that none had before. Launches: of the
  /// kernel, so far.
  void noteNew(uint64_t Launches);
  /// Returns true once there were many such, with few launches in between: they
  /// pass the number of a step, say, and to look at each takes longer than
  /// there is to gain.
  bool areAlwaysNew() const;

private:
  void share() REQUIRES(Lock);
  bool hasSpentSince(double SpentBefore) const REQUIRES(Lock);
  bool canAfford() const REQUIRES(Lock);

  mutable Mutex Lock;
  LaunchHistory History GUARDED_BY(Lock);
  const std::shared_ptr<KernelTimes> Kernel;
  /// What the kernel's sums have of this class.
  double SharedSpent GUARDED_BY(Lock) = 0;
  double SharedLost GUARDED_BY(Lock) = 0;
  double SharedMoves GUARDED_BY(Lock) = 0;
  PlanNote LastPlan GUARDED_BY(Lock);
  unsigned WentByIt GUARDED_BY(Lock) = 0; ///< launches
  /// Of launches with new arguments: those one behind the other, until they
  /// are many, and how many the kernel had before the last.
  uint64_t NewInARow GUARDED_BY(Lock) = 0;
  uint64_t LastNew GUARDED_BY(Lock) = 0;
  std::atomic<uint64_t> Generation{0};
  std::atomic<bool> IsWatched{false};
};

/// All classes. Thread-safe.
class LaunchClasses {
public:
  /// Has classes start with what an earlier process has kept, and keeps theirs.
  /// Called before there are any.
  void keepIn(SavedTimes Store);
  /// Writes what is to be kept.
  void save();

  struct Found {
    std::shared_ptr<LaunchClass> Class; ///< null: there are too many
    /// True if launches with the same arguments get another class after
    /// UsesForOwn of them.
    bool IsForOthers = false;
  };
  static constexpr uint64_t UsesForOwn = 4;

  /// Returns the class of a launch.
  Found find(const PlanInput &In);

  /// Notes all times in the counters of their kernels.
  void report(Report &Out) const;

  /// Forgets the classes of a module's kernels.
  void forget(const GridspanModule &Module);

private:
  struct Key {
    const GridspanKernel *Kernel;
    uint64_t BlockThreads;
    /// Binary logarithms, rounded down.
    int Blocks;
    int Work;
    /// The hash of the scalars that all launches have; 0: they may differ.
    uint64_t Scalars = 0;
    auto operator<=>(const Key &) const = default;
  };
  struct Entry {
    std::shared_ptr<LaunchClass> Class;
    /// Of the first launch; and the number of classes that launches with
    /// others have.
    uint64_t FirstScalars = 0;
    unsigned NumOwn = 0;
  };
  static SavedTimes::ClassName nameOf(const Key &Of);
  std::shared_ptr<LaunchClass> make(const Key &Of) REQUIRES(Lock);
  void note(const Key &Of, const LaunchClass &Class) REQUIRES(Lock);

  mutable Mutex Lock;
  std::map<Key, Entry> Known GUARDED_BY(Lock);
  /// Of each kernel that has a class.
  std::map<const GridspanKernel *, std::shared_ptr<KernelTimes>>
      Kernels GUARDED_BY(Lock);
  std::optional<SavedTimes> Saved GUARDED_BY(Lock);
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_LAUNCH_LAUNCHCLASSES_H
