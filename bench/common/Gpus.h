//===- Gpus.h - Several GPUs, by hand ---------------------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Common parts of the hand-written programs: peer access everywhere, a stream
// on each GPU, and contiguous shares of equal size. A share is a multiple of
// Unit, so that no block of threads works for two GPUs.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_BENCH_COMMON_GPUS_H
#define GRIDSPAN_BENCH_COMMON_GPUS_H

#include "bench/common/DeviceData.h"

constexpr int MaxGpus = 16;

class Gpus {
public:
  Gpus() {
    CHECK(cudaGetDeviceCount(&Count));
    Count = std::min(Count, MaxGpus);
    for (int I = 0; I < Count; ++I) {
      CHECK(cudaSetDevice(I));
      for (int J = 0; J < Count; ++J)
        if (I != J)
          CHECK(cudaDeviceEnablePeerAccess(J, 0));
      CHECK(cudaStreamCreateWithFlags(&Streams[I], cudaStreamNonBlocking));
    }
  }

  int count() const { return Count; }
  cudaStream_t stream(int I) const { return Streams[I]; }

  /// Returns the begin of GPU I's share of N things; that of count() is the
  /// end.
  size_t begin(int I, size_t N, size_t Unit = 1) const {
    size_t Units = (N + Unit - 1) / Unit;
    return std::min(N, Units * I / Count * Unit);
  }
  size_t size(int I, size_t N, size_t Unit = 1) const {
    return begin(I + 1, N, Unit) - begin(I, N, Unit);
  }

  /// Calls Fn(I) with GPU I current.
  template <class Fn> void each(Fn F) const {
    for (int I = 0; I < Count; ++I) {
      CHECK(cudaSetDevice(I));
      F(I);
    }
  }
  void synchronize() const {
    each([](int) { CHECK(cudaDeviceSynchronize()); });
  }

private:
  int Count = 0;
  cudaStream_t Streams[MaxGpus] = {};
};

#endif // GRIDSPAN_BENCH_COMMON_GPUS_H
