//===- WarpOps.h - Exchanges between the lanes of a warp --------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The results of shuffles, votes, matches and reductions as pure functions of
// the lanes' contributions. Semantics: PTX ISA, sections shfl.sync, vote.sync,
// match.sync and redux.sync.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_BACKEND_CPU_WARPOPS_H
#define GRIDSPAN_RUNTIME_BACKEND_CPU_WARPOPS_H

#include "gridspan/CpuCodes.h"
#include "gridspan/WarpSize.h"
#include <array>
#include <cstdint>

namespace gridspan {

enum class WarpOp : uint8_t {
  Sync,
  Shuffle,
  Vote,
  MatchAny,
  MatchAll,
  Reduce,
  Multiply,
  ActiveMask,
};

/// The contribution of a lane, and the operation that it takes part in.
struct LaneRequest {
  WarpOp Op = WarpOp::Sync;
  uint32_t Code = 0; ///< WarpShuffle, WarpVote, WarpReduction, MatrixProduct
  uint32_t Mask = 0;
  uint64_t Value = 0;         ///< the address of the fragments of a Multiply
  uint32_t Lane = 0;          ///< operand b of a shuffle
  uint32_t Clamp = 0;         ///< operand c of a shuffle
  const void *Site = nullptr; ///< of an ActiveMask

  /// Returns true if both are the same operation.
  bool isAlike(const LaneRequest &Other) const {
    return Op == Other.Op && Code == Other.Code && Site == Other.Site;
  }
  /// Returns true if both are the same operation of the same lanes.
  bool matches(const LaneRequest &Other) const {
    return isAlike(Other) && Mask == Other.Mask;
  }
};

using LaneRequests = std::array<const LaneRequest *, WarpSize>;
using LaneResults = std::array<uint64_t, WarpSize>;

/// Returns the result of each lane that takes part, with its predicate in the
/// upper half; writes the fragments of products. Requests is null for other
/// lanes. Precondition: all others are alike.
LaneResults evaluateWarpOp(const LaneRequests &Requests);

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_BACKEND_CPU_WARPOPS_H
