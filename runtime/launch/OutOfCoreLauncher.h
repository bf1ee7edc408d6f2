//===- OutOfCoreLauncher.h - Launches that touch paged memory ---*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Looks at every launch of a program some of whose memory is paged. It decides
// (whyNotOutOfCore) if the launch runs out of core, in chunks that fit the
// devices (OutOfCorePlanner.h, OutOfCoreExecutor.h), or in place: then what it
// may touch is brought up to date on the host, and it runs as any other. Some
// of those that run out of core may wait (whyNotDeferred) until several run as
// one, in a chain (OutOfCoreChains.cpp).
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_LAUNCH_OUTOFCORELAUNCHER_H
#define GRIDSPAN_RUNTIME_LAUNCH_OUTOFCORELAUNCHER_H

#include "runtime/launch/DeviceOpening.h"
#include "runtime/launch/Executor.h"
#include "runtime/launch/Inspector.h"
#include "runtime/launch/OutOfCoreReplicas.h"
#include "runtime/outofcore/ChainPlanner.h"
#include "runtime/outofcore/OutOfCoreExecutor.h"
#include "runtime/outofcore/OutOfCorePlanner.h"
#include "runtime/outofcore/ResidentFrames.h"
#include "runtime/outofcore/RingPlanner.h"
#include "runtime/plan/LaunchArguments.h"
#include "runtime/stream/DeferredLaunches.h"
#include "runtime/stream/LaunchRequest.h"
#include "runtime/support/Expected.h"
#include <functional>
#include <optional>
#include <span>

namespace gridspan {

class OutOfCoreLauncher {
public:
  /// Fills in the launch's buffers and their homes. Called with the placement
  /// lock held.
  using Describe = std::function<PlanInput(Decision &)>;
  /// Launches as usual, with what the launch may touch up to date on the host.
  /// Called with the placement lock held.
  using LaunchInPlace = std::function<cudaError_t()>;

  OutOfCoreLauncher(Backend &B, MemoryManager &Memory, Executor &Exec,
                    Inspector &Indices, ResidentFrames &Residency,
                    DeviceOpening &Opening, Report &Out, Progress &Line,
                    Schedule Sched, std::chrono::milliseconds Patience,
                    unsigned CopyThreads)
      : B(B), Memory(Memory), Exec(Exec), Indices(Indices),
        Residency(Residency), Opening(Opening), Out(Out), Sched(Sched),
        Patience(Patience), Chunks(B, Memory.pager(), Line, CopyThreads) {}

  /// Runs the launch out of core, or in place by Do, and returns its error.
  /// Returns nothing, and does nothing, if it touches nothing that is paged.
  /// WhyInPlace: why the launch must run in place, or None. MayStay: managed
  /// memory may stay on devices behind it.
  std::optional<cudaError_t>
  launch(const LaunchRequest &R, LaunchReason WhyInPlace, bool MayStay,
         const Describe &DescribeLaunch, const LaunchInPlace &Do)
      EXCLUDES(PlacementLock::Held);

  /// Describes one launch of several.
  using DescribeAny =
      std::function<PlanInput(const LaunchRequest &, Decision &)>;

  /// Returns why the launch is not to wait for others to run in a chain with;
  /// None if it is one that runs out of core and may, or one that touches
  /// nothing that is paged and comes behind others that wait.
  /// Seconds becomes about what it would take by itself.
  LaunchReason whyNotDeferred(const LaunchRequest &R, bool OthersWait,
                              const Describe &DescribeLaunch, double &Seconds)
      EXCLUDES(PlacementLock::Held);

  /// The end of a chain of the first Launches launches.
  struct ChainEnd {
    size_t Launches;
    cudaError_t Error;
  };
  /// Runs launches for which that was None as a chain, as many as can run
  /// together from the first on, records the events behind as many of them as
  /// they say, and returns how many have run. None: the first is to run by
  /// itself. Freed, or null, is freed behind all.
  /// Returns nothing, and does nothing, if they have to run one by one.
  std::optional<ChainEnd>
  launchChain(std::span<const DeferredLaunch> Launches,
              const std::vector<OutOfCoreExecutor::Record> &Events,
              const Allocation *Freed, const DescribeAny &DescribeLaunch)
      EXCLUDES(PlacementLock::Held);

private:
  using AllocationList = std::vector<std::shared_ptr<Allocation>>;
  /// A plan with the allocations that its numbers stand for.
  struct RunPlan {
    RingPlan Planned;
    AllocationList Paged;
  };

  bool mayKeepFromHost(const PlanInput &In)
      REQUIRES_SHARED(PlacementLock::Held);
  struct Chain;
  std::optional<size_t> copiedDirectly(const LaunchRequest &R,
                                       const PlanInput &In,
                                       const Decision &D) const
      REQUIRES_SHARED(PlacementLock::Held);
  static void leaveCopied(Chain &C);
  static void noteInPlace(const InPlaceArgument &What,
                          const GridspanKernel &Kernel, const Decision &D,
                          KernelCounters &Counters);
  static void numberTogether(PlanInput &In, const Decision &D,
                             ChainMember &Member, Chain &Out);
  bool addMember(const LaunchRequest &R, const DescribeAny &DescribeLaunch,
                 Chain &Out) REQUIRES(PlacementLock::Held);
  Chain describeChain(std::span<const DeferredLaunch> Launches,
                      const DescribeAny &DescribeLaunch)
      REQUIRES(PlacementLock::Held);
  RingPlan planChain(const Chain &C, const AllocationList &Paged,
                     const Allocation *Freed) REQUIRES(PlacementLock::Held);
  size_t launchesUntilOpen(const Chain &C, const OutOfCorePlan &Plan);
  cudaError_t bringInPlaceHome(const OutOfCorePlan &Plan,
                               const AllocationList &Paged)
      REQUIRES(PlacementLock::Held);
  cudaError_t runChain(std::span<const DeferredLaunch> Launches,
                       const std::vector<OutOfCoreExecutor::Record> &Events,
                       const Chain &C, const AllocationList &Paged,
                       const RingPlan &Planned) REQUIRES(PlacementLock::Held);
  std::optional<ChainEnd>
  runTogether(std::span<const DeferredLaunch> Launches,
              const std::vector<OutOfCoreExecutor::Record> &Events,
              const Allocation *Freed, const DescribeAny &DescribeLaunch)
      REQUIRES(PlacementLock::Held);
  void countChain(const OutOfCorePlan &Plan, const Chain &C,
                  uint64_t BytesOnHost);

  LaunchReason whyInPlace(const GridspanKernel &Kernel, const PlanInput &In,
                          const Decision &D)
      REQUIRES_SHARED(PlacementLock::Held);
  LaunchReason whyNotOutOfCore(const GridspanKernel &Kernel,
                               const PlanInput &In, const Decision &D,
                               bool GaveUp)
      REQUIRES_SHARED(PlacementLock::Held);
  cudaError_t useInPlace(const GridspanKernel &Kernel, const Decision &D,
                         LaunchReason Why) REQUIRES_SHARED(PlacementLock::Held);
  bool isWorthChunks(const PlanInput &In, const Decision &D)
      REQUIRES_SHARED(PlacementLock::Held);

  PagedView viewOf(const Allocation &A) const
      REQUIRES_SHARED(PlacementLock::Held);
  AllocationList pagedOf(const Decision &D) const;
  OutOfCoreInput inputOf(PlanInput In, const Decision &D,
                         const LaunchShape &Shape, const AllocationList &Paged)
      REQUIRES_SHARED(PlacementLock::Held);
  RingPlan plan(OutOfCoreInput In, const AllocationList &Paged)
      REQUIRES(PlacementLock::Held);
  Expected<RunPlan> planWithReplicas(const PlanInput &In, const Decision &D,
                                     const LaunchShape &Shape)
      REQUIRES(PlacementLock::Held);
  cudaError_t prepareResidency(const PlanInput &In, const Decision &D,
                               bool MayStay) REQUIRES(PlacementLock::Held);
  cudaError_t runChunks(const LaunchRequest &R, bool MayStay,
                        const Describe &DescribeLaunch)
      REQUIRES(PlacementLock::Held);
  void noteWrites(const PlanInput &In, const Decision &D);
  void countEffects(const OutOfCorePlan &Plan, const GridspanKernel &Kernel,
                    const Decision &D, const OutOfCoreExecutor::Outcome &Done);

  Backend &B;
  MemoryManager &Memory;
  Executor &Exec;
  Inspector &Indices;
  ResidentFrames &Residency;
  DeviceOpening &Opening;
  Report &Out;
  const Schedule Sched;
  /// The time that work enqueued before is given to end.
  const std::chrono::milliseconds Patience;
  OutOfCoreExecutor Chunks GUARDED_BY(PlacementLock::Held);
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_LAUNCH_OUTOFCORELAUNCHER_H
