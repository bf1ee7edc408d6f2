//===- BackgroundPins.cpp - Memory pinned beside other work ---------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Frames are pinned by batches, which several threads share (Pager::pin).
//
//===----------------------------------------------------------------------===//

#include "runtime/memory/BackgroundPins.h"
#include "runtime/report/Tracing.h"
#include "runtime/support/SignalsBlocked.h"
#include <algorithm>
#include <system_error>

namespace gridspan {

/// Enough for several threads, and little beside what the bus has to do.
static constexpr uint64_t BatchBytes = uint64_t(256) << 20;

BackgroundPins::BackgroundPins(Backend &B, Pager &Frames,
                               std::vector<Pager::FrameOf> Wanted)
    : B(B), Frames(Frames), Order(std::move(Wanted)), Pinned(Order.size()) {
  const SignalsBlocked Scope;
  try {
    // What the pins are for is known to the calling thread.
    Thread = std::thread([this, Context = TraceContext::current()] {
      const TraceScope Pinning(Context);
      run();
    });
  } catch (const std::system_error &) {
    run();
  }
}

BackgroundPins::~BackgroundPins() { join(); }

void BackgroundPins::pin(size_t First, size_t Last) {
  const std::vector<cudaError_t> Errors =
      Pager::pin(B, std::span(Order).subspan(First, Last - First));
  MutexLock Guard(Lock);
  for (size_t I = First; I < Last; ++I) {
    Pinned[I] = !Errors[I - First];
    Error = Error ? Error : Errors[I - First];
  }
  Done = Last;
  Changed.notify_all();
}

void BackgroundPins::run() {
  for (size_t First = 0, Last; First < Order.size(); First = Last) {
    uint64_t Bytes = 0;
    for (Last = First;
         Last < Order.size() && (Last == First || Bytes < BatchBytes); ++Last)
      Bytes += frame(Last).Bytes;
    {
      MutexLock Guard(Lock);
      if (Stopping || Error)
        break;
    }
    try {
      pin(First, Last);
    } catch (const std::bad_alloc &) {
      MutexLock Guard(Lock);
      Error = cudaErrorMemoryAllocation;
    }
  }
  MutexLock Guard(Lock);
  Done = Order.size();
  Changed.notify_all();
}

/// Tells the pager of the frames before number Last that are pinned.
void BackgroundPins::notePinned(size_t Last) {
  for (; Noted < Last; ++Noted)
    if (Pinned[Noted])
      Frames.noteReady(*Order[Noted].Of, frame(Noted));
}

cudaError_t BackgroundPins::waitFor(size_t Count) {
  MutexLock Guard(Lock);
  while (Done < Count && !Error)
    Guard.wait(Changed);
  notePinned(std::min(Count, Done));
  return Error;
}

void BackgroundPins::join() {
  {
    MutexLock Guard(Lock);
    Stopping = true;
  }
  if (Thread.joinable())
    Thread.join();
}

void BackgroundPins::finish() {
  join();
  MutexLock Guard(Lock);
  notePinned(Order.size());
}

} // namespace gridspan
