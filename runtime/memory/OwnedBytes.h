//===- OwnedBytes.h - What devices keep of what they wrote ------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where devices do not reach each other's memory, what a tile writes stays in
// its device's replica (CopyDirectory.h). Whoever touches an allocation where
// its addresses lead to asks for the bytes first: they are brought home, and
// what follows in the stream finds them there. What launches keep in another
// order (Allocation::Formed) is away in the same way, and comes home as a
// whole.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_MEMORY_OWNEDBYTES_H
#define GRIDSPAN_RUNTIME_MEMORY_OWNEDBYTES_H

#include "runtime/memory/Allocation.h"
#include "runtime/memory/SoleThread.h"
#include "runtime/support/Expected.h"
#include "runtime/support/ThreadSafety.h"
#include <atomic>
#include <span>

namespace gridspan {

class Backend;
class Stream;

/// Thread-safe.
class OwnedBytes {
public:
  explicit OwnedBytes(Backend &B) : B(B) {}
  ~OwnedBytes();

  /// Guards all replicas and directories. Held while a launch that uses some is
  /// enqueued: what fills a replica again waits for launches by their order in
  /// streams.
  Mutex &lock() RETURN_CAPABILITY(Lock) { return Lock; }

  /// Who uses memory, where arrays may have other forms or devices may not
  /// reach each other.
  SoleThread &users() { return Users; }
  /// Notes the calling thread as one of them.
  void noteUser();

  /// Returns true if some bytes may not be at home. Costs a load.
  bool any() const { return NumAway.load(std::memory_order_relaxed) != 0; }

  /// Lets what comes next in S find bytes [Lo, Hi) of A at home. Does nothing
  /// in a stream that is captured: graphs ask when they are launched.
  cudaError_t bring(Allocation &A, uint64_t Lo, uint64_t Hi, Stream &S)
      EXCLUDES(Lock);
  cudaError_t bring(Allocation &A, Stream &S) EXCLUDES(Lock) {
    return bring(A, 0, A.bytes(), S);
  }
  /// Lets what comes next in S write all of Rows at home, whatever is there.
  cudaError_t overwrite(Allocation &A, const ByteRows &Rows, Stream &S)
      EXCLUDES(Lock);
  /// S holds that now: nobody else has these bytes any more.
  void noteOverwritten(Allocation &A, const ByteRows &Rows, Stream &S)
      EXCLUDES(Lock);
  /// bring() with the lock held.
  cudaError_t bringLocked(Allocation &A, uint64_t Lo, uint64_t Hi, Stream &S)
      REQUIRES(Lock);
  /// Brings all of these allocations home before it returns.
  cudaError_t bringNow(std::span<const std::shared_ptr<Allocation>> All)
      EXCLUDES(Lock);

  /// Devices own bytes of A, or the home has been given some.
  void noteAway(Allocation &A) REQUIRES(Lock);
  /// Lets S wait for what the home of A was given.
  cudaError_t awaitHome(Allocation &A, Stream &S) REQUIRES(Lock);
  /// What S holds has given bytes to the home of A, behind awaitHome().
  cudaError_t noteGiven(Allocation &A, Stream &S) REQUIRES(Lock);
  /// Enqueues the copies in S: from replicas to the home, or from anywhere to a
  /// replica. HomeWritten: an event behind what was written at home, besides
  /// what it was given; null: S is. Returns the number of bytes that came from
  /// elsewhere.
  Expected<uint64_t> copy(Stream &S, Allocation &A, Place To,
                          std::span<const LackedBytes> Bytes,
                          Event *HomeWritten = nullptr) REQUIRES(Lock);

  /// Enqueues in S that Rows come to To from From, where bytes of an allocation
  /// are at both. Behind: as of Backend::copyBehind, or empty.
  cudaError_t copyRows(Stream &S, std::byte *To, const std::byte *From,
                       const ByteRows &Rows,
                       std::span<Event *const> Behind = {});

  /// A has no replicas any more, and its home is free behind this: waits for
  /// copies that the home was to be given. Precondition: nobody else uses A.
  void forget(Allocation &A);

  /// Bytes, and times, that were brought home, so far.
  uint64_t bytesBrought() const {
    return BytesBrought.load(std::memory_order_relaxed);
  }
  uint64_t timesBrought() const {
    return TimesBrought.load(std::memory_order_relaxed);
  }

  /// Enqueues in S that A comes into its other order, behind all that its home
  /// was given. Precondition: A.Formed is there, and S waits for who uses A.
  cudaError_t form(Allocation &A, Stream &S) REQUIRES(Lock);

  /// Times, and bytes, that went into another order or back, so far.
  uint64_t timesConverted() const {
    return TimesConverted.load(std::memory_order_relaxed);
  }
  uint64_t bytesConverted() const {
    return BytesConverted.load(std::memory_order_relaxed);
  }

private:
  cudaError_t bringCarrier() REQUIRES(Lock);
  cudaError_t bringFormed(Allocation &A) REQUIRES(Lock);
  void noteConverted(const Allocation &A);
  void noteHome(Allocation &A);
  cudaError_t bringOver(Allocation &A, uint64_t Lo, uint64_t Hi) REQUIRES(Lock);
  cudaError_t useHome(Allocation &A, Stream &S) REQUIRES(Lock);

  Backend &B;
  Mutex Lock;
  SoleThread Users;
  /// A stream that holds nothing but what this enqueues.
  std::unique_ptr<Stream> Carrier GUARDED_BY(Lock);
  std::atomic<unsigned> NumAway{0};
  std::atomic<uint64_t> BytesBrought{0};
  std::atomic<uint64_t> TimesBrought{0};
  std::atomic<uint64_t> TimesConverted{0};
  std::atomic<uint64_t> BytesConverted{0};
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_MEMORY_OWNEDBYTES_H
