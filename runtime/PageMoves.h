//===- PageMoves.h - Which pages are worth moving ------------- -*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Decides, for one buffer of a launch, which pages should have another home and
// whether it is time to move them.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_PAGEMOVES_H
#define GRIDSPAN_RUNTIME_PAGEMOVES_H

#include "Candidate.h"

namespace gridspan {

/// What stopping all devices to remap pages costs.
constexpr double MoveOverheadSeconds = 2e-4;

/// Adds to Out what the Chosen candidate wants moved of the buffer, and how
/// much of it is misplaced.
void planMoves(const PlanInput &In, const SystemInfo &System,
               const Candidate &Chosen, unsigned Allocation, Plan &Out);

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_PAGEMOVES_H
