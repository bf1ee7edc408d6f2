//===- CudaBackendWork.cpp - Copies and launches on GPUs ----------------===//
//
// Span of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The driver decides by the first byte of a range how to copy, so a copy is
// divided where the home of its source or target changes. The stream's device
// does the work if it reaches both homes. Otherwise the device that owns the
// memory does it, or PeerlessCopies if both homes are devices.
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/cuda/CudaBackend.h"
#include "runtime/backend/cuda/Queues.h"
#include <algorithm>
#include <cassert>

namespace gridspan::cuda {

bool CudaBackend::reaches(const Stream &S, Location To, Location From) const {
  const auto &May = MayAccess[S.device()];
  return (To == Host || May[To]) && (From == Host || May[From]);
}

template <typename Function>
cudaError_t CudaBackend::give(Stream &S, Location To, Location From,
                              Function Give) {
  assert(!isPeerless(S, To, From) && "no single device does such work");
  if (!reaches(S, To, From))
    return Peerless.runOn(To == Host ? From : To, S, Give);
  CurrentDevice Scope(Devices, S.device());
  return Give(S);
}

cudaError_t CudaBackend::copy(Stream &S, void *Dst, const void *Src,
                              size_t Bytes) {
  const WorkNote Note = noteWork(S);
  auto *To = static_cast<std::byte *>(Dst);
  auto *From = static_cast<const std::byte *>(Src);
  while (Bytes) {
    size_t Span =
        std::min(Mem.uniformPrefix(To, Bytes), Mem.uniformPrefix(From, Bytes));
    const Location Target = Mem.locationOf(To), Source = Mem.locationOf(From);
    cudaError_t E =
        isPeerless(S, Target, Source)
            ? Peerless.copy(S, {Target, toDevicePtr(To), Span},
                            {Source, toDevicePtr(From), Span}, Span, 1)
            : give(S, Target, Source, [&](const Stream &On) {
                return toError(D.cuMemcpyAsync(
                    toDevicePtr(To), toDevicePtr(From), Span, On.native()));
              });
    if (E)
      return E;
    To += Span;
    From += Span;
    Bytes -= Span;
  }
  return cudaSuccess;
}

cudaError_t CudaBackend::copy2D(Stream &S, void *Dst, size_t DstPitch,
                                const void *Src, size_t SrcPitch, size_t Width,
                                size_t Height) {
  if (Width == 0 || Height == 0)
    return cudaSuccess;
  const WorkNote Note = noteWork(S);
  size_t DstSpan = (Height - 1) * DstPitch + Width;
  size_t SrcSpan = (Height - 1) * SrcPitch + Width;
  if (Mem.uniformPrefix(Dst, DstSpan) == DstSpan &&
      Mem.uniformPrefix(Src, SrcSpan) == SrcSpan) {
    const Location Target = Mem.locationOf(Dst), Source = Mem.locationOf(Src);
    if (isPeerless(S, Target, Source))
      return Peerless.copy(S, {Target, toDevicePtr(Dst), DstPitch},
                           {Source, toDevicePtr(Src), SrcPitch}, Width, Height);
    CUDA_MEMCPY2D Copy = {};
    Copy.srcMemoryType = Copy.dstMemoryType = CU_MEMORYTYPE_UNIFIED;
    Copy.srcDevice = toDevicePtr(Src);
    Copy.srcPitch = SrcPitch;
    Copy.dstDevice = toDevicePtr(Dst);
    Copy.dstPitch = DstPitch;
    Copy.WidthInBytes = Width;
    Copy.Height = Height;
    return give(S, Target, Source, [&](const Stream &On) {
      return toError(D.cuMemcpy2DAsync(&Copy, On.native()));
    });
  }
  if (Height == 1)
    return copy(S, Dst, Src, Width);
  // Halves until no rectangle crosses from one home to another.
  size_t Upper = Height / 2;
  if (cudaError_t E = copy2D(S, Dst, DstPitch, Src, SrcPitch, Width, Upper))
    return E;
  return copy2D(S, static_cast<std::byte *>(Dst) + Upper * DstPitch, DstPitch,
                static_cast<const std::byte *>(Src) + Upper * SrcPitch,
                SrcPitch, Width, Height - Upper);
}

cudaError_t CudaBackend::copyBehind(Stream &S, std::span<Event *const> Behind,
                                    void *Dst, size_t DstPitch, const void *Src,
                                    size_t SrcPitch, size_t Width,
                                    size_t Height) {
  const size_t DstSpan = (Height - 1) * DstPitch + Width;
  const size_t SrcSpan = (Height - 1) * SrcPitch + Width;
  const Location Target = Mem.locationOf(Dst), Source = Mem.locationOf(Src);
  if (Width == 0 || Height == 0 || !isPeerless(S, Target, Source) ||
      Mem.uniformPrefix(Dst, DstSpan) != DstSpan ||
      Mem.uniformPrefix(Src, SrcSpan) != SrcSpan)
    return Backend::copyBehind(S, Behind, Dst, DstPitch, Src, SrcPitch, Width,
                               Height);
  const WorkNote Note = noteWork(S);
  return Peerless.copy(S, {Target, toDevicePtr(Dst), DstPitch},
                       {Source, toDevicePtr(Src), SrcPitch}, Width, Height,
                       Behind);
}

cudaError_t CudaBackend::fill(Stream &S, void *Dst, int Byte, size_t Bytes) {
  const WorkNote Note = noteWork(S);
  auto *To = static_cast<std::byte *>(Dst);
  while (Bytes) {
    size_t Span = Mem.uniformPrefix(To, Bytes);
    cudaError_t E = give(S, Mem.locationOf(To), Host, [&](const Stream &On) {
      return toError(D.cuMemsetD8Async(toDevicePtr(To),
                                       static_cast<unsigned char>(Byte), Span,
                                       On.native()));
    });
    if (E)
      return E;
    To += Span;
    Bytes -= Span;
  }
  return cudaSuccess;
}

cudaError_t CudaBackend::indexBounds(Stream &S, const void *From,
                                     uint64_t Count, unsigned ElementBytes,
                                     uint64_t PerLeaf, IndexBounds *Out) {
  const WorkNote Note = noteWork(S);
  return Scans.enqueue(S, From, Count, ElementBytes, PerLeaf, Out);
}

cudaError_t CudaBackend::fillIdentity(Stream &S, GridspanReduction Kind,
                                      void *Dst, uint64_t Count) {
  const WorkNote Note = noteWork(S);
  return Combines.fillIdentity(S, Kind, Dst, Count);
}

cudaError_t CudaBackend::convertRecords(Stream &S, const RecordForm &Form,
                                        FormDirection Direction, void *Records,
                                        void *Fields, uint64_t Bytes) {
  const WorkNote Note = noteWork(S);
  return Forms.convert(S, Form, Direction, Records, Fields, Bytes);
}

cudaError_t CudaBackend::combine(Stream &S, GridspanReduction Kind, void *Into,
                                 std::span<const void *const> From,
                                 uint64_t Count) {
  const WorkNote Note = noteWork(S);
  return Combines.combine(S, Kind, Into, From, Count);
}

cudaError_t CudaBackend::copyArray(Stream &S, ArrayCopy &To,
                                   cudaTextureObject_t From) {
  const WorkNote Note = noteWork(S);
  return Texturing.copyArray(S, To, From);
}

cudaError_t CudaBackend::launch(Stream &S, const LaunchTarget &Target,
                                const LaunchShape &Shape, void *const *Args,
                                const GridspanTile *Tile) {
  const WorkNote Note = noteWork(S);
  return Launches.launch(S, Target, Shape, Args, Tile);
}

unsigned CudaBackend::argumentWords(const LaunchTarget &Target,
                                    void *const *Args, void **Out,
                                    unsigned Most) {
  return Launches.argumentWords(Target, Args, Out, Most);
}

cudaError_t CudaBackend::hostFunction(Stream &S, std::function<void()> Fn) {
  const WorkNote Note = noteWork(S);
  struct Call {
    std::function<void()> Fn;
    /// True in a graph, which may run it again: then it is never freed.
    bool Again;
  };
  bool Again = isCapturing(S);
  auto Held = std::make_unique<Call>(Call{std::move(Fn), Again});
  auto Run = [](void *Data) {
    auto *C = static_cast<Call *>(Data);
    C->Fn();
    if (!C->Again)
      delete C;
  };
  CurrentDevice Scope(Devices, S.device());
  CUresult R = D.cuLaunchHostFunc(S.native(), Run, Held.get());
  if (R == CUDA_SUCCESS)
    Held.release();
  return toError(R);
}

cudaError_t CudaBackend::waitForWord(Stream &S, const uint64_t *Word,
                                     uint64_t Value) {
  const WorkNote Note = noteWork(S);
  CurrentDevice Scope(Devices, S.device());
  return toError(D.cuStreamWaitValue64(S.native(), toDevicePtr(Word), Value,
                                       CU_STREAM_WAIT_VALUE_GEQ));
}

} // namespace gridspan::cuda
