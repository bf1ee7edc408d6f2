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
// GPUs copy from and to messages, for which there is pinned memory then.
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/ranks/DataMover.h"
#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace gridspan::ranks {

/// Large enough for the network, small enough that the next one is read while
/// it travels.
constexpr uint64_t DataMover::PieceBytes = uint64_t(1) << 20;

/// More than is on the fastest network at a time, and little of the memory of
/// any machine.
constexpr uint64_t DataMover::MostWaiting = 32 * PieceBytes;

/// What is copied at once takes less than it takes to wake a thread.
static constexpr uint64_t BytesAtOnce = 32 << 10;

/// A thread, and a stream for what it copies.
class DataMover::Lane {
public:
  explicit Lane(Backend &B) : B(B) {}
  ~Lane() { Queue->stop(); }

  bool isIdle() const { return Queue->last().reached(); }
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
      Room(Way.numRanks(), MostWaiting), Owed(Way.numRanks(), PieceBytes),
      Out(std::make_unique<Lane>(Devices)),
      In(std::make_unique<Lane>(Devices)) {}

DataMover::~DataMover() { Room.open(); }

void DataMover::pinMemory(Backend &Devices) {
  if (Direct)
    return;
  const size_t Bytes = wantedMessageMemory();
  if (!Bytes)
    return;
  // Never freed: messages may be on their way when devices are closed. Without
  // the pages of a driver they stay what they are.
  void *Memory = std::aligned_alloc(4096, Bytes);
  if (Memory && !Devices.hostRegister(Memory, Bytes, 0))
    addMessageMemory(Memory, Bytes);
  else
    std::free(Memory);
}

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

void DataMover::forPieces(
    const Data &All, uint64_t SrcPitch,
    const std::function<void(const Data &, uint64_t)> &Fn) {
  const uint64_t RowsEach = std::max<uint64_t>(1, PieceBytes / All.Width);
  for (uint64_t Row = 0; Row < All.Height; Row += RowsEach)
    for (uint64_t At = 0; At < All.Width; At += PieceBytes) {
      Data Piece = All;
      Piece.Width = std::min(PieceBytes, All.Width - At);
      Piece.Height = std::min(RowsEach, All.Height - Row);
      Piece.Last =
          Row + Piece.Height == All.Height && At + Piece.Width == All.Width;
      Piece.Dst.Address += Row * All.Dst.Pitch + At;
      Fn(Piece, Row * SrcPitch + At);
    }
}

/// Reads the rows of a piece, which begin From behind the first one of M.
cudaError_t DataMover::read(std::byte *To, const Pull &M, uint64_t From,
                            const Data &As) {
  const void *Src = pointer(M.Src.Address + From);
  if (!Direct)
    return Out->copy(To, As.Width, Src, M.Src.Pitch, As.Width, As.Height);
  copyRows(To, As.Width, Src, M.Src.Pitch, As.Width, As.Height);
  return cudaSuccess;
}

void DataMover::pull(const Pull &M) {
  if (!areSane(M.Src, M.Width, M.Height, MayTouch) || M.DstRank < 0 ||
      M.DstRank >= Way.numRanks() || M.DoneRank < 0 ||
      M.DoneRank >= Way.numRanks())
    return answer(std::clamp(M.DoneRank, 0, Way.numRanks() - 1), M.For,
                  cudaErrorInvalidValue);
  // One piece. The handler does not wait for room, and what waits in the lane
  // holds none: what is ahead of it may wait for that.
  const bool IsLittle = Direct && M.Width <= BytesAtOnce &&
                        M.Width * M.Height <= BytesAtOnce && Out->isIdle() &&
                        Room.tryTake(M.DstRank, M.Width * M.Height);
  const auto Task = [this, M, IsLittle] {
    const Data All = {M.For, M.DoneRank, false, M.Dst, M.Width, M.Height, {}};
    cudaError_t Failed = cudaSuccess;
    forPieces(All, M.Src.Pitch, [&](const Data &Piece, uint64_t From) {
      const uint64_t Size = Piece.Width * Piece.Height;
      if (Failed)
        return;
      if (!IsLittle)
        Room.take(M.DstRank, Size);
      MessageBytes Message = encodeWithRoom(Piece, Size);
      Failed = read(Message.data() + Message.size() - Size, M, From, Piece);
      if (Failed)
        Room.giveBack(M.DstRank, Size);
      else
        Way.send(M.DstRank, std::move(Message));
    });
    if (Failed)
      answer(M.DoneRank, M.For, Failed);
  };
  if (IsLittle)
    Task();
  else
    Out->run(false, Task);
}

void DataMover::push(int To, const Data &All, const std::byte *Src,
                     uint64_t SrcPitch) {
  forPieces(All, SrcPitch, [&](const Data &Piece, uint64_t From) {
    const uint64_t Size = Piece.Width * Piece.Height;
    Room.take(To, Size);
    MessageBytes Message = encodeWithRoom(Piece, Size);
    copyRows(Message.data() + Message.size() - Size, Piece.Width, Src + From,
             SrcPitch, Piece.Width, Piece.Height);
    Way.send(To, std::move(Message));
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

void DataMover::data(int From, const Data &M, Buffer Keep) {
  if (M.DoneRank < 0 || M.DoneRank >= Way.numRanks())
    return;
  if (!areSane(M.Dst, M.Width, M.Height, MayTouch) ||
      M.Bytes.size() / M.Width != M.Height || M.Bytes.size() % M.Width)
    return finishPiece(From, M, cudaErrorInvalidValue);
  In->run(Direct && M.Bytes.size() <= BytesAtOnce,
          [this, From, M, Keep = std::move(Keep)] {
            finishPiece(From, M, write(M));
          });
}

/// The last piece answers for all, with the first error.
void DataMover::finishPiece(int From, const Data &M, cudaError_t Error) {
  if (const uint64_t Bytes = Owed.add(From, M.Bytes.size()))
    Way.send(From, encode(Credit{false, Bytes}));
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

} // namespace gridspan::ranks
