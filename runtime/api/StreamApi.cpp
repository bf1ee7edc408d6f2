//===- StreamApi.cpp - Streams --------------------------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Streams and callbacks. A stream of the program is a ProgramStream; a handle
// that is not known is CUDA's own and is adopted.
//
//===----------------------------------------------------------------------===//

#include "runtime/api/ApiCall.h"
#include "runtime/stream/ProgressWait.h"

using namespace gridspan;

static cudaError_t createStream(cudaStream_t *Out, unsigned Flags,
                                int Priority) {
  return apiCall([=](Runtime &R) {
    if (!Out || (Flags & ~unsigned(cudaStreamNonBlocking)))
      return cudaErrorInvalidValue;
    const StreamKind Kind = Flags & cudaStreamNonBlocking
                                ? StreamKind::NonBlocking
                                : StreamKind::Blocking;
    return give(R.streams().create(Kind, Priority), Out);
  });
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaStreamCreate(cudaStream_t *Out) {
  return createStream(Out, cudaStreamDefault, 0);
}

GRIDSPAN_ENTRY cudaError_t
__gridspan_cudaStreamCreateWithFlags(cudaStream_t *Out, unsigned Flags) {
  return createStream(Out, Flags, 0);
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaStreamCreateWithPriority(
    cudaStream_t *Out, unsigned Flags, int Priority) {
  return createStream(Out, Flags, Priority);
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaStreamDestroy(cudaStream_t Stream) {
  return apiCall([=](Runtime &R) {
    std::shared_ptr<ProgramStream> S = R.streams().remove(Stream);
    if (!S)
      return cudaErrorInvalidResourceHandle;
    if (StreamCapture::any())
      StreamCapture::get().forget(*S);
    R.memory().forget(S->main());
    return cudaSuccess;
  });
}

static cudaError_t synchronize(cudaStream_t Stream, DefaultStream Zero) {
  return observingCall(Stream, Zero, [](Runtime &R, ProgramStream &S) {
    if (StreamCapture::any())
      if (const auto Refused = StreamCapture::get().refuse(S))
        return *Refused;
    R.memory().noteHostSync();
    waitWithProgress(R.backend(), R.progress(), S);
    return R.backend().synchronize(S.main());
  });
}

static cudaError_t query(cudaStream_t Stream, DefaultStream Zero) {
  return observingCall(Stream, Zero, [](Runtime &R, ProgramStream &S) {
    if (StreamCapture::any())
      if (const auto Refused = StreamCapture::get().refuse(S))
        return *Refused;
    R.memory().noteHostSync();
    return R.backend().query(S.main());
  });
}

/// The stream waits, not the host.
static cudaError_t waitEvent(cudaStream_t Stream, cudaEvent_t Event,
                             unsigned Flags, DefaultStream Zero) {
  return streamCall<CapturedAs::Itself, Tells::OrderOnly>(
      Stream, Zero, [=](Runtime &R, ProgramStream &S) {
        if (Flags & ~unsigned(cudaEventWaitExternal))
          return cudaErrorInvalidValue;
        const Expected<std::shared_ptr<gridspan::Event>> E = R.findEvent(Event);
        if (!E)
          return E.error();
        if (StreamCapture::any()) {
          StreamCapture &Captures = StreamCapture::get();
          if (const auto Done = Flags & cudaEventWaitExternal
                                    ? Captures.add(S, waitTask(Event))
                                    : Captures.wait(S, **E))
            return *Done;
        }
        MutexLock Order(S.lock());
        return R.backend().wait(S.main(), **E);
      });
}

static cudaError_t launchHostFunc(cudaStream_t Stream, cudaHostFn_t Function,
                                  void *Data, DefaultStream Zero) {
  return streamCall<CapturedAs::Itself>(
      Stream, Zero, [=](Runtime &R, ProgramStream &S) {
        if (!Function)
          return cudaErrorInvalidValue;
        if (StreamCapture::any())
          if (const auto Done =
                  StreamCapture::get().add(S, hostTask({Function, Data})))
            return *Done;
        MutexLock Order(S.lock());
        return R.backend().hostFunction(S.main(), [=] { Function(Data); });
      });
}

static cudaError_t addCallback(cudaStream_t Stream,
                               cudaStreamCallback_t Callback, void *Data,
                               unsigned Flags, DefaultStream Zero) {
  return streamCall<CapturedAs::Refused>(
      Stream, Zero, [=](Runtime &R, ProgramStream &S) {
        if (!Callback || Flags != 0)
          return cudaErrorInvalidValue;
        MutexLock Order(S.lock());
        ProgramStream::operated(); // it may wait for the program
        return R.backend().hostFunction(
            S.main(), [=] { Callback(Stream, cudaSuccess, Data); });
      });
}

#define GRIDSPAN_STREAMS(Suffix, Zero)                                         \
  GRIDSPAN_ENTRY cudaError_t __gridspan_cudaStreamSynchronize##Suffix(         \
      cudaStream_t Stream) {                                                   \
    return synchronize(Stream, Zero);                                          \
  }                                                                            \
  GRIDSPAN_ENTRY cudaError_t __gridspan_cudaStreamQuery##Suffix(               \
      cudaStream_t Stream) {                                                   \
    return query(Stream, Zero);                                                \
  }                                                                            \
  GRIDSPAN_ENTRY cudaError_t __gridspan_cudaStreamWaitEvent##Suffix(           \
      cudaStream_t Stream, cudaEvent_t Event, unsigned Flags) {                \
    return waitEvent(Stream, Event, Flags, Zero);                              \
  }                                                                            \
  GRIDSPAN_ENTRY cudaError_t __gridspan_cudaLaunchHostFunc##Suffix(            \
      cudaStream_t Stream, cudaHostFn_t Function, void *Data) {                \
    return launchHostFunc(Stream, Function, Data, Zero);                       \
  }                                                                            \
  GRIDSPAN_ENTRY cudaError_t __gridspan_cudaStreamAddCallback##Suffix(         \
      cudaStream_t Stream, cudaStreamCallback_t Callback, void *Data,          \
      unsigned Flags) {                                                        \
    return addCallback(Stream, Callback, Data, Flags, Zero);                   \
  }

GRIDSPAN_STREAMS(, DefaultStream::Legacy)
GRIDSPAN_STREAMS(_ptsz, DefaultStream::PerThread)
