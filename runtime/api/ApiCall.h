//===- ApiCall.h - What every entry point does around its work --*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Entry points have CUDA's signatures and leave CUDA's traces: what they return
// is what the thread's cudaGetLastError finds, no exception leaves them, and
// nothing works any more after a fault on a device.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_API_APICALL_H
#define GRIDSPAN_RUNTIME_API_APICALL_H

#include "runtime/Runtime.h"
#include "runtime/api/EntryPoints.h"
#include "runtime/api/StreamCapture.h"
#include "runtime/support/UntrackedCode.h"
#include <new>

namespace gridspan {

/// Returns the calling thread's last error, which cudaGetLastError takes.
cudaError_t &lastError();

/// The knowledge that a call may give the program of the kernels that it has
/// launched, by waiting or by its answer. After one that may tell something,
/// the program may touch managed memory that kernels have used
/// (ResidentFrames.h), and launches that waited for others have run
/// (DeferredLaunches.h). Of those that tell nothing, some order work behind
/// launches, which have run then, too; the others neither touch memory nor
/// order work, or have them run themselves.
enum class Tells { Something, OrderOnly, Nothing };

/// Returns true if the calling thread has made a context current that the
/// program has made itself.
bool isInOwnContextOfProgram();

/// Returns true if an address is in memory that Gridspan has allocated.
bool isOwnMemory(const void *Address);

/// Allows calls of the thread although a context of the program is current:
/// they work on memory in Gridspan's contexts.
class PrimaryContextScope {
public:
  PrimaryContextScope();
  ~PrimaryContextScope();
  PrimaryContextScope(const PrimaryContextScope &) = delete;
  PrimaryContextScope &operator=(const PrimaryContextScope &) = delete;
};

/// Returns an error, and says why once, if the calling thread has made a
/// context of its own current, in which the driver cannot work on Gridspan's
/// memory, and no PrimaryContextScope is open.
cudaError_t checkContext(Runtime &R);

/// Runs Work(Runtime &) and stores its error.
template <Tells What = Tells::Something, typename Function>
cudaError_t apiCall(Function &&Work) {
  cudaError_t Error;
  try {
    Runtime &R = Runtime::get();
    Error = R.broken();
    if (!Error && givesDriverWork())
      Error = checkContext(R);
    if (What != Tells::Nothing && !Error)
      Error = R.note(R.launches().finishDeferred());
    if (What == Tells::Something && !Error)
      Error = R.note(R.launches().residency().writeBack());
    if (!Error)
      Error = R.note(Work(R));
  } catch (const std::bad_alloc &) {
    Error = cudaErrorMemoryAllocation;
  } catch (...) {
    Error = cudaErrorUnknown;
  }
  if (Error)
    lastError() = Error;
  return Error;
}

/// Runs Work(Runtime &, ProgramStream &), which only looks at what the stream
/// holds (queries, recorded events), or counts for itself what it enqueues
/// (launches).
template <Tells What = Tells::Something, typename Function>
cudaError_t observingCall(cudaStream_t Handle, DefaultStream Zero,
                          Function &&Work) {
  return apiCall<What>([&](Runtime &R) {
    const Expected<std::shared_ptr<ProgramStream>> S =
        R.streams().find(Handle, Zero);
    return S ? Work(R, **S) : S.error();
  });
}

/// What a call becomes in a stream that the CPU device captures.
enum class CapturedAs {
  Copy,    ///< a node of this kind, whose work is the call's
  Fill,    ///< the same
  Itself,  ///< the call asks itself
  Refused, ///< the host waits, which no graph can do
};

/// Runs Work(Runtime &, ProgramStream &), which enqueues what later work may
/// have to wait for. For nodes of graphs it is copied, with all that it needs.
template <CapturedAs How = CapturedAs::Copy, Tells What = Tells::Something,
          typename Function>
cudaError_t streamCall(cudaStream_t Handle, DefaultStream Zero,
                       Function &&Work) {
  struct CountAtEnd {
    ~CountAtEnd() {
      // Copies and fills end by themselves, behind what comes before.
      ProgramStream::operated(How == CapturedAs::Itself
                                  ? ProgramStream::Work::MayWait
                                  : ProgramStream::Work::EndsByItself);
    }
  };
  return observingCall<What>(Handle, Zero, [&](Runtime &R, ProgramStream &S) {
    if (How != CapturedAs::Itself && StreamCapture::any()) {
      std::optional<cudaError_t> Done;
      if constexpr (How == CapturedAs::Refused)
        Done = StreamCapture::get().refuse(S);
      else if constexpr (How != CapturedAs::Itself)
        Done = captureWork(S,
                           How == CapturedAs::Fill ? cudaGraphNodeTypeMemset
                                                   : cudaGraphNodeTypeMemcpy,
                           GraphWork(Work));
      if (Done)
        return *Done;
    }
    CountAtEnd Count;
    return Work(R, S);
  });
}

/// Writes the result to where the program wants it, or returns its error.
template <typename T> cudaError_t give(Expected<T> Result, T *Out) {
  if (!Result)
    return Result.error();
  *Out = *std::move(Result);
  return cudaSuccess;
}

/// Says once for each What that the CPU device does not support it. Returns
/// cudaErrorNotSupported.
cudaError_t sayUnsupported(const char *What);

/// Returns true if there are GPUs, and so memory that Gridspan did not
/// allocate, which is CUDA's business.
bool hasVendorMemory(Runtime &R);

/// Returns true if the handle is the legacy default stream.
bool isLegacy(cudaStream_t Handle, DefaultStream Zero);

/// Runs Vendor(), which allocates; again if there is no memory, after Gridspan
/// has given back what it only keeps for later.
template <typename VendorFunction>
cudaError_t withRoom(Runtime &R, VendorFunction &&Vendor) {
  const cudaError_t Error = Vendor();
  if (Error != cudaErrorMemoryAllocation)
    return Error;
  R.memory().releaseKept();
  (void)R.backend().vendorError(true);
  return Vendor();
}

/// Runs Vendor() where there are GPUs, else Own(Runtime &). Neither gives work
/// to streams.
template <Tells What = Tells::Nothing, typename VendorFunction,
          typename OwnFunction>
cudaError_t vendorOr(VendorFunction &&Vendor, OwnFunction &&Own) {
  return apiCall<What>([&](Runtime &R) -> cudaError_t {
    return hasVendorMemory(R) ? withRoom(R, Vendor) : Own(R);
  });
}

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_API_APICALL_H
