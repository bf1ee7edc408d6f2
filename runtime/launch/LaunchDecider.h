//===- LaunchDecider.h - Decides how a launch runs --------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Describes launches to the planner, makes decisions of its plans, and tells
// when a decision is to be made again. Enqueues nothing and moves no pages.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_LAUNCH_LAUNCHDECIDER_H
#define GRIDSPAN_RUNTIME_LAUNCH_LAUNCHDECIDER_H

#include "runtime/launch/DeviceOpening.h"
#include "runtime/launch/Executor.h"
#include "runtime/launch/Inspector.h"
#include "runtime/launch/LaunchClasses.h"
#include "runtime/launch/NoAliasDispatch.h"
#include "runtime/launch/ReplanCheck.h"
#include "runtime/memory/SymbolTable.h"
#include "runtime/stream/LaunchRequest.h"
#include <atomic>
#include <chrono>

namespace gridspan {

/// What the user has asked for.
struct LaunchSettings {
  Schedule Sched = Schedule::Auto;
  PrivateCopyUse Privates = PrivateCopyUse::Auto;
  bool MayReplicate = true; ///< see PlanInput
  /// Of Schedule::Hybrid.
  double StaticShare = DefaultStaticShare;
  /// True for the report: ranges are evaluated for unsplit launches too.
  bool CountsBytes = false;
  /// True if launches may be timed, and decisions follow their times.
  bool Learns = false;
  /// True if launches larger than memory may wait to run in chains.
  bool Chains = false;
  /// The time without a launch after which those that wait run; 0: they wait
  /// for a call.
  std::chrono::milliseconds ChainIdle{0};
  /// Threads that copy memory larger than the devices' that is not pinned yet;
  /// 0: it is pinned before.
  unsigned CopyThreads = 0;
  /// True if launches may get pointers to frames and copies of their data.
  bool MovesPointers = true;
  /// True if launches may keep arrays of records in other forms.
  bool Forms = true;
};

/// Thread-safe.
class LaunchDecider {
public:
  LaunchDecider(Backend &B, MemoryManager &Memory, SymbolTable &Symbols,
                Report &Out, Executor &Exec, Inspector &Indices,
                DeviceOpening &Opening, const LaunchSettings &Settings)
      : B(B), Memory(Memory), Symbols(Symbols), Out(Out), Exec(Exec),
        Indices(Indices), Opening(Opening), Settings(Settings),
        HasPeers(B.system().numDevices() > 1),
        Learns(Settings.Learns && HasPeers &&
               Settings.Sched == Schedule::Auto && B.system().TimesTell),
        Clones(B), Check(B, Exec, Indices, Opening) {}

  /// Lists the buffers that the launch's pointers lead to, in D and in the
  /// planner's terms.
  PlanInput describe(const GridspanKernel &Kernel, const LaunchShape &Shape,
                     void *const *Args, Decision &D)
      REQUIRES_SHARED(PlacementLock::Held);
  PlanInput describe(const LaunchRequest &R, Decision &D)
      REQUIRES_SHARED(PlacementLock::Held) {
    return describe(R.kernel(), R.Shape, R.Arguments, D);
  }

  /// Decides how the launch runs. WhyUnsplit: a reason to run it unsplit, or
  /// None. Old: the decision that the new one replaces, if any. Described, if
  /// not null, receives the planner's input.
  std::shared_ptr<Decision>
  decide(const LaunchRequest &R, LaunchReason WhyUnsplit,
         const Decision *Old = nullptr, PlanInput *Described = nullptr)
      REQUIRES_SHARED(PlacementLock::Held);
  /// Decides how a captured launch runs, now and whenever its graph is
  /// launched. The plan relies on nothing that may change until then: pages
  /// stay where they are, no copies are made, and no contents are looked at.
  std::shared_ptr<Decision> decideCaptured(const LaunchRequest &R)
      REQUIRES_SHARED(PlacementLock::Held);
  /// Returns true if the kernel's clone for parts of grids takes the launch's
  /// blocks.
  bool mayRunInParts(const LaunchRequest &R) const;
  /// Returns true if parts of a captured launch may be nodes of the graph, on
  /// their devices.
  bool maySplitCaptured(const LaunchRequest &R) const;

  /// Returns true if a decision is to be made again, and counts its use.
  bool needsReplan(const Decision &D) const { return Check.needsReplan(D); }
  /// ReplanCheck::renewed()
  std::shared_ptr<Decision> renewed(const Decision &D,
                                    const LaunchRequest &R) const
      REQUIRES_SHARED(PlacementLock::Held) {
    return Check.renewed(D, R, Memory);
  }
  /// Waits for the times of launches of the class, if the program may be kept
  /// waiting still.
  void awaitTimes(const LaunchClass &Of);

  /// Waits a little for a launch of D that has been enqueued in S, if devices
  /// are to be opened in case that it is as long as predicted.
  void watch(const Decision &D, ProgramStream &S);

  /// Returns true if launches that run by D have taken so long that an
  /// inspection of their indices is a small part of it, and so are all
  /// inspections of the program's time.
  bool mayInspect(const Decision &D) const;

  /// Returns true if decisions depend on more than the shape.
  bool looksAtArguments(const GridspanKernel &Kernel) const;
  /// Returns true if launches may run the kernel's clone for distinct
  /// arguments.
  bool wantsClone(const GridspanKernel &Kernel) const {
    return Clones.wants(Kernel);
  }
  /// Returns true if ranges are evaluated for every launch.
  bool countsBytes() const { return Settings.CountsBytes; }
  Schedule schedule() const { return Settings.Sched; }
  /// Returns true if there are several devices. On one there is nothing to
  /// plan.
  bool hasPeers() const { return HasPeers; }
  /// Returns true if any launch may run on any device now.
  bool mayUseAll() const {
    return HasPeers && Settings.Sched != Schedule::Single && B.isReady() &&
           B.system().allReachAll();
  }

  /// Says whether captured launches may be split, instead of
  /// graphsAreOpaque(). For tests.
  void assumeOpaqueGraphs(bool Are) { OpaqueGraphs = Are; }

  /// Notes the times of launches in the report.
  void reportTimes() const { Classes.report(Out); }
  /// Keeps times of launches for later processes.
  void keepTimesIn(SavedTimes Store) {
    if (Learns)
      Classes.keepIn(std::move(Store));
  }
  void saveTimes() { Classes.save(); }
  /// Forgets the kernels of a module that is unloaded. What the report needs of
  /// them is noted first.
  void forget(const GridspanModule &Module) {
    reportTimes();
    Classes.forget(Module);
  }

private:
  using Clock = std::chrono::steady_clock;
  static double secondsSince(Clock::time_point Begin);
  /// Returns the seconds that the program may be kept waiting for times.
  double allowedToWait() const;
  void seeContents(const Decision *Old, Decision &D, PlanInput &In) const;
  void decideByWork(const PlanInput &In, Decision &D) const;
  Plan planByTimes(PlanInput &In, Decision &D, bool IsNew, bool MayHold);
  void runWithoutOthers(PlanInput &In, Decision &D, bool MayHold);
  void noteIndices(const PlanInput &In, Decision &D);

  Backend &B;
  MemoryManager &Memory;
  SymbolTable &Symbols;
  Report &Out;
  Executor &Exec;
  Inspector &Indices;
  DeviceOpening &Opening;
  const LaunchSettings Settings;
  const bool HasPeers; ///< hasPeers()
  /// True if launches are timed, and decisions follow their times.
  const bool Learns;
  LaunchClasses Classes;
  NoAliasDispatch Clones;
  const ReplanCheck Check;
  std::optional<bool> OpaqueGraphs;
  const Clock::time_point Started = Clock::now();
  /// The seconds that launches were kept waiting for times.
  std::atomic<double> Waited{0};
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_LAUNCH_LAUNCHDECIDER_H
