//===- CopyDirectory.h - Who has which bytes of an allocation ---*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where devices do not reach each other's memory, an allocation has several
// places: its home, which its addresses lead to, and a replica on each device.
// For every byte the directory says which places have its contents, and which
// one of them is its owner: the place that wrote it last, or the home once it
// was brought there. It speaks of one version of the contents. What is written
// behind its back, at the home, makes all places stale but the owners.
//
// A state never changes. So that it has a state again can be told by its
// address, and what follows from a state can be remembered with it.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_BACKEND_COPYDIRECTORY_H
#define GRIDSPAN_RUNTIME_BACKEND_COPYDIRECTORY_H

#include "runtime/backend/ByteRows.h"
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace gridspan {

/// Places as bits.
using PlaceSet = unsigned __int128;

/// The home of an allocation, or a device's replica of it.
class Place {
public:
  static constexpr Place home() { return Place(0); }
  static constexpr Place replicaOn(int Device) {
    return Place(static_cast<unsigned>(Device) + 1);
  }
  bool isHome() const { return Index == 0; }
  /// Precondition: it is a replica.
  int device() const { return static_cast<int>(Index) - 1; }
  PlaceSet bit() const { return PlaceSet(1) << Index; }
  bool operator==(const Place &) const = default;

private:
  explicit constexpr Place(unsigned Index) : Index(Index) {}
  unsigned Index;
};

/// Bytes that are alike: the places that have them, and their owner, which is
/// among these.
struct HeldBytes {
  uint64_t Lo;
  uint64_t Hi;
  Place Owner;
  PlaceSet Holders;
  bool operator==(const HeldBytes &) const = default;
};

/// Bytes that some place lacks, and the place to get them from, their owner.
struct LackedBytes {
  uint64_t Lo;
  uint64_t Hi;
  Place From;
  uint64_t bytes() const { return Hi - Lo; }
  bool operator==(const LackedBytes &) const = default;
};

/// The version of contents: that of the allocation, and that of whatever may be
/// written by unknown pointers.
struct ContentsVersion {
  uint64_t Own = 0;
  uint64_t Anything = 0;
  bool operator==(const ContentsVersion &) const = default;
};

/// What one place does with an allocation in one launch. The rows that places
/// write are disjoint.
struct PlaceUse {
  Place At;
  std::vector<ByteSpan> Reads; ///< ascending, disjoint
  std::vector<ByteRows> Writes;
};

class CopyDirectory {
public:
  /// The bytes that are held elsewhere than at home alone; ascending, disjoint,
  /// neighbours differ.
  using State = std::vector<HeldBytes>;

  /// The most rows that the tiles of a launch may write if they are to stay
  /// where they are written.
  static constexpr uint64_t MaxRows = uint64_t(1) << 16;

  const std::shared_ptr<const State> &state() const { return Now; }
  /// Sets the state to one that a directory of the allocation has had.
  void set(std::shared_ptr<const State> To) { Now = std::move(To); }

  /// Takes note of the present version: if it is another one, only owners have
  /// anything.
  void see(const ContentsVersion &Present);
  const ContentsVersion &version() const { return Seen; }
  /// Takes note that a launch which it knows has made this version of the one
  /// before.
  void advance(const ContentsVersion &To) { Seen = To; }

  /// Returns the bytes of Spans, ascending and disjoint, that At lacks.
  std::vector<LackedBytes> lackedBy(Place At,
                                    std::span<const ByteSpan> Spans) const;
  /// Returns true if At has all of [0, Bytes).
  bool holdsAll(Place At, uint64_t Bytes) const;
  /// Returns the number of bytes that other places own than the home.
  uint64_t bytesAway() const;

  /// At has been given these bytes. The home owns what it has: who writes there
  /// asks no more than that all is there.
  void fetched(Place At, std::span<const LackedBytes> Bytes);
  /// At has written Rows. If they were BroughtHome as well, the home owns them.
  void written(Place At, std::span<const ByteRows> Rows, bool BroughtHome);
  /// At has nothing any more. Precondition: it owns nothing.
  void forget(Place At);
  /// Only owners have anything.
  void keepOwners();

private:
  template <typename Function>
  void change(std::span<const ByteSpan> Spans, Function &&To);
  void put(State New);

  std::shared_ptr<const State> Now; ///< null: nothing is held elsewhere
  ContentsVersion Seen;
};

/// What is copied for a launch before it runs, and what the directory says
/// behind it.
struct CopyStep {
  std::shared_ptr<const CopyDirectory::State> Before;
  bool Stays;
  /// One for each use.
  std::vector<std::vector<LackedBytes>> Fetches;
  std::shared_ptr<const CopyDirectory::State> After;
};

/// Returns the number of rows that all of them write.
uint64_t rowsWritten(std::span<const PlaceUse> Uses);

/// Returns uses in which few rows are written, if Uses have more than MostRows:
/// each place reads what lies between its rows and counts as the writer of that
/// as well. Returns nothing if there are no more, others write there, or it is
/// much more. Precondition of using them: nobody writes there meanwhile.
std::optional<std::vector<PlaceUse>>
closeGaps(std::vector<PlaceUse> Uses,
          uint64_t MostRows = CopyDirectory::MaxRows);

/// Returns the step of a launch with these uses. If what it writes does not
/// stay where it was written, it is brought home behind it.
CopyStep stepOf(const CopyDirectory &Before, std::span<const PlaceUse> Uses,
                bool Stays);

/// Makes rows of spans, ascending, that are of the same length and at equal
/// distances.
std::vector<ByteRows> rowsOf(std::span<const ByteSpan> Spans);

/// Returns the same bytes in fewer rows where some run beside others, as the
/// members of structs do.
std::vector<ByteRows> joinRows(std::vector<ByteRows> Rows);

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_BACKEND_COPYDIRECTORY_H
