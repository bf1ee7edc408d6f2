//===- PrivateReductions.h - Private copies of tiles ------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The private copies of one split launch: filled before its tiles, and combined
// behind them. Memory of copies is the allocation's that they are of, and is
// used again by later launches. Guarded by the executor's lock for replicas.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_LAUNCH_PRIVATEREDUCTIONS_H
#define GRIDSPAN_RUNTIME_LAUNCH_PRIVATEREDUCTIONS_H

#include "runtime/launch/Decision.h"
#include "runtime/memory/MemoryManager.h"
#include "runtime/plan/LaunchArguments.h"
#include "runtime/stream/ProgramStream.h"
#include <span>
#include <tuple>

namespace gridspan {

class PrivateReductions {
public:
  /// D lives longer than this.
  PrivateReductions(Backend &B, MemoryManager &Memory, Report &Out,
                    const Decision &D)
      : B(B), Memory(Memory), Out(Out), D(D) {}

  /// Gives the tile its copies, for what is enqueued next on its part of S, and
  /// leads Args there. A copy for which there is no room, or that cannot be
  /// filled, is left out: the memory itself will do.
  void begin(const TilePlan &Tile, LaunchArguments &Args, ProgramStream &S)
      REQUIRES(S.lock());

  bool any() const { return !Used.empty(); }

  /// Combines all copies, behind what S holds. Precondition: S has joined the
  /// tiles.
  cudaError_t combine(ProgramStream &S) REQUIRES(S.lock());

private:
  struct Use {
    const PrivateCopy *What;
    PrivateBuffer *Buffer;
  };

  /// An allocation, its bytes, and how they are combined.
  using Source = std::tuple<unsigned, uint64_t, uint64_t, GridspanReduction>;
  static Source sourceOf(const Use &U);
  PrivateBuffer *find(Allocation &A, int Device, uint64_t Bytes);
  /// Combines copies of the same memory.
  cudaError_t combine(std::span<const Use> Uses, ProgramStream &S)
      REQUIRES(S.lock());

  Backend &B;
  MemoryManager &Memory;
  Report &Out;
  const Decision &D;
  std::vector<Use> Used;
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_LAUNCH_PRIVATEREDUCTIONS_H
