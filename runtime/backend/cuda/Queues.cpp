//===- Queues.cpp - Streams and events of a GPU ---------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Default streams are handles that mean a stream of the current context, so
// they are never destroyed. A stream of ours is idle before it is destroyed.
//
// CU_STREAM_PER_THREAD means a stream of the calling thread, and the driver has
// no handle for that of another. The legacy default stream stands for it then:
// work in there is behind what all blocking streams hold, of which it is one,
// and before what they are given later (CUDA driver API, stream
// synchronization behavior). Neither stream is done when the other is, but an
// event that is recorded in either is behind both.
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/cuda/Queues.h"
#include "runtime/backend/cuda/DuringCaptures.h"

namespace gridspan::cuda {

static_assert(cudaEventBlockingSync ==
              static_cast<int>(CU_EVENT_BLOCKING_SYNC));
static_assert(cudaEventDisableTiming ==
              static_cast<int>(CU_EVENT_DISABLE_TIMING));
static_assert(cudaEventInterprocess == static_cast<int>(CU_EVENT_INTERPROCESS));

cudaError_t CudaStream::create(const DeviceList &Devices, int Device,
                               StreamKind Kind, int Priority,
                               std::unique_ptr<Stream> &Out) {
  CUstream Handle = nullptr;
  bool Owned = false;
  switch (Kind) {
  case StreamKind::LegacyDefault:
    Handle = CU_STREAM_LEGACY;
    break;
  case StreamKind::PerThreadDefault:
    Handle = CU_STREAM_PER_THREAD;
    break;
  case StreamKind::Blocking:
  case StreamKind::NonBlocking: {
    CurrentDevice Scope(Devices, Device);
    const DuringCaptures Making(Devices[Device]->driver());
    unsigned Flags = Kind == StreamKind::NonBlocking ? CU_STREAM_NON_BLOCKING
                                                     : CU_STREAM_DEFAULT;
    CUresult R = Devices[Device]->driver().cuStreamCreateWithPriority(
        &Handle, Flags, Priority);
    if (R != CUDA_SUCCESS)
      return toError(R);
    Owned = true;
    break;
  }
  }
  Out.reset(new CudaStream(Devices, Device, Handle, Owned));
  return cudaSuccess;
}

std::unique_ptr<Stream> CudaStream::adopt(const DeviceList &Devices,
                                          cudaStream_t Native) {
  return std::unique_ptr<Stream>(new CudaStream(Devices, 0, Native, false));
}

CudaStream::~CudaStream() {
  if (!Owned)
    return;
  CurrentDevice Scope(Devices, Number);
  const Driver &D = Devices[Number]->driver();
  const DuringCaptures Waiting(D);
  D.cuStreamSynchronize(Handle);
  D.cuStreamDestroy(Handle);
}

cudaError_t CudaEvent::create(const DeviceList &Devices, int Device,
                              unsigned Flags, std::unique_ptr<Event> &Out) {
  CurrentDevice Scope(Devices, Device);
  const DuringCaptures Making(Devices[Device]->driver());
  CUevent Handle;
  CUresult R = Devices[Device]->driver().cuEventCreate(&Handle, Flags);
  if (R != CUDA_SUCCESS)
    return toError(R);
  Out.reset(new CudaEvent(Devices, Device, Handle, true));
  return cudaSuccess;
}

std::unique_ptr<Event> CudaEvent::adopt(const DeviceList &Devices,
                                        cudaEvent_t Native) {
  return std::unique_ptr<Event>(new CudaEvent(Devices, 0, Native, false));
}

CudaEvent::~CudaEvent() {
  if (!Owned)
    return;
  CurrentDevice Scope(Devices, Number);
  Devices[Number]->driver().cuEventDestroy(Handle);
}

} // namespace gridspan::cuda
