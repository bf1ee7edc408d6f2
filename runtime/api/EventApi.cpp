//===- EventApi.cpp - Events ----------------------------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Events live in device 0's streams, which all parts of a split launch join: an
// event behind it is behind all parts.
//
// To make, record and destroy events tells the program nothing of its kernels,
// so that loops of which each step is timed run as others do. Waiting for an
// event, and asking for it or for its time, tells.
//
//===----------------------------------------------------------------------===//

#include "runtime/api/ApiCall.h"

using namespace gridspan;

static constexpr unsigned EventFlags =
    cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess;

static cudaError_t createEvent(cudaEvent_t *Out, unsigned Flags) {
  return apiCall<Tells::Nothing>([=](Runtime &R) {
    if (!Out || (Flags & ~EventFlags))
      return cudaErrorInvalidValue;
    if ((Flags & cudaEventInterprocess) && !(Flags & cudaEventDisableTiming))
      return cudaErrorInvalidValue;
    std::unique_ptr<Event> E;
    if (cudaError_t Error = R.backend().createEvent(0, Flags, E))
      return Error;
    if (Flags & cudaEventInterprocess)
      R.noteSharedEvent();
    *Out = E->native();
    R.events().insert(*Out, std::move(E));
    return cudaSuccess;
  });
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaEventCreate(cudaEvent_t *Out) {
  return createEvent(Out, cudaEventDefault);
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaEventCreateWithFlags(cudaEvent_t *Out,
                                                               unsigned Flags) {
  return createEvent(Out, Flags);
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaEventDestroy(cudaEvent_t Event) {
  return apiCall<Tells::Nothing>([=](Runtime &R) {
    const auto E = R.events().remove(Event);
    if (!E)
      return cudaErrorInvalidResourceHandle;
    if (StreamCapture::any())
      StreamCapture::get().forget(*E);
    return cudaSuccess;
  });
}

/// Runs Work(Runtime &, Event &) on the program's event.
template <typename Function>
static cudaError_t eventCall(cudaEvent_t Handle, Function &&Work) {
  return apiCall([&](Runtime &R) {
    const Expected<std::shared_ptr<Event>> E = R.findEvent(Handle);
    if (!E)
      return E.error();
    if (StreamCapture::any() && StreamCapture::get().isCaptured(**E))
      return cudaErrorCapturedEvent;
    return Work(R, **E);
  });
}

/// Recording tells the program nothing: waiting for the event, or asking for
/// it, does.
static cudaError_t record(cudaEvent_t Handle, cudaStream_t Stream,
                          DefaultStream Zero) {
  return observingCall<Tells::Nothing>(
      Stream, Zero, [=](Runtime &R, ProgramStream &S) {
        if (!R.events().find(Handle))
          R.noteSharedEvent(); // whoever has made it
        const Expected<std::shared_ptr<Event>> E = R.findEvent(Handle);
        if (!E)
          return E.error();
        if (StreamCapture::any())
          if (const auto Done = StreamCapture::get().record(**E, S))
            return *Done;
        if (R.hasSharedEvents()) {
          if (cudaError_t Error = R.launches().finishDeferred())
            return Error;
          if (cudaError_t Error = R.launches().residency().writeBack())
            return Error;
        }
        if (const auto Done = R.launches().recordDeferred(*E, S))
          return *Done;
        MutexLock Order(S.lock());
        return R.backend().record(**E, S.main());
      });
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaEventRecord(cudaEvent_t Event,
                                                      cudaStream_t Stream) {
  return record(Event, Stream, DefaultStream::Legacy);
}

GRIDSPAN_ENTRY cudaError_t
__gridspan_cudaEventRecord_ptsz(cudaEvent_t Event, cudaStream_t Stream) {
  return record(Event, Stream, DefaultStream::PerThread);
}

/// An external record in a capture is a node of its own.
static cudaError_t recordWithFlags(cudaEvent_t Handle, cudaStream_t Stream,
                                   unsigned Flags, DefaultStream Zero) {
  if (Flags & ~unsigned(cudaEventRecordExternal))
    return lastError() = cudaErrorInvalidValue;
  if (!(Flags & cudaEventRecordExternal))
    return record(Handle, Stream, Zero);
  return observingCall(Stream, Zero, [=](Runtime &R, ProgramStream &S) {
    if (hasVendorMemory(R)) {
      MutexLock Order(S.lock());
      return cudaEventRecordWithFlags(Handle, S.main().native(), Flags);
    }
    if (StreamCapture::any())
      if (const auto Done = StreamCapture::get().add(S, recordTask(Handle)))
        return *Done;
    return recordTask(Handle).Work(R, S);
  });
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaEventRecordWithFlags(
    cudaEvent_t Event, cudaStream_t Stream, unsigned Flags) {
  return recordWithFlags(Event, Stream, Flags, DefaultStream::Legacy);
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaEventRecordWithFlags_ptsz(
    cudaEvent_t Event, cudaStream_t Stream, unsigned Flags) {
  return recordWithFlags(Event, Stream, Flags, DefaultStream::PerThread);
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaEventSynchronize(cudaEvent_t Handle) {
  return eventCall(Handle, [](Runtime &R, Event &E) {
    R.memory().noteHostSync();
    return R.backend().synchronize(E);
  });
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaEventQuery(cudaEvent_t Handle) {
  return eventCall(Handle, [](Runtime &R, Event &E) {
    R.memory().noteHostSync();
    return R.backend().query(E);
  });
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaEventElapsedTime(float *Ms,
                                                           cudaEvent_t Start,
                                                           cudaEvent_t End) {
  return eventCall(Start, [=](Runtime &R, Event &From) {
    const Expected<std::shared_ptr<Event>> To = R.findEvent(End);
    if (!To)
      return To.error();
    if (!Ms)
      return cudaErrorInvalidValue;
    return R.backend().elapsed(From, **To, *Ms);
  });
}
