//===- CopyEngine.cpp - Copies and fills of the program -------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//===----------------------------------------------------------------------===//

#include "CopyEngine.h"
#include <algorithm>

namespace gridspan {

/// Less than this is not worth another device's stream.
static constexpr uint64_t StripedBytes = 4 << 20;

static std::vector<HomeMap::Run> runsOf(const HomeMap *Homes, uint64_t At,
                                        uint64_t Bytes) {
  if (!Homes)
    return {{0, Bytes, Host}};
  std::vector<HomeMap::Run> Out = Homes->runs(At, At + Bytes);
  for (HomeMap::Run &R : Out) {
    R.Lo -= At;
    R.Hi -= At;
  }
  return Out;
}

std::vector<CopySegment> cutCopy(const HomeMap *Dst, uint64_t DstAt,
                                 const HomeMap *Src, uint64_t SrcAt,
                                 uint64_t Bytes) {
  const std::vector<HomeMap::Run> To = runsOf(Dst, DstAt, Bytes);
  const std::vector<HomeMap::Run> From = runsOf(Src, SrcAt, Bytes);
  std::vector<CopySegment> Out;
  uint64_t Lo = 0;
  for (size_t T = 0, F = 0; T < To.size() && F < From.size();) {
    const uint64_t Hi = std::min(To[T].Hi, From[F].Hi);
    const Location Where = To[T].Where != Host ? To[T].Where : From[F].Where;
    Out.push_back({Lo, Hi, Where == Host ? 0 : Where});
    Lo = Hi;
    T += To[T].Hi == Hi;
    F += From[F].Hi == Hi;
  }
  return Out;
}

cudaError_t CopyEngine::find(const void *Address, uint64_t Bytes, End &E) {
  E.Where = Memory.find(Address);
  if (!E.Where)
    return cudaSuccess;
  E.At = static_cast<const std::byte *>(Address) - E.Where->base();
  return Bytes <= E.Where->bytes() - E.At ? cudaSuccess : cudaErrorInvalidValue;
}

void CopyEngine::count(const End &Dst, const End &Src, uint64_t Bytes) {
  CopyDirection Direction;
  if (Dst.Where)
    Direction =
        Src.Where ? CopyDirection::DeviceToDevice : CopyDirection::HostToDevice;
  else
    Direction =
        Src.Where ? CopyDirection::DeviceToHost : CopyDirection::HostToHost;
  Out.Copies[static_cast<unsigned>(Direction)].count(Bytes);
}

/// Does all segments between what S holds and what follows.
cudaError_t CopyEngine::run(
    ProgramStream &S, const std::vector<CopySegment> &Segments,
    const std::function<cudaError_t(Stream &, const CopySegment &)> &Do) {
  std::unique_lock Order(S.lock());
  int Last = 0;
  for (const CopySegment &Segment : Segments)
    Last = std::max(Last, Segment.Device);
  const bool Striped = Last > 0 && Segments.size() > 1 &&
                       Segments.back().Hi >= StripedBytes &&
                       !B.isCapturing(S.main());
  cudaError_t First = Striped ? S.fork(Last + 1U) : cudaSuccess;
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

cudaError_t CopyEngine::copy(ProgramStream &S, void *Dst, const void *Src,
                             size_t Bytes) {
  std::shared_lock Placed(Memory.placement());
  End To, From;
  if (cudaError_t Error = find(Dst, Bytes, To))
    return Error;
  if (cudaError_t Error = find(Src, Bytes, From))
    return Error;
  cudaError_t Error =
      run(S, cutCopy(To.homes(), To.At, From.homes(), From.At, Bytes),
          [&](Stream &On, const CopySegment &Segment) {
            return B.copy(On, static_cast<std::byte *>(Dst) + Segment.Lo,
                          static_cast<const std::byte *>(Src) + Segment.Lo,
                          Segment.Hi - Segment.Lo);
          });
  if (!To.Where) {
    std::unique_lock Order(S.lock());
    for (void *Mirror : Symbols.mirrors(Dst))
      if (!Error)
        Error = B.copy(S.main(), Mirror, Src, Bytes);
  } else {
    To.Where->written();
  }
  count(To, From, Bytes);
  return Error;
}

cudaError_t CopyEngine::copy2D(ProgramStream &S, void *Dst, size_t DstPitch,
                               const void *Src, size_t SrcPitch, size_t Width,
                               size_t Height) {
  std::shared_lock Placed(Memory.placement());
  End To, From;
  if (cudaError_t Error = find(Dst, (Height - 1) * DstPitch + Width, To))
    return Error;
  if (cudaError_t Error = find(Src, (Height - 1) * SrcPitch + Width, From))
    return Error;
  auto *Out = static_cast<std::byte *>(Dst);
  auto *In = static_cast<const std::byte *>(Src);
  // Rows of one segment on the same device are one copy; a row across a border
  // is copied in parts.
  std::unique_lock Order(S.lock());
  cudaError_t Error = cudaSuccess;
  size_t First = 0;
  int Device = -1;
  auto Flush = [&](size_t End) {
    if (!Error && First < End)
      Error = B.copy2D(S.main(), Out + First * DstPitch, DstPitch,
                       In + First * SrcPitch, SrcPitch, Width, End - First);
    First = End;
  };
  for (size_t Row = 0; Row < Height && !Error; ++Row) {
    const std::vector<CopySegment> Segments =
        cutCopy(To.homes(), To.At + Row * DstPitch, From.homes(),
                From.At + Row * SrcPitch, Width);
    if (Segments.size() == 1 && Segments[0].Device == Device)
      continue;
    Flush(Row);
    Device = Segments.size() == 1 ? Segments[0].Device : -1;
    if (Device >= 0)
      continue;
    for (const CopySegment &Part : Segments)
      if (!Error)
        Error = B.copy(S.main(), Out + Row * DstPitch + Part.Lo,
                       In + Row * SrcPitch + Part.Lo, Part.Hi - Part.Lo);
    First = Row + 1;
  }
  Flush(Height);
  for (void *Mirror : To.Where ? std::vector<void *>() : Symbols.mirrors(Dst))
    if (!Error)
      Error =
          B.copy2D(S.main(), Mirror, DstPitch, Src, SrcPitch, Width, Height);
  if (To.Where)
    To.Where->written();
  count(To, From, Width * Height);
  return Error;
}

cudaError_t CopyEngine::fill(ProgramStream &S, void *Dst, int Byte,
                             size_t Bytes) {
  std::shared_lock Placed(Memory.placement());
  End To;
  if (cudaError_t Error = find(Dst, Bytes, To))
    return Error;
  cudaError_t Error =
      run(S, cutCopy(To.homes(), To.At, nullptr, 0, Bytes),
          [&](Stream &On, const CopySegment &Segment) {
            return B.fill(On, static_cast<std::byte *>(Dst) + Segment.Lo, Byte,
                          Segment.Hi - Segment.Lo);
          });
  if (!To.Where) {
    std::unique_lock Order(S.lock());
    for (void *Mirror : Symbols.mirrors(Dst))
      if (!Error)
        Error = B.fill(S.main(), Mirror, Byte, Bytes);
  } else {
    To.Where->written();
  }
  Out.Fills.count(Bytes);
  return Error;
}

} // namespace gridspan
