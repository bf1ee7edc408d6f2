//===- OutOfCoreExecutor.h - Carry out an out-of-core plan ------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs the chunks of a plan with the copies of later and earlier ones beside
// them: on each device one stream that fills frames, one that computes and one
// that saves.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_OUTOFCORE_OUTOFCOREEXECUTOR_H
#define GRIDSPAN_RUNTIME_OUTOFCORE_OUTOFCOREEXECUTOR_H

#include "runtime/outofcore/OutOfCoreFrames.h"
#include "runtime/outofcore/PackedBuffers.h"
#include "runtime/report/Progress.h"
#include "runtime/report/Tracing.h"
#include "runtime/stream/LaunchRequest.h"

namespace gridspan {

class OutOfCoreExecutor {
public:
  /// CopyThreads: those that copy memory that is not pinned yet; 0: none do,
  /// and all that crosses the bus is pinned before.
  OutOfCoreExecutor(Backend &B, Pager &Frames, Progress &Line,
                    unsigned CopyThreads)
      : B(B), Frames(Frames), Line(Line), CopyThreads(CopyThreads) {}

  /// The end of a launch.
  struct Outcome {
    cudaError_t Error = cudaSuccess;
    /// Bytes that were to come to a device but are on the host, for lack of
    /// room.
    uint64_t BytesOnHost = 0;
  };

  /// A launch whose blocks a plan has, and its pointers, by the allocations
  /// that the plan numbers. Those lead to frames whose allocation neither stays
  /// in place nor is packed.
  struct Launch {
    const LaunchRequest &Request;
    const std::vector<PlacedPointer> &Pointers;
    TraceContext Context = TraceContext::current();
  };

  /// An event of device 0 that is recorded when the first After launches have
  /// run.
  struct Record {
    Event &Of;
    size_t After;
  };

  /// Runs the launches, by number of the steps, and waits for them. All are
  /// their allocations, whose replicas the plan wants are filled; Paged are the
  /// allocations that the plan numbers; null where one is not paged. Nothing
  /// that was enqueued uses paged memory any more. On an error, frames that
  /// hold what the host has not stay where they are, but for managed memory's.
  Outcome run(const OutOfCorePlan &Plan, const RingSizes &Rings,
              const std::vector<std::shared_ptr<Allocation>> &All,
              const std::vector<std::shared_ptr<Allocation>> &Paged,
              const std::vector<Launch> &Launches,
              const std::vector<Record> &Records = {})
      REQUIRES(PlacementLock::Held);

private:
  friend class OutOfCoreRun;
  cudaError_t createStreams(unsigned Devices);
  unsigned devicesOf(const OutOfCorePlan &Plan) const;

  Backend &B;
  Pager &Frames;
  Progress &Line;
  const unsigned CopyThreads;
  std::vector<DeviceLanes> Streams; ///< by device
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_OUTOFCORE_OUTOFCOREEXECUTOR_H
