//===- HostBridge.cpp - Copies between GPUs that are no peers -------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The driver has copies between peers that it stages itself, but not for memory
// that was mapped by address (cuMemMap) and whose access rights exclude the
// other device. So each half is a copy of the device that owns the memory.
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/cuda/HostBridge.h"
#include "runtime/backend/cuda/Queues.h"
#include <algorithm>

namespace gridspan::cuda {

/// Long enough for the bus, short enough that the halves soon overlap.
static constexpr size_t SlotBytes = size_t(4) << 20;

HostBridge::~HostBridge() {
  for (auto &[Ends, L] : Lanes) {
    // Ends their work.
    L.Source.reset();
    L.Target.reset();
    for (Slot &S : L.Slots)
      if (S.Memory)
        Devices[0]->driver().cuMemFreeHost(S.Memory);
  }
}

cudaError_t HostBridge::open(int From, int To, Lane &L) {
  auto MakeStream = [&](int Device, std::unique_ptr<Stream> &Out) {
    return Out ? cudaSuccess
               : CudaStream::create(Devices, Device, StreamKind::NonBlocking, 0,
                                    Out);
  };
  auto MakeEvent = [&](int Device, std::unique_ptr<Event> &Out) {
    return Out ? cudaSuccess
               : CudaEvent::create(Devices, Device, cudaEventDisableTiming,
                                   Out);
  };
  if (cudaError_t E = MakeStream(From, L.Source))
    return E;
  if (cudaError_t E = MakeStream(To, L.Target))
    return E;
  for (Slot &S : L.Slots) {
    if (cudaError_t E = MakeEvent(From, S.Filled))
      return E;
    if (cudaError_t E = MakeEvent(To, S.Emptied))
      return E;
    CurrentDevice Scope(Devices, From);
    if (!S.Memory)
      if (cudaError_t E = toError(Devices[0]->driver().cuMemHostAlloc(
              &S.Memory, SlotBytes, CU_MEMHOSTALLOC_PORTABLE)))
        return E;
  }
  return MakeEvent(To, L.End);
}

cudaError_t HostBridge::wait(Stream &S, Event &E) {
  CurrentDevice Scope(Devices, S.device());
  return toError(
      Devices[0]->driver().cuStreamWaitEvent(S.native(), E.native(), 0));
}

cudaError_t HostBridge::record(Event &E, Stream &S) {
  CurrentDevice Scope(Devices, S.device());
  return toError(Devices[0]->driver().cuEventRecord(E.native(), S.native()));
}

/// What fits into a slot.
cudaError_t HostBridge::pass(Lane &L, DeviceRows Dst, DeviceRows Src,
                             size_t Width, size_t Height) {
  const Driver &D = Devices[0]->driver();
  Slot &S = L.Slots[L.Next++ % NumSlots];
  CUDA_MEMCPY2D Copy = {};
  Copy.WidthInBytes = Width;
  Copy.Height = Height;
  Copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  Copy.srcDevice = Src.At;
  Copy.srcPitch = Src.Pitch;
  Copy.dstMemoryType = CU_MEMORYTYPE_HOST;
  Copy.dstHost = S.Memory;
  Copy.dstPitch = Width;
  if (cudaError_t E = wait(*L.Source, *S.Emptied))
    return E;
  {
    CurrentDevice Scope(Devices, Src.Device);
    if (cudaError_t E = toError(D.cuMemcpy2DAsync(&Copy, L.Source->native())))
      return E;
  }
  if (cudaError_t E = record(*S.Filled, *L.Source))
    return E;
  if (cudaError_t E = wait(*L.Target, *S.Filled))
    return E;
  Copy = {};
  Copy.WidthInBytes = Width;
  Copy.Height = Height;
  Copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  Copy.srcHost = S.Memory;
  Copy.srcPitch = Width;
  Copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  Copy.dstDevice = Dst.At;
  Copy.dstPitch = Dst.Pitch;
  {
    CurrentDevice Scope(Devices, Dst.Device);
    if (cudaError_t E = toError(D.cuMemcpy2DAsync(&Copy, L.Target->native())))
      return E;
  }
  return record(*S.Emptied, *L.Target);
}

cudaError_t HostBridge::copy(Stream &S, DeviceRows Dst, DeviceRows Src,
                             size_t Width, size_t Height) {
  MutexLock Guard(Lock);
  Lane &L = Lanes[{Src.Device, Dst.Device}];
  if (cudaError_t E = open(Src.Device, Dst.Device, L))
    return E;
  // An event of its own: others may wait for the last one still.
  std::unique_ptr<Event> Begin;
  if (cudaError_t E =
          CudaEvent::create(Devices, S.device(), cudaEventDisableTiming, Begin))
    return E;
  if (cudaError_t E = record(*Begin, S))
    return E;
  for (Stream *Half : {L.Source.get(), L.Target.get()})
    if (cudaError_t E = wait(*Half, *Begin))
      return E;
  const size_t RowPart = std::min(Width, SlotBytes);
  const size_t Rows = std::min(Height, SlotBytes / RowPart);
  for (size_t Row = 0; Row < Height; Row += Rows)
    for (size_t At = 0; At < Width; At += RowPart) {
      DeviceRows To = Dst, From = Src;
      To.At += Row * Dst.Pitch + At;
      From.At += Row * Src.Pitch + At;
      if (cudaError_t E = pass(L, To, From, std::min(RowPart, Width - At),
                               std::min(Rows, Height - Row)))
        return E;
    }
  if (cudaError_t E = record(*L.End, *L.Target))
    return E;
  return wait(S, *L.End);
}

cudaError_t
HostBridge::runOn(int Device, Stream &S,
                  const std::function<cudaError_t(const Stream &)> &Give) {
  Stream *Helper = nullptr;
  {
    // Not while it is given work: a copy of pageable memory may wait for S.
    MutexLock Guard(Lock);
    std::unique_ptr<Stream> &Held = Helpers[Device];
    if (!Held)
      if (cudaError_t E = CudaStream::create(Devices, Device,
                                             StreamKind::NonBlocking, 0, Held))
        return E;
    Helper = Held.get();
  }
  std::unique_ptr<Event> Begin, End;
  if (cudaError_t E =
          CudaEvent::create(Devices, S.device(), cudaEventDisableTiming, Begin))
    return E;
  if (cudaError_t E =
          CudaEvent::create(Devices, Device, cudaEventDisableTiming, End))
    return E;
  if (cudaError_t E = record(*Begin, S))
    return E;
  if (cudaError_t E = wait(*Helper, *Begin))
    return E;
  {
    CurrentDevice Scope(Devices, Device);
    if (cudaError_t E = Give(*Helper))
      return E;
  }
  if (cudaError_t E = record(*End, *Helper))
    return E;
  return wait(S, *End);
}

} // namespace gridspan::cuda
