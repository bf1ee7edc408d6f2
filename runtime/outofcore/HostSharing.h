//===- HostSharing.h - Frames that the host may write meanwhile -*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// While a kernel runs, the host may write every byte of managed memory that the
// kernel does not access. A frame that holds such bytes beside some that the
// launch writes cannot be saved whole: what the host wrote since it was loaded
// would be lost. Pure.
//
// Of such frames what the launch writes is saved, and nothing else. Where it
// surely writes all that it may write, that is exact. Where it may write bytes
// that it does not surely write, they may be saved if it surely accesses them,
// as the host leaves those alone. Otherwise the argument stays on the host.
//
// Frames of which kernels surely access all bytes are saved whole, and frames
// that hold what earlier launches wrote are such (ResidentFrames.h).
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_OUTOFCORE_HOSTSHARING_H
#define GRIDSPAN_RUNTIME_OUTOFCORE_HOSTSHARING_H

#include "runtime/memory/PagedView.h"
#include "runtime/plan/MustAccess.h"
#include "runtime/plan/PlanInput.h"
#include <vector>

namespace gridspan {

/// The part of an allocation that is saved of frames that the host shares.
struct HostSharing {
  /// By frame; none: the host shares no frame.
  std::vector<bool> Shares;
  /// What launches write. They may overlap.
  std::vector<MustAccess::Rows> Written;
};

/// Bytes of an allocation that one copy saves: Rows of Bytes bytes, Pitch
/// apart.
struct SavedRows {
  uint64_t At;
  uint64_t Bytes;
  uint64_t Pitch;
  uint64_t Rows;
  bool operator==(const SavedRows &) const = default;
};

/// Returns true if what the launch writes of frames that the host may write too
/// cannot be told apart from what the host writes, or only in small pieces.
bool mayLoseHostWrites(const PlanInput &In, unsigned Allocation,
                       const PagedView &View);

/// Returns what launches, for none of which mayLoseHostWrites(), write of the
/// frames that the host shares.
HostSharing hostSharing(const std::vector<const PlanInput *> &Launches,
                        unsigned Allocation, const PagedView &View);

/// Returns the copies that save what is written of bytes [Lo, Hi).
std::vector<SavedRows> rowsWithin(const HostSharing &S, uint64_t Lo,
                                  uint64_t Hi);

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_OUTOFCORE_HOSTSHARING_H
