//===- PeerlessCopies.cpp - Copies between GPUs without peer access -------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The driver's copies between devices go through host memory where there is no
// peer access, too, and take longer (bench/probes/peer_copies.cu). So a copy
// has two halves, each of the device that owns the memory: into a pinned
// buffer, and out of it. Events order the halves, and keep a buffer from being
// filled before it has been emptied.
//
// Where tiles wait for a seam, each wait of one stream for another counts. So
// the second half goes into the stream itself where that is of the target's
// device, and the first need not be behind what that stream holds, if the
// caller knows what it is to be behind.
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/cuda/PeerlessCopies.h"
#include "runtime/backend/cuda/Queues.h"
#include <algorithm>

namespace gridspan::cuda {

/// Long enough for the bus, short enough that the halves soon overlap.
static constexpr size_t BufferBytes = size_t(4) << 20;

PeerlessCopies::~PeerlessCopies() {
  for (auto &[Ends, L] : Lanes) {
    // Their destructors wait for their work. Streams of the program may be
    // there still, and have been given the second halves.
    L.Source.reset();
    L.Target.reset();
    for (PinnedBuffer &B : L.Buffers) {
      if (B.Emptied)
        Devices[0]->driver().cuEventSynchronize(B.Emptied->native());
      if (B.Memory)
        Devices[0]->driver().cuMemFreeHost(B.Memory);
    }
  }
}

cudaError_t PeerlessCopies::open(int From, int To, Lane &L) {
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
  for (PinnedBuffer &B : L.Buffers) {
    if (cudaError_t E = MakeEvent(From, B.Filled))
      return E;
    if (cudaError_t E = MakeEvent(To, B.Emptied))
      return E;
    CurrentDevice Scope(Devices, From);
    if (!B.Memory)
      if (cudaError_t E = toError(Devices[0]->driver().cuMemHostAlloc(
              &B.Memory, BufferBytes, CU_MEMHOSTALLOC_PORTABLE)))
        return E;
  }
  return MakeEvent(To, L.End);
}

cudaError_t PeerlessCopies::wait(Stream &S, Event &E) {
  CurrentDevice Scope(Devices, S.device());
  return toError(
      Devices[0]->driver().cuStreamWaitEvent(S.native(), E.native(), 0));
}

cudaError_t PeerlessCopies::record(Event &E, Stream &S) {
  CurrentDevice Scope(Devices, S.device());
  return toError(Devices[0]->driver().cuEventRecord(E.native(), S.native()));
}

/// Copies a rectangle that fits into a buffer.
cudaError_t PeerlessCopies::pass(Lane &L, Stream &Target, DeviceRows Dst,
                                 DeviceRows Src, size_t Width, size_t Height) {
  const Driver &D = Devices[0]->driver();
  PinnedBuffer &B = L.Buffers[L.Next++ % NumBuffers];
  CUDA_MEMCPY2D Copy = {};
  Copy.WidthInBytes = Width;
  Copy.Height = Height;
  Copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  Copy.srcDevice = Src.At;
  Copy.srcPitch = Src.Pitch;
  Copy.dstMemoryType = CU_MEMORYTYPE_HOST;
  Copy.dstHost = B.Memory;
  Copy.dstPitch = Width;
  if (cudaError_t E = wait(*L.Source, *B.Emptied))
    return E;
  {
    CurrentDevice Scope(Devices, Src.Device);
    if (cudaError_t E = toError(D.cuMemcpy2DAsync(&Copy, L.Source->native())))
      return E;
  }
  if (cudaError_t E = record(*B.Filled, *L.Source))
    return E;
  if (cudaError_t E = wait(Target, *B.Filled))
    return E;
  Copy = {};
  Copy.WidthInBytes = Width;
  Copy.Height = Height;
  Copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  Copy.srcHost = B.Memory;
  Copy.srcPitch = Width;
  Copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  Copy.dstDevice = Dst.At;
  Copy.dstPitch = Dst.Pitch;
  {
    CurrentDevice Scope(Devices, Dst.Device);
    if (cudaError_t E = toError(D.cuMemcpy2DAsync(&Copy, Target.native())))
      return E;
  }
  return record(*B.Emptied, Target);
}

cudaError_t PeerlessCopies::copy(Stream &S, DeviceRows Dst, DeviceRows Src,
                                 size_t Width, size_t Height,
                                 std::span<Event *const> Behind) {
  MutexLock Guard(Lock);
  Lane &L = Lanes[{Src.Device, Dst.Device}];
  if (cudaError_t E = open(Src.Device, Dst.Device, L))
    return E;
  Stream &Target = S.device() == Dst.Device ? S : *L.Target;
  for (Event *Known : Behind)
    if (cudaError_t E = wait(*L.Source, *Known))
      return E;
  std::unique_ptr<Event> Begin;
  if (Behind.empty() || &Target != &S) {
    // A new event each time: streams may still wait for the last one.
    if (cudaError_t E = CudaEvent::create(Devices, S.device(),
                                          cudaEventDisableTiming, Begin))
      return E;
    if (cudaError_t E = record(*Begin, S))
      return E;
  }
  if (Behind.empty())
    if (cudaError_t E = wait(*L.Source, *Begin))
      return E;
  if (&Target != &S)
    if (cudaError_t E = wait(Target, *Begin))
      return E;
  const size_t RowBytes = std::min(Width, BufferBytes);
  const size_t Rows = std::min(Height, BufferBytes / RowBytes);
  for (size_t Row = 0; Row < Height; Row += Rows)
    for (size_t At = 0; At < Width; At += RowBytes) {
      DeviceRows To = Dst, From = Src;
      To.At += Row * Dst.Pitch + At;
      From.At += Row * Src.Pitch + At;
      if (cudaError_t E =
              pass(L, Target, To, From, std::min(RowBytes, Width - At),
                   std::min(Rows, Height - Row)))
        return E;
    }
  if (&Target == &S)
    return cudaSuccess;
  if (cudaError_t E = record(*L.End, Target))
    return E;
  return wait(S, *L.End);
}

cudaError_t
PeerlessCopies::runOn(int Device, Stream &S,
                      const std::function<cudaError_t(const Stream &)> &Give) {
  Stream *Helper = nullptr;
  {
    // Released before Give: a copy of pageable memory may wait for S.
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
