//===- LateDevices.h - Devices that are opened when wanted ------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Opens the devices that have no context yet, in a thread, once somebody wants
// them. A program that never does is not made to wait for their contexts, at
// its start or at its end.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_BACKEND_CUDA_LATEDEVICES_H
#define GRIDSPAN_RUNTIME_BACKEND_CUDA_LATEDEVICES_H

#include "runtime/backend/cuda/Device.h"
#include "runtime/support/ThreadSafety.h"
#include <condition_variable>
#include <driver_types.h>
#include <functional>
#include <string>
#include <thread>

namespace gridspan::cuda {

/// Thread-safe.
class LateDevices {
public:
  /// Makes a new context, which is current, fit for use before anybody else
  /// gets it. May not ask for the context of a device that is not open.
  using Preparation = std::function<CUresult(int Device)>;

  /// Devices[0] is open.
  LateDevices(const DeviceList &Devices, Preparation Prepare);
  /// Waits for the thread.
  ~LateDevices();
  LateDevices(const LateDevices &) = delete;
  LateDevices &operator=(const LateDevices &) = delete;

  /// Returns true if all devices are open, each with a context of its own.
  bool isReady() const { return Ready.load(std::memory_order_acquire); }
  /// Has the thread begin, if it has not.
  void begin();
  /// Begins, and waits until no device is to be opened any more, or what is
  /// left waits for work of the program. Returns isReady().
  bool wait();
  /// What Backend::setBeforeReady() says.
  void setLastStep(std::function<cudaError_t()> Work);

private:
  void openAll();
  std::string open(int Number);
  cudaError_t takeLastStep();

  const DeviceList &Devices;
  const Preparation Prepare;
  std::atomic<bool> Ready;
  Mutex Lock;
  std::condition_variable Changed;
  bool HasBegun GUARDED_BY(Lock) = false;
  bool IsDone GUARDED_BY(Lock);
  /// The last step waits for work of the program, as nobody else should.
  bool IsHeldUp GUARDED_BY(Lock) = false;
  bool IsEnding GUARDED_BY(Lock) = false;
  std::function<cudaError_t()> LastStep GUARDED_BY(Lock);
  std::thread Opener GUARDED_BY(Lock);
};

} // namespace gridspan::cuda

#endif // GRIDSPAN_RUNTIME_BACKEND_CUDA_LATEDEVICES_H
