//===- DataMover.h - Bytes that go from rank to rank ------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What every rank does for streams of others: it sends rows of its memory,
// writes rows that arrive, and fills. A stream asks for that when it has come
// to it, and waits for the answer; so the mover needs no order of its own but
// that of the messages. Rows travel in pieces, straight from the rank that has
// them to the rank that gets them, as far as its budget goes.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_BACKEND_RANKS_DATAMOVER_H
#define GRIDSPAN_RUNTIME_BACKEND_RANKS_DATAMOVER_H

#include "runtime/backend/Backend.h"
#include "runtime/backend/cpu/CpuQueue.h"
#include "runtime/backend/ranks/Budget.h"
#include "runtime/backend/ranks/Signals.h"
#include "runtime/backend/ranks/Transport.h"
#include "runtime/support/ThreadSafety.h"
#include <functional>
#include <map>
#include <memory>

namespace gridspan::ranks {

class DataMover {
public:
  /// Returns true if this rank may be asked to touch these bytes.
  using Check = std::function<bool(uint64_t Address, uint64_t Bytes)>;

  DataMover(Transport &Way, Signals &Tokens, Backend &Devices, Check MayTouch);
  ~DataMover();

  /// Has data go through pinned memory, where that is faster; else copies take
  /// longer. To be called before streams wait for other ranks, as the driver
  /// may wait for them.
  void pinMemory(Backend &Devices);

  // Handlers of messages. They do not wait.
  void pull(const Pull &M);
  void data(int From, const Data &M, Buffer Keep);
  /// Rank has done with bytes of data of this rank.
  void credit(int Rank, uint64_t Bytes) { Room.giveBack(Rank, Bytes); }
  void fill(const FillAt &M);

  /// Calls Fn for the pieces in which rows travel, each of them All with its
  /// part of them, with where it begins: bytes from the first one of All.
  static void
  forPieces(const Data &All, uint64_t SrcPitch,
            const std::function<void(const Data &Piece, uint64_t From)> &Fn);
  /// Sends rows of the host's memory to a rank; blocks until all are on their
  /// way.
  void push(int To, const Data &All, const std::byte *Src, uint64_t SrcPitch);
  /// Answers a token.
  void answer(int Rank, Token For, cudaError_t Error);

  /// Returns true if rows of that kind lie in what may be touched, and their
  /// sizes make sense.
  static bool areSane(const Rows &R, uint64_t Width, uint64_t Height,
                      const Check &MayTouch);

  /// The bytes of a piece at most.
  static const uint64_t PieceBytes;
  /// What may wait for a rank at most.
  static const uint64_t MostWaiting;

private:
  class Lane;
  cudaError_t write(const Data &M);
  void finishPiece(int From, const Data &M, cudaError_t Error);
  cudaError_t read(std::byte *To, const Pull &M, uint64_t From, const Data &As);

  Transport &Way;
  Signals &Tokens;
  const Check MayTouch;
  /// True if the host's own loads and stores reach memory of devices.
  const bool Direct;
  Budget Room;
  Debts Owed;
  Mutex FailedLock;
  /// The first error of copies whose last piece is still to come, by who waits
  /// for them.
  std::map<std::pair<int, Token>, cudaError_t> Failed GUARDED_BY(FailedLock);
  std::unique_ptr<Lane> Out, In;
};

/// Returns the bytes from the first to behind the last one of rows.
inline uint64_t spanOf(uint64_t Pitch, uint64_t Width, uint64_t Height) {
  return Height ? (Height - 1) * Pitch + Width : 0;
}

} // namespace gridspan::ranks

#endif // GRIDSPAN_RUNTIME_BACKEND_RANKS_DATAMOVER_H
