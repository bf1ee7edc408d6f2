//===- CopyEngine.cpp - Copies and fills of the program -------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Copies are divided at the borders of pages' homes. Each segment runs on the
// stream of the device that holds it, forked from the program's stream and
// joined behind, under the stream's lock: so no other operation comes between.
// The placement lock is held shared until all is enqueued.
//
//===----------------------------------------------------------------------===//

#include "runtime/copy/CopyEngine.h"
#include "runtime/report/Tracing.h"
#include <algorithm>
#include <cassert>

namespace gridspan {

/// The bytes from which on a copy is worth another device's stream.
static constexpr uint64_t StripedBytes = 4 << 20;

static std::vector<PageHomes::Run> runsOf(const PageHomes *Homes, uint64_t At,
                                          uint64_t Bytes) {
  if (!Homes)
    return {{0, Bytes, Host}};
  std::vector<PageHomes::Run> Out = Homes->runs(At, At + Bytes);
  for (PageHomes::Run &R : Out) {
    R.Lo -= At;
    R.Hi -= At;
  }
  return Out;
}

std::vector<CopySegment> divideCopy(const PageHomes *Dst, uint64_t DstAt,
                                    const PageHomes *Src, uint64_t SrcAt,
                                    uint64_t Bytes) {
  const std::vector<PageHomes::Run> To = runsOf(Dst, DstAt, Bytes);
  const std::vector<PageHomes::Run> From = runsOf(Src, SrcAt, Bytes);
  std::vector<CopySegment> Out;
  uint64_t Lo = 0;
  for (size_t T = 0, F = 0; T < To.size() && F < From.size();) {
    const uint64_t Hi = std::min(To[T].Hi, From[F].Hi);
    const Location Where = To[T].Where != Host ? To[T].Where : From[F].Where;
    Out.push_back({Lo, Hi, Where == Host ? 0 : Where, Where == Host});
    Lo = Hi;
    T += To[T].Hi == Hi;
    F += From[F].Hi == Hi;
  }
  return Out;
}

Expected<CopyEngine::End> CopyEngine::find(const void *Address,
                                           uint64_t Bytes) const {
  End Out;
  Out.Where = Memory.find(Address);
  if (!Out.Where)
    return Out;
  Out.At = static_cast<const std::byte *>(Address) - Out.Where->base();
  if (Bytes > Out.Where->bytes() - Out.At)
    return cudaErrorInvalidValue;
  return Out;
}

/// Lets what comes next in S read Bytes bytes of From, and write Rows of To,
/// where their addresses lead to.
cudaError_t CopyEngine::findAtHome(ProgramStream &S, const End &To,
                                   const ByteRows &Rows, const End &From,
                                   uint64_t Bytes) {
  if (From.Where && Bytes)
    if (cudaError_t Error = Memory.owned().bring(*From.Where, From.At,
                                                 From.At + Bytes, S.main()))
      return Error;
  return To.Where && Rows.bytes()
             ? Memory.owned().overwrite(*To.Where, Rows, S.main())
             : cudaSuccess;
}

/// Notes that Rows of To were written, if they were.
void CopyEngine::noteWritten(ProgramStream &S, const End &To,
                             const ByteRows &Rows, cudaError_t Error) {
  if (!To.Where)
    return;
  // Before the version: a launch of another thread that sees it waits for the
  // stream, and not only for the launch before (ProgramStream.cpp).
  ProgramStream::operated(ProgramStream::Work::EndsByItself);
  // What could not be copied is where it was.
  if (!Error && Rows.bytes())
    Memory.owned().noteOverwritten(*To.Where, Rows, S.main());
  To.Where->written();
}

CopyDirection CopyEngine::directionOf(const End &Dst, const End &Src) {
  if (Dst.Where)
    return Src.Where ? CopyDirection::DeviceToDevice
                     : CopyDirection::HostToDevice;
  return Src.Where ? CopyDirection::DeviceToHost : CopyDirection::HostToHost;
}

static const char *nameOf(CopyDirection Direction) {
  switch (Direction) {
  case CopyDirection::HostToDevice:
    return "host to device";
  case CopyDirection::DeviceToHost:
    return "device to host";
  case CopyDirection::DeviceToDevice:
    return "device to device";
  case CopyDirection::HostToHost:
    return "host to host";
  }
  return "?";
}

void CopyEngine::count(CopyDirection Direction, uint64_t Bytes) {
  Out.Copies[static_cast<unsigned>(Direction)].count(Bytes);
}

/// Does all segments between what S holds and what follows.
cudaError_t CopyEngine::run(
    ProgramStream &S, const std::vector<CopySegment> &Segments,
    const std::function<cudaError_t(Stream &, const CopySegment &)> &Do) {
  MutexLock Order(S.lock());
  int Last = 0;
  for (const CopySegment &Segment : Segments)
    Last = std::max(Last, Segment.Device);
  const bool Striped = Last > 0 && Segments.back().Hi >= StripedBytes &&
                       !B.isCapturing(S.main());
  if (Striped)
    if (cudaError_t Error = S.fork(Last + 1U))
      return Error;
  cudaError_t First = cudaSuccess;
  for (const CopySegment &Segment : Segments) {
    if (First)
      break;
    First = Do(Striped ? S.on(Segment.Device) : S.main(), Segment);
  }
  for (int Device = 1; Striped && Device <= Last; ++Device) {
    cudaError_t Error = S.join(Device);
    First = First ? First : Error;
  }
  return First;
}

/// True if PageableCopy is for this copy of Bytes bytes, whose ends both reach
/// over Span bytes.
bool CopyEngine::shouldCopyByThreads(ProgramStream &S, const End &To,
                                     const void *Dst, const End &From,
                                     const void *Src, uint64_t Bytes,
                                     uint64_t Span) {
  if (!PageableCopies.pays(Bytes) || !To.Where == !From.Where)
    return false;
  return B.isPageable(To.Where ? Src : Dst, Span) && !B.isCapturing(S.main());
}

static PageableEnd pageableEnd(bool ToDevice) {
  return ToDevice ? PageableEnd::Source : PageableEnd::Destination;
}

/// Copies by threads, if there is pinned memory to be had. The stream is waited
/// for first, as CUDA does before it copies pageable memory: so that no lane
/// waits for work of the program.
std::optional<cudaError_t>
CopyEngine::copyPageable(ProgramStream &S, const std::vector<CopyRect> &Parts,
                         PageableEnd Pageable) {
  MutexLock Order(S.lock());
  if (cudaError_t Error = B.synchronize(S.main()))
    return Error;
  return PageableCopies.copy(Parts, Pageable, S.main());
}

cudaError_t CopyEngine::copy(ProgramStream &S, void *Dst, const void *Src,
                             size_t Bytes) {
  PlacementReader Placement(Memory.placementLock());
  const Expected<End> DstEnd = find(Dst, Bytes), SrcEnd = find(Src, Bytes);
  if (!DstEnd)
    return DstEnd.error();
  if (!SrcEnd)
    return SrcEnd.error();
  const End &To = *DstEnd, &From = *SrcEnd;
  if (cudaError_t Error =
          findAtHome(S, To, {To.At, Bytes, Bytes, 1}, From, Bytes))
    return Error;
  const CopyDirection Direction = directionOf(To, From);
  TraceScope Scope(Activity::Copy, nameOf(Direction));
  auto *Out = static_cast<std::byte *>(Dst);
  auto *In = static_cast<const std::byte *>(Src);
  const std::vector<CopySegment> Segments =
      divideCopy(To.homes(), To.At, From.homes(), From.At, Bytes);
  std::optional<cudaError_t> Done;
  if (isPaged(To) || isPaged(From)) {
    Done = copyPaged(S, To, Dst, Bytes, From, Src, Bytes, Bytes, 1);
  } else if (shouldCopyByThreads(S, To, Dst, From, Src, Bytes, Bytes)) {
    std::vector<CopyRect> Parts;
    for (const CopySegment &P : Segments)
      Parts.push_back({Out + P.Lo, 0, In + P.Lo, 0, P.Hi - P.Lo, 1,
                       P.OnHost ? Host : P.Device});
    Done = copyPageable(S, Parts, pageableEnd(To.Where != nullptr));
  }
  if (!Done)
    Done = run(S, Segments, [&](Stream &On, const CopySegment &Segment) {
      return B.copy(On, Out + Segment.Lo, In + Segment.Lo,
                    Segment.Hi - Segment.Lo);
    });
  cudaError_t Error = *Done;
  if (!To.Where) {
    MutexLock Order(S.lock());
    if (!Error)
      Error = Symbols.mirror(Dst, S.main(), [&](std::byte *Mirror) {
        return B.copy(S.main(), Mirror, Src, Bytes);
      });
  }
  noteWritten(S, To, {To.At, Bytes, Bytes, 1}, Error);
  count(Direction, Bytes);
  return Error;
}

std::vector<CopyBlock> divideCopy2D(const PageHomes *Dst, uint64_t DstAt,
                                    size_t DstPitch, const PageHomes *Src,
                                    uint64_t SrcAt, size_t SrcPitch,
                                    size_t Width, size_t Height) {
  std::vector<CopyBlock> Out;
  for (size_t Row = 0; Row < Height; ++Row) {
    const std::vector<CopySegment> Segments = divideCopy(
        Dst, DstAt + Row * DstPitch, Src, SrcAt + Row * SrcPitch, Width);
    for (const CopySegment &P : Segments) {
      CopyBlock New = {Row, 1, P.Lo, P.Hi - P.Lo, P.Device, P.OnHost};
      if (!Out.empty() && New.Width == Width && Out.back().Width == Width &&
          Out.back().Device == P.Device && Out.back().OnHost == P.OnHost)
        ++Out.back().Rows;
      else
        Out.push_back(New);
    }
  }
  return Out;
}

cudaError_t CopyEngine::copy2D(ProgramStream &S, void *Dst, size_t DstPitch,
                               const void *Src, size_t SrcPitch, size_t Width,
                               size_t Height) {
  assert(Width <= DstPitch && Width <= SrcPitch);
  PlacementReader Placement(Memory.placementLock());
  const uint64_t DstSpan = (Height - 1) * DstPitch + Width;
  const uint64_t SrcSpan = (Height - 1) * SrcPitch + Width;
  const Expected<End> DstEnd = find(Dst, DstSpan), SrcEnd = find(Src, SrcSpan);
  if (!DstEnd)
    return DstEnd.error();
  if (!SrcEnd)
    return SrcEnd.error();
  const End &To = *DstEnd, &From = *SrcEnd;
  if (cudaError_t Error =
          findAtHome(S, To, {To.At, Width, DstPitch, Height}, From, SrcSpan))
    return Error;
  const CopyDirection Direction = directionOf(To, From);
  TraceScope Scope(Activity::Copy, nameOf(Direction));
  std::optional<cudaError_t> Done;
  if (isPaged(To) || isPaged(From))
    Done = copyPaged(S, To, Dst, DstPitch, From, Src, SrcPitch, Width, Height);
  std::vector<CopyRect> Parts;
  for (const CopyBlock &P :
       divideCopy2D(To.homes(), To.At, DstPitch, From.homes(), From.At,
                    SrcPitch, Width, Height))
    Parts.push_back(
        {static_cast<std::byte *>(Dst) + P.Row * DstPitch + P.Lo, DstPitch,
         static_cast<const std::byte *>(Src) + P.Row * SrcPitch + P.Lo,
         SrcPitch, P.Width, P.Rows, P.OnHost ? Host : P.Device});
  if (!Done && shouldCopyByThreads(S, To, Dst, From, Src, Width * Height,
                                   To.Where ? SrcSpan : DstSpan))
    Done = copyPageable(S, Parts, pageableEnd(To.Where != nullptr));
  cudaError_t Error = Done.value_or(cudaSuccess);
  {
    MutexLock Order(S.lock());
    for (const CopyRect &P : Parts)
      if (!Done && !Error)
        Error = P.Height == 1 ? B.copy(S.main(), P.Dst, P.Src, P.Width)
                              : B.copy2D(S.main(), P.Dst, P.DstPitch, P.Src,
                                         P.SrcPitch, P.Width, P.Height);
    if (!To.Where && !Error)
      Error = Symbols.mirror(Dst, S.main(), [&](std::byte *Mirror) {
        return B.copy2D(S.main(), Mirror, DstPitch, Src, SrcPitch, Width,
                        Height);
      });
  }
  noteWritten(S, To, {To.At, Width, DstPitch, Height}, Error);
  count(Direction, Width * Height);
  return Error;
}

cudaError_t CopyEngine::fill(ProgramStream &S, void *Dst, int Byte,
                             size_t Bytes) {
  PlacementReader Placement(Memory.placementLock());
  const Expected<End> DstEnd = find(Dst, Bytes);
  if (!DstEnd)
    return DstEnd.error();
  const End &To = *DstEnd;
  if (cudaError_t Failed =
          findAtHome(S, To, {To.At, Bytes, Bytes, 1}, End(), 0))
    return Failed;
  cudaError_t Error =
      isPaged(To)
          ? fillPaged(S, To, Dst, Byte, Bytes)
          : run(S, divideCopy(To.homes(), To.At, nullptr, 0, Bytes),
                [&](Stream &On, const CopySegment &Segment) {
                  return B.fill(On, static_cast<std::byte *>(Dst) + Segment.Lo,
                                Byte, Segment.Hi - Segment.Lo);
                });
  if (!To.Where) {
    MutexLock Order(S.lock());
    if (!Error)
      Error = Symbols.mirror(Dst, S.main(), [&](std::byte *Mirror) {
        return B.fill(S.main(), Mirror, Byte, Bytes);
      });
  }
  noteWritten(S, To, {To.At, Bytes, Bytes, 1}, Error);
  Out.Fills.count(Bytes);
  return Error;
}

} // namespace gridspan
