//===- GraphApi.cpp - Stream capture and graphs ---------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// On GPUs they are CUDA's. A graph that runs writes what nobody counts, so that
// no replica is good after it.
//
//===----------------------------------------------------------------------===//

#include "runtime/api/ApiCall.h"
#include "runtime/memory/ManagedVariables.h"
#include <fmt/format.h>

using namespace gridspan;

static cudaError_t beginCapture(cudaStream_t Stream, cudaStreamCaptureMode Mode,
                                DefaultStream Zero) {
  return streamCall(Stream, Zero, [=](Runtime &R, ProgramStream &S) {
    // While a stream captures, nothing may be allocated.
    if (cudaError_t Error =
            ManagedVariables::get().install(R.backend(), R.memory()))
      return Error;
    if (hasVendorMemory(R))
      return cudaStreamBeginCapture(S.main().native(), Mode);
    static std::once_flag Said;
    std::call_once(Said, [] {
      fmt::print(stderr, "gridspan: the CPU device does not support stream "
                         "capture (cudaStreamBeginCapture)\n");
    });
    return cudaErrorNotSupported;
  });
}

static cudaError_t launchGraph(cudaGraphExec_t Graph, cudaStream_t Stream,
                               DefaultStream Zero) {
  return streamCall(Stream, Zero, [=](Runtime &R, ProgramStream &S) {
    if (!hasVendorMemory(R))
      return cudaErrorNotSupported;
    if (cudaError_t Error =
            ManagedVariables::get().install(R.backend(), R.memory()))
      return Error;
    // What a graph touches is not known.
    PlacementReader Placement(R.memory().placementLock());
    if (cudaError_t Error = R.memory().accessEverything(true))
      return Error;
    MutexLock Order(S.lock());
    cudaError_t Error = cudaGraphLaunch(Graph, S.main().native());
    R.launches().executor().anythingWritten();
    return Error;
  });
}

#define GRIDSPAN_GRAPHS(Suffix, Zero)                                          \
  GRIDSPAN_ENTRY cudaError_t __gridspan_cudaStreamBeginCapture##Suffix(        \
      cudaStream_t Stream, cudaStreamCaptureMode Mode) {                       \
    return beginCapture(Stream, Mode, Zero);                                   \
  }                                                                            \
  GRIDSPAN_ENTRY cudaError_t __gridspan_cudaGraphLaunch##Suffix(               \
      cudaGraphExec_t Graph, cudaStream_t Stream) {                            \
    return launchGraph(Graph, Stream, Zero);                                   \
  }

GRIDSPAN_GRAPHS(, DefaultStream::Legacy)
GRIDSPAN_GRAPHS(_ptsz, DefaultStream::PerThread)
