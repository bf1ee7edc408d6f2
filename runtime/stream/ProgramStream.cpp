//===- ProgramStream.cpp - A stream as the program knows it ---------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// It is enough to wait for the parts of the launch before, P, when the stream
// holds nothing behind it. By induction, P's parts are behind all that the
// stream held before P. A call that had returned when this launch began may
// have enqueued work in any stream after P began. Then that work has been
// counted, and this launch waits for the stream itself. Work that a call
// enqueues which has not returned is not ordered with this launch.
//
// What was written on device 0 is behind P's part there alone, if P's other
// parts write nothing there.
//
// Two events for each device are enough: an event is recorded anew two launches
// later, and waits refer to what was recorded when they were enqueued.
//
//===----------------------------------------------------------------------===//

#include "runtime/stream/ProgramStream.h"
#include <utility>

namespace gridspan {

ProgramStream::ProgramStream(Backend &B, std::unique_ptr<Stream> Main)
    : B(B), Main(std::move(Main)) {}

cudaError_t ProgramStream::makeCompanions(unsigned Devices) {
  while (Companions.size() + 1 < Devices) {
    const int Device = static_cast<int>(Companions.size()) + 1;
    Companion New;
    if (cudaError_t Error =
            B.createStream(Device, StreamKind::NonBlocking, 0, New.Queue))
      return Error;
    if (cudaError_t Error =
            B.createEvent(Device, cudaEventDisableTiming, New.Done))
      return Error;
    Companions.push_back(std::move(New));
  }
  return cudaSuccess;
}

cudaError_t ProgramStream::fork(unsigned Devices) {
  if (!Forked)
    if (cudaError_t Error = B.createEvent(0, cudaEventDisableTiming, Forked))
      return Error;
  if (cudaError_t Error = makeCompanions(Devices))
    return Error;
  if (cudaError_t Error = B.record(*Forked, *Main))
    return Error;
  for (unsigned Device = 1; Device < Devices; ++Device)
    if (cudaError_t Error = B.wait(on(static_cast<int>(Device)), *Forked))
      return Error;
  return cudaSuccess;
}

cudaError_t ProgramStream::join(int Device) {
  Companion &C = Companions[Device - 1];
  cudaError_t Error = B.record(*C.Done, *C.Queue);
  if (!Error)
    Error = B.wait(*Main, *C.Done);
  // What comes next in the stream relies on the order, also after an error.
  if (Error)
    (void)B.synchronize(*C.Queue);
  return Error;
}

//===--- Split launches -------------------------------------------------===//

cudaError_t ProgramStream::makeTileEvents(unsigned Devices) {
  while (TilesDone.size() < Devices) {
    TileEvents New;
    for (std::unique_ptr<Event> &E : New)
      if (cudaError_t Error = B.createEvent(static_cast<int>(TilesDone.size()),
                                            cudaEventDisableTiming, E))
        return Error;
    TilesDone.push_back(std::move(New));
  }
  return cudaSuccess;
}

/// The stream itself has joined them.
cudaError_t ProgramStream::waitForTiles(const SplitLaunch &Before,
                                        unsigned Devices) {
  for (unsigned Device = 1; Device < Devices; ++Device)
    for (unsigned Other = 0; Other < Before.Devices; ++Other)
      if (Other != Device)
        if (cudaError_t Error = B.wait(on(static_cast<int>(Device)),
                                       *TilesDone[Other][Before.Which]))
          return Error;
  return cudaSuccess;
}

cudaError_t ProgramStream::forkTiles(unsigned Devices, bool SeesAllWork) {
  const SplitLaunch Before = std::exchange(Last, {});
  const uint64_t Now = Operations.load(std::memory_order_relaxed);
  Present = {.Devices = Devices,
             .Which = 1 - Before.Which,
             .Marked = SeesAllWork,
             .Began = Now + 1};
  if (cudaError_t Error = makeTileEvents(Devices))
    return Error;
  if (!SeesAllWork || !Before.Devices || Before.Began != Now)
    return fork(Devices);
  if (cudaError_t Error = makeCompanions(Devices))
    return Error;
  Present.FollowsHome = !Before.WritesHome;
  return waitForTiles(Before, Devices);
}

Event *ProgramStream::writtenAtHome() {
  return Present.FollowsHome ? TilesDone[0][1 - Present.Which].get() : nullptr;
}

cudaError_t ProgramStream::endTile(int Device) {
  if (Device == 0 && !Present.Marked)
    return cudaSuccess;
  cudaError_t Error = B.record(*TilesDone[Device][Present.Which], on(Device));
  if (Error) {
    Present.Marked = false;
    if (Device != 0)
      (void)B.synchronize(on(Device));
  }
  return Error;
}

cudaError_t ProgramStream::joinTiles() {
  operated(Work::EndsByItself);
  cudaError_t First = cudaSuccess;
  for (unsigned Device = 1; Device < Present.Devices; ++Device) {
    cudaError_t Error = B.wait(*Main, *TilesDone[Device][Present.Which]);
    // What comes next in the stream relies on the order, also after an error.
    if (Error)
      (void)B.synchronize(on(static_cast<int>(Device)));
    First = First ? First : Error;
  }
  if (!First && Present.Marked)
    Last = Present;
  return First;
}

} // namespace gridspan
