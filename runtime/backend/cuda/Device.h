//===- Device.h - A GPU and its primary context -----------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Gridspan works in the primary contexts, which the CUDA runtime and its
// libraries use too: streams, memory and kernels are the same objects for all.
// A context takes long to make, so that it may be made later than the device is
// found (LateDevices.h); whoever asks for it then waits.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_BACKEND_CUDA_DEVICE_H
#define GRIDSPAN_RUNTIME_BACKEND_CUDA_DEVICE_H

#include "runtime/backend/cuda/Driver.h"
#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <vector>

namespace gridspan::cuda {

class LateDevices;

class Device {
public:
  /// Finds the GPU with this CUDA ordinal. Returns null and sets Message when
  /// it is missing or lacks a needed feature.
  static std::unique_ptr<Device> find(const Driver &D, int Ordinal,
                                      std::string &Message);
  /// Retains its context. Returns false and sets Message when it is busy.
  bool open(std::string &Message);
  ~Device();
  Device(const Device &) = delete;
  Device &operator=(const Device &) = delete;

  const Driver &driver() const { return D; }
  int ordinal() const { return Ordinal; }
  CUdevice handle() const { return Handle; }
  /// Returns the context; waits until it is made.
  CUcontext context() const {
    CUcontext Known = Context.load(std::memory_order_acquire);
    return Known ? Known : contextWhenOpened();
  }
  /// Returns the device's own context; null as long as there is none.
  CUcontext ownContext() const { return Retained; }
  /// Returns true if context() does not wait.
  bool isOpen() const { return Context.load(std::memory_order_acquire); }
  /// Returns true if its context could not be made: another one stands for it.
  bool isReplaced() const { return Replaced.load(std::memory_order_relaxed); }

  /// Returns an attribute's value, 0 when the driver does not know it.
  int attribute(CUdevice_attribute Attribute) const;
  std::string name() const;
  std::string uuid() const;
  std::array<std::byte, 16> uuidBytes() const;
  /// Returns the nearest node of the host's memory.
  int hostNode() const;

private:
  friend class LateDevices;
  Device(const Driver &D, int Ordinal, CUdevice Handle)
      : D(D), Ordinal(Ordinal), Handle(Handle) {}
  CUresult retain();
  CUcontext contextWhenOpened() const;

  const Driver &D;
  int Ordinal;
  CUdevice Handle;
  CUcontext Retained = nullptr; ///< its own
  std::atomic<CUcontext> Context{nullptr};
  std::atomic<bool> Replaced{false};
  LateDevices *OpenedBy = nullptr; ///< if that comes later
};

/// Returns true if both are one GPU, which may stand for several devices.
inline bool isSameGpu(const Device &A, const Device &B) {
  return A.handle() == B.handle();
}

using DeviceList = std::vector<std::unique_ptr<Device>>;

/// Makes a device's context current for a scope. A thread that had none keeps
/// device 0's afterwards: libraries that the program calls then work on the
/// device that the program sees.
class CurrentDevice {
public:
  CurrentDevice(const DeviceList &Devices, int Number)
      : CurrentDevice(Devices, Devices[Number]->context()) {}
  CurrentDevice(const DeviceList &Devices, CUcontext Wanted)
      : D(Devices[0]->driver()) {
    CUcontext Before = nullptr;
    D.cuCtxGetCurrent(&Before);
    if (!Before)
      Before = Devices[0]->context();
    else if (Before == Wanted)
      return;
    D.cuCtxSetCurrent(Wanted);
    if (Before != Wanted)
      Restore = Before;
  }
  ~CurrentDevice() {
    if (Restore)
      D.cuCtxSetCurrent(Restore);
  }
  CurrentDevice(const CurrentDevice &) = delete;
  CurrentDevice &operator=(const CurrentDevice &) = delete;

private:
  const Driver &D;
  CUcontext Restore = nullptr;
};

} // namespace gridspan::cuda

#endif // GRIDSPAN_RUNTIME_BACKEND_CUDA_DEVICE_H
