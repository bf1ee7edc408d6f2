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

#include "runtime/launch/LaunchCache.h"
#include "runtime/launch/LaunchDecider.h"
#include "runtime/launch/OutOfCoreLauncher.h"
#include "runtime/report/LaunchProfile.h"
#include "runtime/stream/DeferredLaunches.h"
#include "runtime/stream/LaunchGroup.h"
#include <chrono>

namespace gridspan {

class MemoryOperation;

/// Thread-safe.
class LaunchEngine {
public:
  LaunchEngine(Backend &B, MemoryManager &Memory, StreamTable &Streams,
               SymbolTable &Symbols, Report &Out, Progress &Line,
               std::chrono::milliseconds Patience,
               const LaunchSettings &Settings)
      : B(B), Memory(Memory), Streams(Streams), Symbols(Symbols), Out(Out),
        Exec(B, Memory, Streams, Out, Patience),
        Indices(B, Memory, Streams, Exec), Residency(B, Memory, Out, Line),
        Opening(B),
        OutOfCore(B, Memory, Exec, Indices, Residency, Opening, Out, Line,
                  Settings.Sched, Patience, Settings.CopyThreads),
        Chains(Settings.Chains), MovesPointers(Settings.MovesPointers),
        Decider(B, Memory, Symbols, Out, Exec, Indices, Opening, Settings),
        Deferred(
            [this](const std::vector<DeferredLaunch> &All,
                   const std::vector<DeferredEvent> &Events,
                   const Allocation *Freed) {
              return runDeferred(All, Events, Freed);
            },
            [this] { return Exec.isIdle(); }, Settings.ChainIdle) {
    Exec.forms().enable(Settings.Forms);
  }

  cudaError_t launch(const void *Function, const LaunchShape &Shape,
                     void *const *Args, ProgramStream &S)
      EXCLUDES(PlacementLock::Held);

  /// Runs the launches that wait for others to run with: the program is about
  /// to do, or to learn, something else. Freed, or null, is about to be freed.
  /// Returns their error.
  cudaError_t finishDeferred(const Allocation *Freed = nullptr)
      EXCLUDES(PlacementLock::Held) {
    if (LaunchGroup::open())
      return dissolveGroup();
    return Deferred.finish(Freed);
  }

  /// Keeps the thread's launches and fills in the stream from now on, if others
  /// wait with which they can run: up to endGroup(), whose error is theirs, or
  /// whatever else the thread does. All that they touch is in the operands.
  /// An open group of the thread ends first, with its error.
  cudaError_t beginGroup(ProgramStream &S,
                         std::vector<LaunchGroup::Operand> Operands)
      EXCLUDES(PlacementLock::Held);
  cudaError_t endGroup() EXCLUDES(PlacementLock::Held);

  /// Returns true if any launch may run on any device now.
  bool mayUseAll() const { return Decider.mayUseAll(); }

  /// The process ends: no thread may run launches any more.
  void endIdleThread() { Deferred.endThread(); }

  /// Has the event recorded behind launches of the stream that wait, or runs
  /// those of others. Returns the error, or nothing if the caller is to record
  /// the event.
  std::optional<cudaError_t> recordDeferred(std::shared_ptr<Event> E,
                                            const ProgramStream &S)
      EXCLUDES(PlacementLock::Held);

  /// Has a fill or copy of device memory wait among launches, which Alone does
  /// if it comes to run by itself. Returns the error of what runs instead, or
  /// nothing if the caller is to do it.
  std::optional<cudaError_t> defer(ProgramStream &S, const MemoryOperation &Op,
                                   std::function<cudaError_t()> Alone)
      EXCLUDES(PlacementLock::Held);

  /// Notes why a fill, or a copy, has launches run that wait, if there are any.
  void noteNotDeferred(bool IsFill, LaunchReason Why);

  /// Moves pages for a library's kernels; see LibraryCalls.h.
  void beforeLibraryCall(void *const *Pointers, unsigned Count)
      EXCLUDES(PlacementLock::Held);

  /// Sets the attribute as Backend does. Limits that a launch is checked
  /// against follow it.
  cudaError_t setFunctionAttribute(const LaunchTarget &Target,
                                   cudaFuncAttribute Attribute, int Value);

  /// Forgets the kernels of a module that is unloaded; of null, functions
  /// without descriptors. What the report needs of them is noted first.
  void forget(const GridspanModule *Module) {
    Cache.clear();
    if (Module)
      Decider.forget(*Module);
  }

  /// Has launches counted, timed and recorded for the profile, which outlives
  /// this. Called before there are any.
  void profileIn(LaunchProfile &To);

  LaunchDecider &decider() { return Decider; }
  const LaunchDecider &decider() const { return Decider; }
  Executor &executor() { return Exec; }
  TextureTable &textures() { return Exec.textures(); }
  ResidentFrames &residency() { return Residency; }

private:
  const Decision *find(const LaunchRequest &R) const
      REQUIRES_SHARED(PlacementLock::Held);
  void remember(std::shared_ptr<const Decision> D, const LaunchRequest &R)
      REQUIRES_SHARED(PlacementLock::Held);

  bool mayDefer(const LaunchRequest &R, double &Seconds)
      EXCLUDES(PlacementLock::Held);
  cudaError_t runGroup(const LaunchGroup &G, Stream &S);
  cudaError_t runGroupAlone(const LaunchGroup &G) EXCLUDES(PlacementLock::Held);
  cudaError_t dissolveGroup() EXCLUDES(PlacementLock::Held);
  cudaError_t runDeferred(const std::vector<DeferredLaunch> &All,
                          const std::vector<DeferredEvent> &Events,
                          const Allocation *Freed)
      EXCLUDES(PlacementLock::Held);
  cudaError_t runAlone(const DeferredLaunch &L,
                       const std::vector<OutOfCoreExecutor::Record> &Events)
      EXCLUDES(PlacementLock::Held);
  void chooseDevice(LaunchRequest &R) const;
  PlanInput describePaged(const LaunchRequest &R, LaunchReason WhyUnsplit,
                          Decision &D) REQUIRES_SHARED(PlacementLock::Held);

  void prefetch(const LaunchRequest &R) EXCLUDES(PlacementLock::Held);
  cudaError_t planAndLaunch(const LaunchRequest &R)
      EXCLUDES(PlacementLock::Held);
  LaunchTarget profiled(const LaunchRequest &R, bool Capturing);
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
  LaunchProfile *Profile = nullptr; ///< null: none is wanted
  Executor Exec;
  Inspector Indices;
  ResidentFrames Residency;
  DeviceOpening Opening;
  OutOfCoreLauncher OutOfCore;
  const bool Chains;        ///< launches may wait to run in chains
  const bool MovesPointers; ///< see LaunchSettings
  LaunchDecider Decider;
  LaunchCache Cache;
  DeferredLaunches Deferred; ///< its thread uses all of the above
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_LAUNCH_LAUNCHENGINE_H
