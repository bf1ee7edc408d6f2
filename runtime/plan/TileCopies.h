//===- TileCopies.h - Copies of what tiles cannot reach ---------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where devices have no access to each other's memory, a tile runs on copies of
// what its device cannot reach: what it reads is copied there before, what it
// writes is there behind it. There, unlike anywhere else, results depend
// on the access ranges, so that this is planned only where they are certain;
// else there is a reason.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_PLAN_TILECOPIES_H
#define GRIDSPAN_RUNTIME_PLAN_TILECOPIES_H

#include "runtime/plan/SplitCandidate.h"

namespace gridspan {

/// Adds to each tile of Out, whose accesses are known, the copies that it
/// needs, or sets Out.WhyUnreachable. Does nothing where every device reaches
/// all it touches.
void planTileCopies(const PlanInput &In, const SystemInfo &System,
                    SplitCandidate &Out);

/// Returns the bytes that the tile reads there.
uint64_t bytesIn(const TileCopy &Part);
/// Returns the bytes that it writes.
uint64_t bytesOut(const TileCopy &Part);
/// Returns the bytes of spans, ascending and disjoint, that At lacks.
double bytesLacked(const PlacedAllocation &A, Place At,
                   const std::vector<ByteSpan> &Spans);
/// Returns the bytes of the tile's reads of an allocation that other tiles read
/// as well.
double bytesShared(const SplitCandidate &C, size_t Tile, unsigned Allocation);

/// Returns what may be touched, without the densities.
std::vector<ByteSpan> spansOf(const MayAccess &F);

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_PLAN_TILECOPIES_H
