//===- LibraryApi.cpp - Around calls of libraries -------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The calls that compiled code makes around calls of libraries
// (LibraryCalls.h).
//
// And whether a call of CUB or Thrust becomes a primitive. It does if some of
// its memory is paged, or has several homes: the library's kernels wait for
// each other's blocks, so that they run on one device, with what is elsewhere
// at the other end of a bus. Both ways give the same results, so that it does
// not matter where pages go between the question and the call. Calls that a
// stream captures stay as they are, since primitives wait.
//
//===----------------------------------------------------------------------===//

#include "gridspan/calls/TakenCalls.h"
#include "runtime/api/ApiCall.h"
#include "runtime/launch/LibraryCalls.h"
#include <span>

using namespace gridspan;

void __gridspan_before_library_call(void *const *Pointers, unsigned Count) {
  Runtime *R = Runtime::existing();
  if (!R)
    return Executor::enterLibrary(nullptr);
  try {
    if (!R->broken()) {
      (void)R->launches().residency().writeBack();
      R->launches().beforeLibraryCall(Pointers, Count);
    }
  } catch (...) {
    // The call is as right without.
  }
  Executor::enterLibrary(&R->memory());
}

void __gridspan_after_library_call() { Executor::leaveLibrary(); }

//===--- Calls that become primitives -----------------------------------===//

// The name by which the runtime of the process is found (OneRuntime.h).
GRIDSPAN_ENTRY int
__gridspan_takes_call(const char *Function, unsigned WhyNot,
                      const GridspanCallMemory *Memory, unsigned Count,
                      cudaStream_t Stream) __asm__("__gridspan_own_takes_call");

/// Returns true if devices do not hold the bytes of A from Lo on, or several
/// do.
static bool isLarge(const Allocation &A, uint64_t Lo, uint64_t Bytes)
    REQUIRES_SHARED(PlacementLock::Held) {
  if (A.Paged)
    return true;
  const uint64_t Hi = Bytes ? std::min(A.bytes(), Lo + Bytes) : A.bytes();
  std::optional<Location> Home;
  bool IsApart = false;
  A.Homes.forRuns(Lo, Hi, [&](const PageHomes::Run &R) {
    IsApart |= R.Where == Host || R.Where != Home.value_or(R.Where);
    Home = R.Where;
  });
  return IsApart;
}

static bool anyLarge(Runtime &R, std::span<const GridspanCallMemory> Memory) {
  const PlacementReader Guard(R.memory().placementLock());
  for (const GridspanCallMemory &M : Memory)
    if (const Allocation *A = R.memory().peek(M.Address))
      if (isLarge(*A,
                  static_cast<uint64_t>(
                      static_cast<const std::byte *>(M.Address) - A->base()),
                  M.Bytes))
        return true;
  return false;
}

/// Returns true if the stream is being captured, or nobody may ask now.
static bool isCaptured(cudaStream_t Stream) {
  cudaStreamCaptureStatus Status = cudaStreamCaptureStatusNone;
  return __gridspan_cudaStreamIsCapturing(Stream, &Status) ||
         Status != cudaStreamCaptureStatusNone;
}

int __gridspan_takes_call(const char *Function, unsigned WhyNot,
                          const GridspanCallMemory *Memory, unsigned Count,
                          cudaStream_t Stream) {
  bool IsLarge = false, IsOff = false;
  const cudaError_t Looking = apiCall<Tells::Nothing>([&](Runtime &R) {
    IsLarge = anyLarge(R, {Memory, Count});
    IsOff = !R.settings().TakesCalls;
    return cudaSuccess;
  });
  if (Looking || !IsLarge)
    return 0;
  auto Why = static_cast<GridspanCallReason>(WhyNot);
  if (IsOff)
    Why = GridspanCallSwitchedOff;
  else if (!Why && isCaptured(Stream))
    Why = GridspanCallCapturing;
  const cudaError_t Counting = apiCall<Tells::Nothing>([&](Runtime &R) {
    R.report().calls().count(Function, Why);
    return cudaSuccess;
  });
  return !Counting && !Why;
}
