//===- RankBackendWork.cpp - Work of devices of all ranks -----------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Work that needs no other rank is a command to the stream's rank. For what
// needs one, the stream's rank sends a message on the stream's behalf when the
// stream comes to it, and the stream waits for the answer: rows are asked of
// the rank that has them, which sends them to the rank that gets them, which
// answers.
//
// Pageable memory of the host may be changed as soon as a call returns. What is
// read from there is read at once, and waits for the stream in other memory, as
// far as a bound for each rank allows; else the call waits. Who writes to
// pageable memory waits, too.
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/Reduction.h"
#include "runtime/backend/ranks/RankBackend.h"
#include "runtime/backend/ranks/RankObjects.h"
#include <cstring>
#include <cuda_runtime_api.h>

namespace gridspan::ranks {

cudaError_t RankBackend::step(Stream &S, int To, Token For,
                              MessageBytes Message) {
  if (isRemote(S.device())) {
    command(ranks(S), Step{ranks(S).Number, For, To, Message});
    return cudaSuccess;
  }
  return ownStep(S, For, [this, To, Message = std::move(Message)] {
    Way.send(To, Message);
  });
}

cudaError_t RankBackend::ownStep(Stream &S, Token For,
                                 std::function<void()> Send) {
  return ownWait(S, [this, For, Send = std::move(Send)] {
    Send();
    if (const int32_t Failed = Tokens.wait(For).Error) {
      cudaError_t None = cudaSuccess;
      Error.compare_exchange_strong(None, static_cast<cudaError_t>(Failed));
    }
  });
}

cudaError_t RankBackend::ownWait(Stream &S, std::function<void()> Fn) {
  return OwnStreams ? OwnStreams->runInStream(own(S), std::move(Fn))
                    : inner().hostFunction(own(S), std::move(Fn));
}

//===--- Copies and fills -----------------------------------------------===//

cudaError_t RankBackend::copy(Stream &S, void *Dst, const void *Src,
                              size_t Bytes) {
  if (Bytes == 0)
    return cudaSuccess;
  const Located To = locate(Dst), From = locate(Src);
  if (To.Rank == 0 && From.Rank == 0 && !isRemote(S.device()))
    return inner().copy(own(S), Dst, Src, Bytes);
  return copyFar(S, To, Dst, Bytes, From, Src, Bytes, Bytes, 1);
}

cudaError_t RankBackend::copy2D(Stream &S, void *Dst, size_t DstPitch,
                                const void *Src, size_t SrcPitch, size_t Width,
                                size_t Height) {
  if (Width == 0 || Height == 0)
    return cudaSuccess;
  const Located To = locate(Dst), From = locate(Src);
  if (To.Rank == 0 && From.Rank == 0 && !isRemote(S.device()))
    return inner().copy2D(own(S), Dst, DstPitch, Src, SrcPitch, Width, Height);
  return copyFar(S, To, Dst, DstPitch, From, Src, SrcPitch, Width, Height);
}

cudaError_t RankBackend::copyFar(Stream &S, Located Dst, void *DstHost,
                                 size_t DstPitch, Located Src,
                                 const void *SrcHost, size_t SrcPitch,
                                 size_t Width, size_t Height) {
  const int Rank = rankOf(S);
  const Rows To = {Dst.Address, DstPitch}, From = {Src.Address, SrcPitch};
  if (Dst.Rank == Rank && Src.Rank == Rank) {
    command(ranks(S), Copy{ranks(S).Number, To, From, Width, Height});
    return cudaSuccess;
  }
  const bool ReadsPageable =
      Src.Rank == 0 &&
      inner().isPageable(SrcHost, spanOf(SrcPitch, Width, Height));
  const bool WritesPageable =
      Dst.Rank == 0 &&
      inner().isPageable(DstHost, spanOf(DstPitch, Width, Height));
  const auto *Bytes = static_cast<const std::byte *>(SrcHost);
  if (ReadsPageable && (Dst.Rank == Rank || Rank == 0)) {
    if (Staged.tryTake(Rank, Width * Height)) {
      const cudaError_t Failed =
          Rank ? write(ranks(S), To, Bytes, SrcPitch, Width, Height)
               : pushOwn(S, Dst, DstPitch, Bytes, SrcPitch, Width, Height);
      return Failed || !WritesPageable ? Failed : synchronize(S);
    }
  }
  const Token T = ++LastNumber;
  if (cudaError_t Failed =
          step(S, Src.Rank, T,
               encode(Pull{T, Rank, Dst.Rank, From, To, Width, Height})))
    return Failed;
  return WritesPageable || ReadsPageable ? synchronize(S) : cudaSuccess;
}

/// Has rows of the host's memory written by a stream of another rank. They are
/// staged there.
cudaError_t RankBackend::write(RankStream &S, Rows Dst, const std::byte *Src,
                               size_t SrcPitch, size_t Width, size_t Height) {
  Data All;
  All.Dst = Dst;
  All.Width = Width;
  All.Height = Height;
  DataMover::forPieces(All, SrcPitch, [&](const Data &Piece, uint64_t From) {
    const uint64_t Size = Piece.Width * Piece.Height;
    MessageBytes Message = encodeWithRoom(
        Write{S.Number, Piece.Dst, Piece.Width, Piece.Height, {}}, Size);
    for (uint64_t Row = 0; Row != Piece.Height; ++Row)
      std::memcpy(Message.data() + Message.size() - Size + Row * Piece.Width,
                  Src + From + Row * SrcPitch, Piece.Width);
    MutexLock Guard(S.Lock);
    Way.send(rankOf(S), std::move(Message));
    ++S.Commands;
  });
  return cudaSuccess;
}

/// Has rows of the host's memory sent by a stream of rank 0. They are staged
/// here.
cudaError_t RankBackend::pushOwn(Stream &S, Located Dst, size_t DstPitch,
                                 const std::byte *Src, size_t SrcPitch,
                                 size_t Width, size_t Height) {
  const Token T = ++LastNumber;
  Data All;
  All.For = T;
  All.Dst = {Dst.Address, DstPitch};
  All.Width = Width;
  All.Height = Height;
  // Given back also if the stream has failed and never comes there.
  const auto Release = [this, Size = Width * Height](MessageBytes *Rows) {
    delete Rows;
    Staged.giveBack(0, Size);
  };
  const std::shared_ptr<MessageBytes> Copy(new MessageBytes(Width * Height),
                                           Release);
  for (uint64_t Row = 0; Row != Height; ++Row)
    std::memcpy(Copy->data() + Row * Width, Src + Row * SrcPitch, Width);
  return ownStep(S, T, [this, All, Copy, To = Dst.Rank] {
    Mover->push(To, All, Copy->data(), All.Width);
  });
}

cudaError_t RankBackend::fill(Stream &S, void *Dst, int Byte, size_t Bytes) {
  const Located To = locate(Dst);
  const int Rank = rankOf(S);
  if (Rank == 0 && To.Rank == 0)
    return inner().fill(own(S), Dst, Byte, Bytes);
  if (Bytes == 0)
    return cudaSuccess;
  const auto Value = static_cast<uint8_t>(Byte);
  if (Rank == To.Rank) {
    command(ranks(S), Fill{ranks(S).Number, To.Address, Bytes, Value});
    return cudaSuccess;
  }
  if (To.Rank == 0 && inner().isPageable(Dst, Bytes))
    return cudaErrorInvalidValue; // not memory of a device
  const Token T = ++LastNumber;
  return step(S, To.Rank, T, encode(FillAt{T, Rank, To.Address, Bytes, Value}));
}

// Indices are inspected where all devices reach each other.
cudaError_t RankBackend::indexBounds(Stream &S, const void *From,
                                     uint64_t Count, unsigned ElementBytes,
                                     uint64_t PerLeaf, IndexBounds *Out) {
  if (isRemote(S.device()) || locate(From).Rank != 0)
    return cudaErrorNotSupported;
  return inner().indexBounds(own(S), From, Count, ElementBytes, PerLeaf, Out);
}

cudaError_t RankBackend::fillIdentity(Stream &S, GridspanReduction Kind,
                                      void *Dst, uint64_t Count) {
  if (!isRemote(S.device()))
    return inner().fillIdentity(own(S), Kind, Dst, Count);
  const Located To = locate(Dst);
  if (elementBytes(Kind) == 0 || To.Rank != rankOf(S))
    return cudaErrorInvalidValue;
  if (Count)
    command(ranks(S), FillIdentity{ranks(S).Number, To.Address, Count,
                                   static_cast<uint8_t>(Kind)});
  return cudaSuccess;
}

cudaError_t RankBackend::combine(Stream &S, GridspanReduction Kind, void *Into,
                                 std::span<const void *const> From,
                                 uint64_t Count) {
  if (!isRemote(S.device()))
    return inner().combine(own(S), Kind, Into, From, Count);
  const Located To = locate(Into);
  if (elementBytes(Kind) == 0 || To.Rank != rankOf(S))
    return cudaErrorInvalidValue;
  for (const void *At : From) {
    const Located Part = locate(At);
    if (Part.Rank != rankOf(S))
      return cudaErrorInvalidValue;
    if (Count)
      command(ranks(S), Combine{ranks(S).Number, To.Address, Part.Address,
                                Count, static_cast<uint8_t>(Kind)});
  }
  return cudaSuccess;
}

/// Only rank 0 has forms: whoever has devices that are apart keeps records.
cudaError_t RankBackend::convertRecords(Stream &S, const RecordForm &Form,
                                        FormDirection Direction, void *Records,
                                        void *Fields, uint64_t Bytes) {
  if (isRemote(S.device()))
    return cudaErrorNotSupported;
  return inner().convertRecords(own(S), Form, Direction, Records, Fields,
                                Bytes);
}

//===--- Launches and host functions ------------------------------------===//

/// Writes the attributes of a launch that ranks know. Returns false if there
/// are others.
static bool writeAttributes(const LaunchShape &Shape, Launch &Out) {
  for (unsigned I = 0; I != Shape.NumAttributes; ++I) {
    const cudaLaunchAttribute &A = Shape.Attributes[I];
    if (A.id == cudaLaunchAttributeClusterDimension)
      Out.Cluster = {A.val.clusterDim.x, A.val.clusterDim.y,
                     A.val.clusterDim.z};
    else if (A.id != cudaLaunchAttributeIgnore &&
             A.id != cudaLaunchAttributePriority &&
             A.id != cudaLaunchAttributeCooperative)
      return false;
  }
  return true;
}

cudaError_t RankBackend::launch(Stream &S, const LaunchTarget &Target,
                                const LaunchShape &Shape, void *const *Args,
                                const GridspanTile *Tile) {
  if (!isRemote(S.device()))
    return inner().launch(own(S), Target, Shape, Args, Tile);
  const GridspanKernel *K = Target.Kernel;
  if (!K)
    return cudaErrorInvalidDeviceFunction;
  const Expected<uint32_t> Number = kernelNumber(rankOf(S), K);
  if (!Number)
    return Number.error();
  Launch M;
  if (!writeAttributes(Shape, M))
    return cudaErrorNotSupported;
  M.Stream = ranks(S).Number;
  M.Kernel = *Number;
  M.NoAlias = Target.NoAlias;
  M.Cooperative = Shape.Cooperative;
  M.Grid = {Shape.Grid.x, Shape.Grid.y, Shape.Grid.z};
  M.Block = {Shape.Block.x, Shape.Block.y, Shape.Block.z};
  M.SharedBytes = Shape.DynamicSharedBytes;
  M.HasTile = Tile != nullptr;
  if (Tile)
    M.Tile = {Tile->Origin[0], Tile->Origin[1], Tile->Origin[2],
              Tile->Grid[0],   Tile->Grid[1],   Tile->Grid[2]};
  std::vector<std::byte> Packed(argumentBytes(*K));
  for (uint32_t I = 0; I != K->NumParams; ++I)
    std::memcpy(Packed.data() + K->Params[I].Offset, Args[I],
                K->Params[I].Size);
  M.Arguments = Packed;
  command(ranks(S), M);
  return cudaSuccess;
}

cudaError_t RankBackend::hostFunction(Stream &S, std::function<void()> Fn) {
  if (!isRemote(S.device()))
    return inner().hostFunction(own(S), std::move(Fn));
  RankStream &On = ranks(S);
  {
    MutexLock Guard(On.Lock);
    if (!On.Functions)
      On.Functions = std::make_shared<CpuQueue>();
  }
  if (OwnStreams)
    Fn = OwnStreams->ofProgram(std::move(Fn));
  const uint64_t Number = ++LastNumber;
  {
    MutexLock Guard(FunctionLock);
    Functions.emplace(Number, HostFunction{std::move(Fn), On.Functions});
  }
  const Token T = ++LastNumber;
  return step(S, 0, T, encode(Call{T, rankOf(S), Number}));
}

} // namespace gridspan::ranks
