//===- PeerlessCopies.h - Tiles that cannot reach the data ------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where devices have no access to each other's memory, a tile runs on copies of
// what its device cannot reach: what it reads is brought there before, what it
// writes is brought home behind it. There, unlike anywhere else, results depend
// on the access ranges, so that this is planned only where they are certain;
// else there is a reason.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_PLAN_PEERLESSCOPIES_H
#define GRIDSPAN_RUNTIME_PLAN_PEERLESSCOPIES_H

#include "runtime/plan/SplitCandidate.h"

namespace gridspan {

/// Gives each tile of Out, whose footprints are known, its staged parts, or
/// sets Out.WhyUnreachable. Does nothing where every device reaches all it
/// touches.
void planPeerlessCopies(const PlanInput &In, const SystemInfo &System,
                        SplitCandidate &Out);

uint64_t bytesIn(const TileCopy &Part);
uint64_t bytesOut(const TileCopy &Part);

/// What may be touched, without the densities.
std::vector<ByteSpan> spansOf(const MayAccess &F);

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_PLAN_PEERLESSCOPIES_H
