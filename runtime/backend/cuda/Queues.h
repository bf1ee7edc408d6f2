//===- Queues.h - Streams and events of a GPU -------------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Owners of CUDA streams and events. Their handles are those of the CUDA
// runtime, so the program and libraries may use them too.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_BACKEND_CUDA_QUEUES_H
#define GRIDSPAN_RUNTIME_BACKEND_CUDA_QUEUES_H

#include "runtime/backend/Backend.h"
#include "runtime/backend/cuda/Device.h"
#include <atomic>
#include <thread>

namespace gridspan::cuda {

class CudaStream final : public Stream {
public:
  static cudaError_t create(const DeviceList &Devices, int Device,
                            StreamKind Kind, int Priority,
                            std::unique_ptr<Stream> &Out);
  /// Makes a view of a stream of device 0 that its maker owns.
  static std::unique_ptr<Stream> adopt(const DeviceList &Devices,
                                       cudaStream_t Native);
  ~CudaStream() override;

  int device() const override { return Number; }
  cudaStream_t native() const override {
    if (!isOfOtherThread())
      return Handle;
    UsedByOthers.store(true, std::memory_order_release);
    return CU_STREAM_LEGACY;
  }
  /// Returns true if it is the default stream of another thread than the
  /// calling one, and native() stands for it.
  bool isOfOtherThread() const {
    return Handle == CU_STREAM_PER_THREAD &&
           Owner != std::this_thread::get_id();
  }
  /// Returns true if the stream of native() may hold less than it: only an
  /// event tells when all is done.
  bool needsEvent() const {
    return isOfOtherThread() || UsedByOthers.load(std::memory_order_acquire);
  }

private:
  CudaStream(const DeviceList &Devices, int Number, CUstream Handle, bool Owned)
      : Devices(Devices), Number(Number), Handle(Handle), Owned(Owned) {}

  const DeviceList &Devices;
  int Number;
  CUstream Handle;
  bool Owned; ///< not adopted, nor one of the context's default streams
  std::thread::id Owner = std::this_thread::get_id(); ///< the one that made it
  mutable std::atomic<bool> UsedByOthers{false};
};

class CudaEvent final : public Event {
public:
  static cudaError_t create(const DeviceList &Devices, int Device,
                            unsigned Flags, std::unique_ptr<Event> &Out);
  static std::unique_ptr<Event> adopt(const DeviceList &Devices,
                                      cudaEvent_t Native);
  ~CudaEvent() override;

  cudaEvent_t native() const override { return Handle; }

private:
  CudaEvent(const DeviceList &Devices, int Number, CUevent Handle, bool Owned)
      : Devices(Devices), Number(Number), Handle(Handle), Owned(Owned) {}

  const DeviceList &Devices;
  int Number;
  CUevent Handle;
  bool Owned;
};

} // namespace gridspan::cuda

#endif // GRIDSPAN_RUNTIME_BACKEND_CUDA_QUEUES_H
