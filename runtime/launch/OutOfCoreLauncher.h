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
  /// placement held.
  using Describe = std::function<PlanInput(Decision &)>;

  OutOfCoreLauncher(Backend &B, MemoryManager &Memory, Executor &Exec,
                    Inspector &Indices, ResidentFrames &Kept, Report &Out,
                    Progress &Line, Schedule Sched,
                    std::chrono::milliseconds Patience)
      : B(B), Memory(Memory), Exec(Exec), Indices(Indices), Kept(Kept),
        Out(Out), Sched(Sched), Patience(Patience),
        Streams(B, Memory.pager(), Line) {}

  enum class Outcome {
    NothingPaged, ///< the launch touches none
    Done,         ///< streamed; Error is its
    InPlace,      ///< to be launched as usual, unless there is an Error
  };
  /// WhyInPlace: why the launch may not be streamed, or null. MayKeep: managed
  /// memory may stay on devices behind it. The placement is not held; for
  /// Outcome::InPlace it is afterwards, by Placed.
  Outcome launch(const LaunchTarget &Target, const LaunchShape &Shape,
                 void *const *Args, ProgramStream &S, const char *WhyInPlace,
                 bool MayKeep, const Describe &DescribeLaunch,
                 std::shared_lock<std::shared_mutex> &Placed,
                 cudaError_t &Error);

private:
  PagedView viewOf(const Allocation &A) const;
  bool worthStreaming(const PlanInput &In, const Decision &D);
  cudaError_t prepareKept(const PlanInput &In, const Decision &D, bool MayKeep);
  OutOfCoreInput inputOf(PlanInput In, const Decision &D,
                         const LaunchShape &Shape,
                         std::vector<std::shared_ptr<Allocation>> &Paged);
  const char *whyInPlace(const GridspanKernel &Kernel, const PlanInput &In,
                         const Decision &D, bool GaveUp);
  cudaError_t useInPlace(const GridspanKernel &Kernel, const Decision &D,
                         const char *Why);
  OutOfCorePlan
  planWithRings(OutOfCoreInput In,
                const std::vector<std::shared_ptr<Allocation>> &Paged,
                RingSizes &Rings, bool &Fit);
  OutOfCorePlan plan(OutOfCoreInput In,
                     const std::vector<std::shared_ptr<Allocation>> &Paged,
                     RingSizes &Rings);
  cudaError_t planWithReplicas(const PlanInput &In, const Decision &D,
                               const LaunchShape &Shape,
                               std::vector<std::shared_ptr<Allocation>> &Paged,
                               RingSizes &Rings, OutOfCorePlan &Plan);
  cudaError_t stream(const LaunchTarget &Target, const LaunchShape &Shape,
                     void *const *Args, ProgramStream &S, bool MayKeep,
                     const Describe &DescribeLaunch);
  bool lockPlacement(std::unique_lock<std::shared_mutex> &Guard);
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
  OutOfCoreExecutor Streams; ///< guarded by the placement
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_LAUNCH_OUTOFCORELAUNCHER_H
