//===- LaunchGroups.cpp - Launches of libraries' functions in chains ------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of LaunchEngine that keeps together what a primitive has a library
// launch (LaunchGroup.h). Such kernels may wait for blocks of their own, so
// that no other launch's rules let them wait among others; the primitive says
// what they touch, and they run whole on the device that has it.
//
//===----------------------------------------------------------------------===//

#include "runtime/launch/LaunchEngine.h"
#include "runtime/outofcore/MemoryOperation.h"
#include "runtime/report/Tracing.h"
#include <utility>

namespace gridspan {

cudaError_t
LaunchEngine::beginGroup(ProgramStream &S,
                         std::vector<LaunchGroup::Operand> Operands) {
  if (LaunchGroup::open())
    if (cudaError_t Error = dissolveGroup())
      return Error;
  if (Chains && Deferred.any() && !B.isCapturing(S.main()))
    LaunchGroup::open() =
        std::make_shared<LaunchGroup>(this, S, std::move(Operands));
  return cudaSuccess;
}

/// Enqueues all of it on the stream of a chain.
cudaError_t LaunchEngine::runGroup(const LaunchGroup &G, Stream &S) {
  for (const DeferredLaunch &L : G.parts()) {
    const TraceScope Scope(L.context());
    const LaunchRequest R = L.request();
    const dim3 &Grid = R.Shape.Grid;
    if (cudaError_t Error =
            L.alone()
                ? MemoryOperation::run(B, S, R.kernel(), R.Arguments,
                                       {{}, {Grid.x, Grid.y, Grid.z}}, {}, {})
                : B.launch(S, R.Target, R.Shape, R.Arguments, nullptr))
      return Error;
    if (!L.alone())
      Out.kernel(&R.kernel()).count(1, 0, 0);
  }
  return cudaSuccess;
}

/// Runs each launch of it as if it came now. None runs behind one that failed,
/// as the library would have gone no further.
cudaError_t LaunchEngine::runGroupAlone(const LaunchGroup &G) {
  for (const DeferredLaunch &L : G.parts())
    if (cudaError_t Error = runAlone(L, {}))
      return Error;
  return cudaSuccess;
}

/// Runs what the thread's group has, behind what waits.
cudaError_t LaunchEngine::dissolveGroup() {
  const std::shared_ptr<LaunchGroup> G = std::exchange(LaunchGroup::open(), {});
  const cudaError_t Error = Deferred.finish();
  if (G->owner() != this)
    return Error;
  const cudaError_t Running = runGroupAlone(*G);
  return Error ? Error : Running;
}

cudaError_t LaunchEngine::endGroup() {
  const std::shared_ptr<LaunchGroup> G = std::exchange(LaunchGroup::open(), {});
  if (!G || G->parts().empty())
    return cudaSuccess;
  // It has what refers to it, and so lives as long as that.
  struct Member {
    explicit Member(std::shared_ptr<LaunchGroup> Of, LaunchEngine &E)
        : Group(std::move(Of)),
          Work([this, &E](Stream &S) { return E.runGroup(*Group, S); }) {}
    const std::shared_ptr<LaunchGroup> Group;
    const OpaqueOperation::Work Work;
  };
  const auto M = std::make_shared<Member>(G, *this);
  const OpaqueOperation Op(G->operands(), M->Work);
  const LaunchRequest R = Op.request(G->stream());
  double Seconds = 0;
  if (!mayDefer(R, Seconds)) {
    const cudaError_t Error = finishDeferred();
    return Error ? Error : runGroupAlone(*G);
  }
  const TraceScope Scope(TraceScope::nextLaunch());
  return Deferred.add(
      DeferredLaunch(R, [this, M] { return runGroupAlone(*M->Group); }),
      Seconds);
}

} // namespace gridspan
