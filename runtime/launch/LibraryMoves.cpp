//===- LibraryMoves.cpp - Moves for what libraries are about to read ------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of LaunchEngine for calls of libraries (LibraryCalls.h). A call is
// planned as the launch of a kernel on device 0 that reads all that its
// pointers lead to. What it would gain by a move is added up over calls, and
// pays for the move in the end (PageMigration.cpp).
//
//===----------------------------------------------------------------------===//

#include "runtime/launch/LaunchEngine.h"
#include "runtime/launch/LibraryCalls.h"
#include "runtime/plan/Planner.h"

namespace gridspan {

/// Returns true if Pointer leads to memory that might better be on device 0.
bool LaunchEngine::isMisplaced(const void *Pointer) const {
  const Allocation *A = Memory.peek(Pointer);
  if (!A || !A->isMovable())
    return false;
  bool Elsewhere = false;
  A->Homes.forRuns(0, A->bytes(), [&](const PageHomes::Run &Run) {
    Elsewhere |= Run.Where != 0;
  });
  return Elsewhere;
}

void LaunchEngine::beforeLibraryCall(void *const *Pointers, unsigned Count) {
  // What they return comes again with the next call.
  (void)finishDeferred();
  // Libraries have streams that are not known here.
  Memory.owned().noteUser();
  if (Memory.owned().any()) {
    const PlacementReader Placement(Memory.placementLock());
    (void)Memory.owned().bringNow(Memory.all());
  }
  if (!Decider.hasPeers() || Decider.schedule() == Schedule::Single)
    return;
  void *Misplaced[NumLibraryPointers] = {};
  void *Args[NumLibraryPointers];
  for (unsigned I = 0; I != NumLibraryPointers; ++I)
    Args[I] = &Misplaced[I];
  PlacementReader Placement(Memory.placementLock());
  unsigned NumMisplaced = 0;
  for (unsigned I = 0; I < Count && NumMisplaced < NumLibraryPointers; ++I)
    if (isMisplaced(Pointers[I]))
      Misplaced[NumMisplaced++] = Pointers[I];
  if (NumMisplaced == 0)
    return;
  Decision D;
  D.Epoch = Memory.epoch();
  const LaunchShape OneThread = {{1}, {1}};
  const PlanInput In = Decider.describe(LibraryKernel, OneThread, Args, D);
  D.LaunchPlan = planLaunch(In, B.system(), Decider.schedule());
  for (size_t A = 0, E = D.Allocations.size(); A != E; ++A)
    D.Allocations[A]->addMisplaced(D.LaunchPlan.Effects[A].Misplaced);
  Placement.unlock();
  if (D.LaunchPlan.Moves.empty())
    return;
  if (const Expected<std::shared_ptr<ProgramStream>> S =
          Streams.find(nullptr, DefaultStream::Legacy))
    Exec.move(D, (*S)->main());
}

} // namespace gridspan
