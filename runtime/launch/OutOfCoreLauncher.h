//===- OutOfCoreLauncher.h - Launches that touch paged memory ---*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Looks at every launch of a program some of whose memory is paged, and either
// streams it (OutOfCorePlanner.h, OutOfCoreExecutor.h) or has what it may touch
// brought up to date on the host, so that it can run as any other.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_LAUNCH_OUTOFCORELAUNCHER_H
#define GRIDSPAN_RUNTIME_LAUNCH_OUTOFCORELAUNCHER_H

#include "runtime/launch/Executor.h"
#include "runtime/launch/Inspector.h"
#include "runtime/launch/OutOfCoreReplicas.h"
#include "runtime/outofcore/OutOfCoreExecutor.h"
#include "runtime/outofcore/OutOfCorePlanner.h"
#include "runtime/outofcore/ResidentFrames.h"
#include "runtime/plan/LaunchArguments.h"
#include <functional>

namespace gridspan {

class OutOfCoreLauncher {
public:
  /// Fills in the launch's buffers and where they are. Called with the
  /// placement lock held.
  using Describe = std::function<PlanInput(Decision &)>;

  OutOfCoreLauncher(Backend &B, MemoryManager &Memory, Executor &Exec,
                    Inspector &Indices, ResidentFrames &Kept, Report &Out,
                    Progress &Line, Schedule Sched,
                    std::chrono::milliseconds Patience)
      : B(B), Memory(Memory), Exec(Exec), Indices(Indices), Kept(Kept),
        Out(Out), Sched(Sched), Patience(Patience),
        Streams(B, Memory.pager(), Line) {}

  /// Launches as usual, with what the launch may touch up to date on the host.
  /// Called with the placement lock held.
  using LaunchInPlace = std::function<cudaError_t()>;

  /// Runs the launch out of core, or in place by Do. Returns false, with
  /// nothing done, if it touches nothing that is paged. WhyInPlace: why the
  /// launch must run in place, or null. MayKeep: managed memory may stay on
  /// devices behind it. Error is the launch's.
  bool launch(const LaunchTarget &Target, const LaunchShape &Shape,
              void *const *Args, ProgramStream &S, const char *WhyInPlace,
              bool MayKeep, const Describe &DescribeLaunch,
              const LaunchInPlace &Do, cudaError_t &Error)
      EXCLUDES(PlacementLock::Held);

private:
  PagedView viewOf(const Allocation &A) const
      REQUIRES_SHARED(PlacementLock::Held);
  bool worthStreaming(const PlanInput &In, const Decision &D)
      REQUIRES_SHARED(PlacementLock::Held);
  cudaError_t prepareKept(const PlanInput &In, const Decision &D, bool MayKeep)
      REQUIRES(PlacementLock::Held);
  OutOfCoreInput inputOf(PlanInput In, const Decision &D,
                         const LaunchShape &Shape,
                         std::vector<std::shared_ptr<Allocation>> &Paged)
      REQUIRES(PlacementLock::Held);
  const char *whyInPlace(const GridspanKernel &Kernel, const PlanInput &In,
                         const Decision &D, bool GaveUp)
      REQUIRES_SHARED(PlacementLock::Held);
  cudaError_t useInPlace(const GridspanKernel &Kernel, const Decision &D,
                         const char *Why) REQUIRES_SHARED(PlacementLock::Held);
  OutOfCorePlan
  planWithRings(OutOfCoreInput In,
                const std::vector<std::shared_ptr<Allocation>> &Paged,
                RingSizes &Rings, bool &Fit) REQUIRES(PlacementLock::Held);
  OutOfCorePlan plan(OutOfCoreInput In,
                     const std::vector<std::shared_ptr<Allocation>> &Paged,
                     RingSizes &Rings) REQUIRES(PlacementLock::Held);
  cudaError_t planWithReplicas(const PlanInput &In, const Decision &D,
                               const LaunchShape &Shape,
                               std::vector<std::shared_ptr<Allocation>> &Paged,
                               RingSizes &Rings, OutOfCorePlan &Plan)
      REQUIRES(PlacementLock::Held);
  cudaError_t stream(const LaunchTarget &Target, const LaunchShape &Shape,
                     void *const *Args, ProgramStream &S, bool MayKeep,
                     const Describe &DescribeLaunch)
      REQUIRES(PlacementLock::Held);
  void noteWrites(const PlanInput &In, const Decision &D);
  void countEffects(const OutOfCorePlan &Plan, const GridspanKernel &Kernel,
                    const Decision &D, uint64_t OnHost, cudaError_t Error);

  Backend &B;
  MemoryManager &Memory;
  Executor &Exec;
  Inspector &Indices;
  ResidentFrames &Kept;
  Report &Out;
  const Schedule Sched;
  /// How long what was enqueued before is given to end.
  const std::chrono::milliseconds Patience;
  OutOfCoreExecutor Streams GUARDED_BY(PlacementLock::Held);
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_LAUNCH_OUTOFCORELAUNCHER_H
