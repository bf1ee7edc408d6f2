//===- LaunchEngine.h - From a launch to work on devices --------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks a launch as CUDA does, finds or makes the decision how to run it, and
// has it carried out.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_LAUNCH_LAUNCHENGINE_H
#define GRIDSPAN_RUNTIME_LAUNCH_LAUNCHENGINE_H

#include "runtime/launch/Executor.h"
#include "runtime/launch/Inspector.h"
#include "runtime/launch/NoAliasDispatch.h"
#include "runtime/launch/OutOfCoreLauncher.h"
#include "runtime/memory/SymbolTable.h"
#include "runtime/stream/LaunchRequest.h"
#include <atomic>
#include <chrono>

namespace gridspan {

/// Thread-safe.
class LaunchEngine {
public:
  LaunchEngine(Backend &B, MemoryManager &Memory, StreamTable &Streams,
               SymbolTable &Symbols, Report &Out, Progress &Line,
               Schedule Sched, PrivateCopyUse Privates,
               std::chrono::milliseconds Patience, bool CountBytes, bool Learns,
               double StaticShare)
      : B(B), Memory(Memory), Streams(Streams), Symbols(Symbols), Out(Out),
        Sched(Sched), Privates(Privates), StaticShare(StaticShare),
        CountsBytes(CountBytes), HasPeers(B.system().numDevices() > 1),
        Learns(Learns && HasPeers && Sched == Schedule::Auto &&
               B.system().TimesTell),
        Exec(B, Memory, Streams, Out, Patience),
        Indices(B, Memory, Streams, Exec), Residency(B, Memory, Out, Line),
        OutOfCore(B, Memory, Exec, Indices, Residency, Out, Line, Sched,
                  Patience),
        Clones(B) {}

  cudaError_t launch(const void *Function, const LaunchShape &Shape,
                     void *const *Args, ProgramStream &S)
      EXCLUDES(PlacementLock::Held);

  /// Moves pages for a library's kernels; see LibraryCalls.h.
  void beforeLibraryCall(void *const *Pointers, unsigned Count)
      EXCLUDES(PlacementLock::Held);

  /// Sets the attribute as Backend does. Limits that a launch is checked
  /// against follow it.
  cudaError_t setFunctionAttribute(const LaunchTarget &Target,
                                   cudaFuncAttribute Attribute, int Value);

  /// Notes the times of launches in the report.
  void reportTimes() const { Classes.report(Out); }
  /// Keeps times of launches for later processes.
  void keepTimesIn(SavedTimes Store) {
    if (Learns)
      Classes.keepIn(std::move(Store));
  }
  void saveTimes() { Classes.save(); }
  /// Forgets the kernels of a module that is unloaded; of null, functions
  /// without descriptors. What the report needs of them is noted first.
  void forget(const GridspanModule *Module) {
    Cache.clear();
    if (!Module)
      return;
    reportTimes();
    Classes.forget(*Module);
  }

  /// Says whether captured launches may be split, instead of
  /// graphsAreOpaque(). For tests.
  void assumeOpaqueGraphs(bool Are) { OpaqueGraphs = Are; }

  Executor &executor() { return Exec; }
  TextureTable &textures() { return Exec.textures(); }
  ResidentFrames &residency() { return Residency; }

private:
  PlanInput describe(const GridspanKernel &Kernel, const LaunchShape &Shape,
                     void *const *Args, Decision &D)
      REQUIRES_SHARED(PlacementLock::Held);
  PlanInput describe(const LaunchRequest &R, Decision &D)
      REQUIRES_SHARED(PlacementLock::Held) {
    return describe(R.kernel(), R.Shape, R.Arguments, D);
  }
  std::shared_ptr<Decision>
  decide(const LaunchRequest &R, LaunchReason WhyUnsplit,
         const Decision *Old = nullptr, PlanInput *Described = nullptr)
      REQUIRES_SHARED(PlacementLock::Held);
  std::shared_ptr<Decision> decideCaptured(const LaunchRequest &R)
      REQUIRES_SHARED(PlacementLock::Held);
  bool maySplitCaptured(const LaunchRequest &R) const;
  void seeContents(const Decision *Old, Decision &D, PlanInput &In) const;
  bool isChanged(const Decision &D, unsigned Allocation) const;
  bool haveContentsChanged(const Decision &D) const;
  bool haveIndicesChanged(const Decision &D) const;
  Plan planByTimes(PlanInput &In, Decision &D);
  void runWithoutOthers(PlanInput &In, Decision &D);
  void noteLost(double Seconds) const;
  void noteIndices(const PlanInput &In, Decision &D);
  bool needsReplan(const Decision &D) const;
  static bool lacksTimes(const Decision &D);
  void awaitTimes(const LaunchClass &Of);
  bool looksAtArguments(const GridspanKernel &Kernel) const;
  const Decision *find(const LaunchRequest &R) const
      REQUIRES_SHARED(PlacementLock::Held);
  void remember(std::shared_ptr<const Decision> D, const LaunchRequest &R)
      REQUIRES_SHARED(PlacementLock::Held);

  void prefetch(const LaunchRequest &R) EXCLUDES(PlacementLock::Held);
  cudaError_t planAndLaunch(const LaunchRequest &R)
      EXCLUDES(PlacementLock::Held);
  cudaError_t launchOnce(const LaunchRequest &R, bool Capturing);
  cudaError_t launchUncached(const LaunchRequest &R, bool Capturing)
      EXCLUDES(PlacementLock::Held);
  cudaError_t launchUnknown(const LaunchRequest &R, bool Capturing)
      EXCLUDES(PlacementLock::Held);
  std::optional<cudaError_t> launchPaged(const LaunchRequest &R,
                                         LaunchReason WhyUnsplit,
                                         LaunchReason WhyInPlace)
      EXCLUDES(PlacementLock::Held);
  cudaError_t writeBackBefore(const LaunchRequest &R)
      REQUIRES_SHARED(PlacementLock::Held);
  bool isMisplaced(const void *Pointer) const
      REQUIRES_SHARED(PlacementLock::Held);

  Backend &B;
  MemoryManager &Memory;
  StreamTable &Streams;
  SymbolTable &Symbols;
  Report &Out;
  const Schedule Sched;
  const PrivateCopyUse Privates;
  const double StaticShare; ///< of Schedule::Hybrid
  /// True for the report: ranges are evaluated for unsplit launches too.
  const bool CountsBytes;
  /// True if there are several devices. On one there is nothing to plan.
  const bool HasPeers;
  /// True if launches are timed, and decisions follow their times.
  const bool Learns;
  LaunchClasses Classes;
  Executor Exec;
  Inspector Indices;
  ResidentFrames Residency;
  OutOfCoreLauncher OutOfCore;
  LaunchCache Cache;
  NoAliasDispatch Clones;
  std::optional<bool> OpaqueGraphs;
  const std::chrono::steady_clock::time_point Started =
      std::chrono::steady_clock::now();
  /// The seconds that launches were kept waiting for times.
  std::atomic<double> Waited{0};
  /// Nanoseconds that launches have lost as devices were not open.
  mutable std::atomic<uint64_t> LostUntilOpen{0};
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_LAUNCH_LAUNCHENGINE_H
