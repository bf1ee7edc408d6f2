//===- PagedCopies.cpp - Copies and fills of paged memory -----------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of CopyEngine for memory whose address is the host's (Pager.h). When
// the other end is the host's too, threads copy, after the stream has come
// here: no bus is involved, but for frames that a device holds newer than the
// host, which are read from there without saving them first. Otherwise the copy
// is divided at the frames, which are pinned one by one: the driver wants each
// copy to stay within one.
//
// So it is also where the stream does not come here: it is captured, or it
// waits for what the program does when this call has returned. The frames are
// written back at once: what the stream holds uses the host's copy only, since
// launches that use frames are complete when they return. A graph has them
// written back when it runs.
//
//===----------------------------------------------------------------------===//

#include "runtime/copy/CopyEngine.h"
#include "runtime/report/Tracing.h"
#include "runtime/support/HostMemoryOps.h"
#include <algorithm>
#include <cstring>
#include <thread>

namespace gridspan {

bool CopyEngine::isPaged(const End &E) { return E.Where && E.Where->Paged; }

/// True if the processors reach it.
bool CopyEngine::isOnHost(const End &E, const void *Address, uint64_t Span) {
  if (E.Where)
    return isPaged(E);
  return B.isPageable(Address, Span) || B.isPinned(Address, Span);
}

/// Returns true when all that S holds has ended, or its error; false if that
/// cannot be waited for. Not in the queue for a lock of the driver's: another
/// thread may have to give S what it waits for.
Expected<bool> CopyEngine::comesHere(Stream &S) {
  if (B.isCapturing(S))
    return false;
  const auto Deadline = std::chrono::steady_clock::now() + Patience;
  auto Pause = std::chrono::microseconds(5);
  cudaError_t Error = B.query(S);
  for (; Error == cudaErrorNotReady; Error = B.query(S)) {
    if (std::chrono::steady_clock::now() >= Deadline)
      return false;
    std::this_thread::sleep_for(Pause);
    Pause = std::min(2 * Pause, std::chrono::microseconds(500));
  }
  // The default stream also waits for streams that it has not to ask about.
  if (!Error)
    Error = B.synchronize(S);
  if (Error)
    return Error;
  return true;
}

/// Bytes from At on that are of one frame; all, when not paged.
static uint64_t withinFrame(const Allocation *A, uint64_t At, uint64_t Bytes) {
  if (!A || !A->Paged)
    return Bytes;
  const uint64_t Frame = A->Paged->FrameBytes;
  return std::min(Bytes, Frame - At % Frame);
}

/// Copies bytes of paged memory to the program's. Devices send what they hold
/// newer while threads copy the rest.
cudaError_t CopyEngine::readPaged(ProgramStream &S, std::byte *Dst,
                                  const End &From, uint64_t Bytes) {
  // Nobody takes frames away meanwhile.
  ReaderLock Visit(From.Where->Paged->Visitors);
  const std::vector<Pager::Source> Sources =
      Memory.pager().sources(*From.Where, From.At, From.At + Bytes);
  uint64_t OnDevices = 0;
  int Last = 0;
  std::vector<CopyRect> Parts;
  for (const Pager::Source &P : Sources) {
    Parts.push_back(
        {Dst + (P.Lo - From.At), 0, P.From, 0, P.Hi - P.Lo, 1, P.Where});
    OnDevices += P.Where == Host ? 0 : P.Hi - P.Lo;
    Last = std::max(Last, P.Where);
  }
  // Streams show what devices send.
  HostSpan Span(Activity::Copy, Bytes - OnDevices);
  if (PageableCopies.pays(OnDevices) && B.isPageable(Dst, Bytes))
    if (const std::optional<cudaError_t> Done =
            PageableCopies.copy(Parts, PageableEnd::Destination, S.main()))
      return *Done;
  if (OnDevices && Last > 0)
    if (cudaError_t Forking = S.fork(Last + 1U))
      return Forking;
  cudaError_t Error = cudaSuccess;
  for (const CopyRect &P : Parts)
    if (P.Where != Host && !Error)
      Error = B.copy(S.on(P.Where), P.Dst, P.Src, P.Width);
  for (const CopyRect &P : Parts)
    if (P.Where == Host && !Error)
      copyHostBytes(P.Dst, P.Src, P.Width);
  for (int Device = 1; OnDevices && Device <= Last; ++Device) {
    const cudaError_t Joining = S.join(Device);
    Error = Error ? Error : Joining;
  }
  const cudaError_t Copying = OnDevices ? B.synchronize(S.main()) : cudaSuccess;
  return Error ? Error : Copying;
}

cudaError_t CopyEngine::copyPaged(ProgramStream &S, const End &To, void *Dst,
                                  size_t DstPitch, const End &From,
                                  const void *Src, size_t SrcPitch,
                                  size_t Width, size_t Height) {
  const uint64_t DstSpan = (Height - 1) * DstPitch + Width;
  const uint64_t SrcSpan = (Height - 1) * SrcPitch + Width;
  MutexLock Order(S.lock());
  bool ByHost = isOnHost(To, Dst, DstSpan) && isOnHost(From, Src, SrcSpan);
  if (ByHost) {
    // What the stream holds may use it still.
    const Expected<bool> Came = comesHere(S.main());
    if (!Came.hasValue())
      return Came.error();
    ByHost = *Came;
  }
  Pager &Frames = Memory.pager();
  auto Announce = [&](const End &E, uint64_t Span,
                      bool Writes) REQUIRES_SHARED(PlacementLock::Held) {
    if (!isPaged(E))
      return cudaSuccess;
    if (ByHost && Writes && Height == 1)
      return Frames.overwrite(*E.Where, E.At, E.At + Span);
    return ByHost ? Frames.hostAccess(*E.Where, E.At, E.At + Span, Writes)
                  : Frames.deviceAccess(*E.Where, E.At, E.At + Span, Writes);
  };
  if (ByHost && Height == 1 && !isPaged(To))
    return readPaged(S, static_cast<std::byte *>(Dst), From, Width);
  if (cudaError_t Error = Announce(From, SrcSpan, false))
    return Error;
  if (cudaError_t Error = Announce(To, DstSpan, true))
    return Error;
  auto *Out = static_cast<std::byte *>(Dst);
  const auto *In = static_cast<const std::byte *>(Src);
  HostSpan Span(Activity::Copy, ByHost ? Width * Height : 0);
  if (ByHost && Height == 1 && isPaged(To) && !isPaged(From))
    return Writer.write(*To.Where, To.At, In, Width);
  if (ByHost && Height == 1) {
    copyHostBytes(Out, In, Width);
    return cudaSuccess;
  }
  if (ByHost) {
    inParallel(Height, Width * Height, [=](size_t Row) {
      // Nothing is said of ends that overlap; this is defined at least.
      std::memmove(Out + Row * DstPitch, In + Row * SrcPitch, Width);
    });
    return cudaSuccess;
  }
  for (size_t Row = 0; Row < Height; ++Row)
    for (uint64_t Lo = 0, Bytes; Lo < Width; Lo += Bytes) {
      const uint64_t DstAt = Row * DstPitch + Lo, SrcAt = Row * SrcPitch + Lo;
      Bytes = withinFrame(To.Where.get(), To.At + DstAt, Width - Lo);
      Bytes = withinFrame(From.Where.get(), From.At + SrcAt, Bytes);
      if (cudaError_t Error = B.copy(S.main(), Out + DstAt, In + SrcAt, Bytes))
        return Error;
    }
  return cudaSuccess;
}

cudaError_t CopyEngine::fillPaged(ProgramStream &S, const End &To, void *Dst,
                                  int Byte, size_t Bytes) {
  MutexLock Order(S.lock());
  Pager &Frames = Memory.pager();
  const Expected<bool> Came = comesHere(S.main());
  if (!Came.hasValue())
    return Came.error();
  if (*Came) {
    if (cudaError_t Error = Frames.overwrite(*To.Where, To.At, To.At + Bytes))
      return Error;
    HostSpan Span(Activity::Fill, Bytes);
    fillHostBytes(Dst, Byte, Bytes);
    return cudaSuccess;
  }
  cudaError_t Error =
      Frames.deviceAccess(*To.Where, To.At, To.At + Bytes, true);
  for (uint64_t Lo = 0, Part; Lo < Bytes && !Error; Lo += Part) {
    Part = withinFrame(To.Where.get(), To.At + Lo, Bytes - Lo);
    Error = B.fill(S.main(), static_cast<std::byte *>(Dst) + Lo, Byte, Part);
  }
  return Error;
}

} // namespace gridspan
