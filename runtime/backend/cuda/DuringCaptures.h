//===- DuringCaptures.h - Own calls while streams capture -------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// While a stream is captured, CUDA refuses calls that the program's graph could
// depend on without showing it (CUDA Runtime API, cudaStreamCaptureMode). What
// Gridspan makes for itself meanwhile, such as streams, events and loaded
// kernels, belongs into no graph, and what it asks or waits for is its own
// affair: refused, it would spoil the capture.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_BACKEND_CUDA_DURINGCAPTURES_H
#define GRIDSPAN_RUNTIME_BACKEND_CUDA_DURINGCAPTURES_H

#include "runtime/backend/cuda/Driver.h"

namespace gridspan::cuda {

/// Lets the thread make such calls for a scope.
class DuringCaptures {
public:
  explicit DuringCaptures(const Driver &D) : D(D) {
    D.cuThreadExchangeStreamCaptureMode(&Mode);
  }
  ~DuringCaptures() { D.cuThreadExchangeStreamCaptureMode(&Mode); }
  DuringCaptures(const DuringCaptures &) = delete;
  DuringCaptures &operator=(const DuringCaptures &) = delete;

private:
  const Driver &D;
  CUstreamCaptureMode Mode = CU_STREAM_CAPTURE_MODE_RELAXED;
};

} // namespace gridspan::cuda

#endif // GRIDSPAN_RUNTIME_BACKEND_CUDA_DURINGCAPTURES_H
