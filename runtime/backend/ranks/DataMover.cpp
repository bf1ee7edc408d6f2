//===- DataMover.cpp - Bytes that go from rank to rank --------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two lanes, each with a thread and a stream of its own, so that rows are read
// while others are written. Little work is done at once where the lane has
// nothing else to do: waking a thread takes longer.
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/ranks/DataMover.h"
#include <algorithm>
#include <cstring>

namespace gridspan::ranks {

/// The bytes of a piece: large enough for the network, small enough that the
/// next one is read while it travels.
static constexpr uint64_t PieceBytes = 1 << 20;

/// What is copied at once takes less than it takes to wake a thread.
static constexpr uint64_t BytesAtOnce = 32 << 10;

/// A thread, and a stream for what it copies.
class DataMover::Lane {
public:
  explicit Lane(Backend &B) : B(B) {}
  ~Lane() { Queue->stop(); }

  /// Runs Task behind all earlier ones; here, if it is little and there are
  /// none.
  template <typename Fn> void run(bool IsLittle, Fn Task) {
    if (IsLittle && Queue->last().reached())
      Task();
    else
      Queue->push({}, std::move(Task));
  }

  cudaError_t copy(void *Dst, uint64_t DstPitch, const void *Src,
                   uint64_t SrcPitch, uint64_t Width, uint64_t Height) {
    if (cudaError_t Error = needStream())
      return Error;
    if (cudaError_t Error =
            B.copy2D(*S, Dst, DstPitch, Src, SrcPitch, Width, Height))
      return Error;
    return B.synchronize(*S);
  }
  cudaError_t fill(void *Dst, int Byte, uint64_t Bytes) {
    if (cudaError_t Error = needStream())
      return Error;
    if (cudaError_t Error = B.fill(*S, Dst, Byte, Bytes))
      return Error;
    return B.synchronize(*S);
  }

private:
  cudaError_t needStream() {
    return S ? cudaSuccess : B.createStream(0, StreamKind::NonBlocking, 0, S);
  }

  Backend &B;
  std::unique_ptr<Stream> S;
  std::shared_ptr<CpuQueue> Queue = std::make_shared<CpuQueue>();
};

static void copyRows(void *Dst, uint64_t DstPitch, const void *Src,
                     uint64_t SrcPitch, uint64_t Width, uint64_t Height) {
  for (uint64_t Row = 0; Row != Height; ++Row)
    std::memmove(static_cast<std::byte *>(Dst) + Row * DstPitch,
                 static_cast<const std::byte *>(Src) + Row * SrcPitch, Width);
}

static void *pointer(uint64_t Address) {
  return reinterpret_cast<void *>(Address);
}

DataMover::DataMover(Transport &Way, Signals &Tokens, Backend &Devices,
                     Check MayTouch)
    : Way(Way), Tokens(Tokens), MayTouch(std::move(MayTouch)),
      Direct(std::strcmp(Devices.name(), "cpu") == 0),
      Out(std::make_unique<Lane>(Devices)),
      In(std::make_unique<Lane>(Devices)) {}

DataMover::~DataMover() = default;

bool DataMover::areSane(const Rows &R, uint64_t Width, uint64_t Height,
                        const Check &MayTouch) {
  constexpr uint64_t Most = uint64_t(1) << 47;
  if (Width == 0 || Height == 0 || Width > Most || Height > Most ||
      R.Pitch > Most || R.Address > Most)
    return false;
  if (Height > 1 && (R.Pitch < Width || Height > Most / R.Pitch))
    return false;
  return MayTouch(R.Address, spanOf(R.Pitch, Width, Height));
}

void DataMover::answer(int Rank, Token For, cudaError_t Error) {
  if (Rank == Way.rank())
    Tokens.arrive(For, Error);
  else
    Way.send(Rank, encode(Done{For, Error}));
}

/// Calls Fn for the pieces of rows, each of them All with its part, whose bytes
/// come from Read(where they go, distance from the first byte, width, height).
/// Ends with the first error of Read.
template <typename Reader, typename Callback>
static cudaError_t forPiecesOf(const Data &All, uint64_t SrcPitch, Reader Read,
                               Callback Fn) {
  const uint64_t RowsEach = std::max<uint64_t>(1, PieceBytes / All.Width);
  for (uint64_t Row = 0; Row < All.Height; Row += RowsEach)
    for (uint64_t At = 0; At < All.Width; At += PieceBytes) {
      Data Piece = All;
      Piece.Width = All.Width > PieceBytes
                        ? std::min(PieceBytes, All.Width - At)
                        : All.Width;
      Piece.Height = std::min(RowsEach, All.Height - Row);
      std::vector<std::byte> Bytes(Piece.Width * Piece.Height);
      if (cudaError_t Error = Read(Bytes.data(), Row * SrcPitch + At,
                                   Piece.Width, Piece.Height))
        return Error;
      Piece.Last =
          Row + Piece.Height == All.Height && At + Piece.Width == All.Width;
      Piece.Dst.Address += Row * All.Dst.Pitch + At;
      Piece.Bytes = Bytes;
      Fn(Piece);
    }
  return cudaSuccess;
}

void DataMover::pull(const Pull &M) {
  if (!areSane(M.Src, M.Width, M.Height, MayTouch) || M.DstRank < 0 ||
      M.DstRank >= Way.numRanks() || M.DoneRank < 0 ||
      M.DoneRank >= Way.numRanks())
    return answer(std::clamp(M.DoneRank, 0, Way.numRanks() - 1), M.For,
                  cudaErrorInvalidValue);
  Out->run(Direct && M.Width * M.Height <= BytesAtOnce, [this, M] {
    const Data All = {M.For, M.DoneRank, false, M.Dst, M.Width, M.Height, {}};
    const cudaError_t Failed = forPiecesOf(
        All, M.Src.Pitch,
        [&](std::byte *To, uint64_t At, uint64_t Width, uint64_t Height) {
          const void *Src = pointer(M.Src.Address + At);
          if (!Direct)
            return Out->copy(To, Width, Src, M.Src.Pitch, Width, Height);
          copyRows(To, Width, Src, M.Src.Pitch, Width, Height);
          return cudaSuccess;
        },
        [&](const Data &Piece) { Way.send(M.DstRank, encode(Piece)); });
    if (Failed)
      answer(M.DoneRank, M.For, Failed);
  });
}

cudaError_t DataMover::write(const Data &M) {
  void *Dst = pointer(M.Dst.Address);
  if (!Direct)
    return In->copy(Dst, M.Dst.Pitch, M.Bytes.data(), M.Width, M.Width,
                    M.Height);
  copyRows(Dst, M.Dst.Pitch, M.Bytes.data(), M.Width, M.Width, M.Height);
  return cudaSuccess;
}

void DataMover::data(const Data &M, Buffer Keep) {
  if (M.DoneRank < 0 || M.DoneRank >= Way.numRanks())
    return;
  if (!areSane(M.Dst, M.Width, M.Height, MayTouch) ||
      M.Bytes.size() / M.Width != M.Height || M.Bytes.size() % M.Width)
    return finishPiece(M, cudaErrorInvalidValue);
  In->run(Direct && M.Bytes.size() <= BytesAtOnce,
          [this, M, Keep = std::move(Keep)] { finishPiece(M, write(M)); });
}

/// The last piece answers for all, with the first error.
void DataMover::finishPiece(const Data &M, cudaError_t Error) {
  const std::pair<int, Token> Of = {M.DoneRank, M.For};
  {
    MutexLock Guard(FailedLock);
    if (Error)
      Failed.emplace(Of, Error);
    if (!M.Last)
      return;
    if (const auto It = Failed.find(Of); It != Failed.end()) {
      Error = It->second;
      Failed.erase(It);
    }
  }
  answer(M.DoneRank, M.For, Error);
}

void DataMover::fill(const FillAt &M) {
  if (M.DoneRank < 0 || M.DoneRank >= Way.numRanks())
    return;
  if (!MayTouch(M.Address, M.Bytes))
    return answer(M.DoneRank, M.For, cudaErrorInvalidValue);
  In->run(false, [this, M] {
    answer(M.DoneRank, M.For, In->fill(pointer(M.Address), M.Byte, M.Bytes));
  });
}

void DataMover::forPieces(const Data &All, const std::byte *Src,
                          uint64_t SrcPitch,
                          const std::function<void(const Data &)> &Fn) {
  (void)forPiecesOf(
      All, SrcPitch,
      [&](std::byte *To, uint64_t At, uint64_t Width, uint64_t Height) {
        copyRows(To, Width, Src + At, SrcPitch, Width, Height);
        return cudaSuccess;
      },
      Fn);
}

std::vector<std::vector<std::byte>> DataMover::asMessages(const Data &All,
                                                          const std::byte *Src,
                                                          uint64_t SrcPitch) {
  std::vector<std::vector<std::byte>> Out;
  forPieces(All, Src, SrcPitch,
            [&](const Data &Piece) { Out.push_back(encode(Piece)); });
  return Out;
}

} // namespace gridspan::ranks
