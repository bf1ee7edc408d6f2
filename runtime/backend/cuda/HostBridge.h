//===- HostBridge.h - Copies between GPUs that are no peers -----*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Copies between devices of which one cannot reach the other's memory go
// through pinned host memory, in slots, so that both links work at once. Copies
// between the host and a device that the stream's device cannot reach are done
// by the device that owns the memory.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_BACKEND_CUDA_HOSTBRIDGE_H
#define GRIDSPAN_RUNTIME_BACKEND_CUDA_HOSTBRIDGE_H

#include "runtime/backend/Backend.h"
#include "runtime/backend/cuda/Device.h"
#include "runtime/support/ThreadSafety.h"
#include <functional>
#include <map>

namespace gridspan::cuda {

/// A rectangle of bytes on a device; rows are Pitch apart.
struct DeviceRows {
  int Device;
  CUdeviceptr At;
  size_t Pitch;
};

/// Thread-safe.
class HostBridge {
public:
  explicit HostBridge(const DeviceList &Devices) : Devices(Devices) {}
  ~HostBridge();
  HostBridge(const HostBridge &) = delete;
  HostBridge &operator=(const HostBridge &) = delete;

  /// Asynchronous and in the order of S, which may be of any device.
  cudaError_t copy(Stream &S, DeviceRows Dst, DeviceRows Src, size_t Width,
                   size_t Height);

  /// Has Give enqueue work in a stream of Device, in the order of S.
  cudaError_t runOn(int Device, Stream &S,
                    const std::function<cudaError_t(const Stream &)> &Give);

private:
  static constexpr unsigned NumSlots = 4;
  struct Slot {
    void *Memory = nullptr;
    std::unique_ptr<Event> Filled;
    std::unique_ptr<Event> Emptied;
  };
  /// From one device to another. In order, so that slots are used in turn.
  struct Lane {
    std::unique_ptr<Stream> Source;
    std::unique_ptr<Stream> Target;
    std::unique_ptr<Event> End;
    Slot Slots[NumSlots];
    unsigned Next = 0;
  };

  cudaError_t open(int From, int To, Lane &L);
  cudaError_t pass(Lane &L, DeviceRows Dst, DeviceRows Src, size_t Width,
                   size_t Height);
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

#endif // GRIDSPAN_RUNTIME_BACKEND_CUDA_HOSTBRIDGE_H
