//===- PeerlessCopies.h - Copies without peer access ------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Copies between devices of which one cannot reach the other's memory go
// through a ring of pinned buffers of the host, so that both links work at
// once. Copies between the host and a device that the stream's device cannot
// reach are done by the device that owns the memory.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_BACKEND_CUDA_PEERLESSCOPIES_H
#define GRIDSPAN_RUNTIME_BACKEND_CUDA_PEERLESSCOPIES_H

#include "runtime/backend/Backend.h"
#include "runtime/backend/cuda/Device.h"
#include "runtime/support/ThreadSafety.h"
#include <functional>
#include <map>
#include <span>

namespace gridspan::cuda {

/// A rectangle of bytes on a device whose rows are Pitch apart.
struct DeviceRows {
  int Device;
  CUdeviceptr At;
  size_t Pitch;
};

/// Thread-safe.
class PeerlessCopies {
public:
  explicit PeerlessCopies(const DeviceList &Devices) : Devices(Devices) {}
  ~PeerlessCopies();
  PeerlessCopies(const PeerlessCopies &) = delete;
  PeerlessCopies &operator=(const PeerlessCopies &) = delete;

  /// Copies asynchronously and in the order of S, which may be of any device.
  /// Behind, if not empty: reads Src behind what these events last recorded,
  /// whatever S holds.
  cudaError_t copy(Stream &S, DeviceRows Dst, DeviceRows Src, size_t Width,
                   size_t Height, std::span<Event *const> Behind = {});

  /// Calls Give with a stream of Device, whose work is in the order of S.
  cudaError_t runOn(int Device, Stream &S,
                    const std::function<cudaError_t(const Stream &)> &Give);

private:
  static constexpr unsigned NumBuffers = 4;
  struct PinnedBuffer {
    void *Memory = nullptr;
    std::unique_ptr<Event> Filled;
    std::unique_ptr<Event> Emptied;
  };
  /// The way from one device to another, in order: buffers are used in turn.
  struct Lane {
    std::unique_ptr<Stream> Source;
    /// For work of streams of other devices.
    std::unique_ptr<Stream> Target;
    std::unique_ptr<Event> End;
    PinnedBuffer Buffers[NumBuffers];
    unsigned Next = 0;
  };

  cudaError_t open(int From, int To, Lane &L) REQUIRES(Lock);
  cudaError_t pass(Lane &L, Stream &Target, DeviceRows Dst, DeviceRows Src,
                   size_t Width, size_t Height) REQUIRES(Lock);
  cudaError_t wait(Stream &S, Event &E);
  cudaError_t record(Event &E, Stream &S);

  const DeviceList &Devices;
  Mutex Lock;
  std::map<std::pair<int, int>, Lane>
      Lanes GUARDED_BY(Lock); ///< by source and target
  std::map<int, std::unique_ptr<Stream>>
      Helpers GUARDED_BY(Lock); ///< by device
};

} // namespace gridspan::cuda

#endif // GRIDSPAN_RUNTIME_BACKEND_CUDA_PEERLESSCOPIES_H
