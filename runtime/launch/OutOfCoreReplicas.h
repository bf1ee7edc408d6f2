//===- OutOfCoreReplicas.h - Copies of arguments for chunks -----*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes and fills the replicas that an out-of-core plan wants
// (ReplicaPlanner.h). They are the allocations' own (Allocation::Replicas),
// good for one version of the contents, so that launches that follow find them
// filled, out of core or not.
//
// All with the placement held alone and every device idle.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_LAUNCH_OUTOFCOREREPLICAS_H
#define GRIDSPAN_RUNTIME_LAUNCH_OUTOFCOREREPLICAS_H

#include "runtime/launch/Executor.h"
#include "runtime/outofcore/OutOfCorePlan.h"
#include <optional>

namespace gridspan {

class OutOfCoreReplicas {
public:
  using Allocations = std::vector<std::shared_ptr<Allocation>>;

  OutOfCoreReplicas(Backend &B, MemoryManager &Memory, Executor &Exec,
                    Report &Out)
      : B(B), Memory(Memory), Exec(Exec), Out(Out) {}

  /// Makes the buffers that the plan wants, and takes away those of its
  /// allocations that it does not. Returns the allocation for which there is no
  /// room, if any.
  std::optional<unsigned> make(const OutOfCorePlan &Plan,
                               const Allocations &Of);

  /// Fills all of them with the contents of their allocations. Frames of these
  /// are written back.
  cudaError_t fill(const OutOfCorePlan &Plan, const Allocations &Of)
      REQUIRES(PlacementLock::Held);

private:
  cudaError_t fillFrames(Allocation &A, const std::vector<int> &Missing,
                         int Present) REQUIRES(PlacementLock::Held);
  cudaError_t fillFromHost(Allocation &A, const std::vector<int> &Missing)
      REQUIRES(PlacementLock::Held);
  cudaError_t fillPages(Allocation &A, const std::vector<int> &Missing)
      REQUIRES(PlacementLock::Held);
  cudaError_t fillOne(Allocation &A, const std::vector<int> &Devices)
      REQUIRES(PlacementLock::Held);
  cudaError_t copy(Stream &S, std::byte *Dst, const std::byte *Src,
                   uint64_t Bytes);

  Backend &B;
  MemoryManager &Memory;
  Executor &Exec;
  Report &Out;
  std::vector<std::unique_ptr<Stream>> Streams; ///< by device
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_LAUNCH_OUTOFCOREREPLICAS_H
