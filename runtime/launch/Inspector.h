//===- Inspector.h - The contents of index arrays ---------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where a kernel accesses a[idx[i]], the range of a box of blocks depends on
// what idx holds. The inspector keeps tables of that (IndexTable.h), each good
// for one version of an allocation's contents, and gives a launch a view of
// those that are good when it is planned (inspector-executor: J. Saltz,
// R. Mirchandaney, K. Crowley, "Run-time parallelization and scheduling of
// loops", IEEE Transactions on Computers 40(5), 1991).
//
// No launch waits for a table: a device makes it behind a launch that found the
// contents as an earlier one did, and later launches find it. Out-of-core
// launches are complete when they return, and have all devices idle; they make
// it at once, by threads where the contents are on the host.
//
// Thread-safe; the placement is held.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_LAUNCH_INSPECTOR_H
#define GRIDSPAN_RUNTIME_LAUNCH_INSPECTOR_H

#include "runtime/backend/IndexTable.h"
#include "runtime/launch/Executor.h"
#include "runtime/support/ThreadSafety.h"
#include <atomic>
#include <memory>
#include <vector>

namespace gridspan {

/// Tables of an allocation's contents.
struct InspectedContents {
  struct Entry {
    uint64_t Version; ///< versionOf()
    std::shared_ptr<const IndexTable> Table;
    bool Used = false; ///< by a launch
  };
  std::vector<Entry> Entries;
  /// Tables that were made and never used, one after the other.
  unsigned Wasted = 0;
};

/// The knowledge that a launch has of the indices it loads. Collects what it is
/// asked and does not know. For one thread at a time.
class IndexView : public GridspanIndices {
public:
  /// A part of an allocation's contents.
  struct Part {
    unsigned Allocation; ///< of the launch's
    unsigned ElementBytes;
    uint64_t Lo, Hi; ///< bytes
  };

  IndexView();

  /// Returns what was asked and not known, one part for each allocation and
  /// size of integers.
  const std::vector<Part> &missing() const { return Missing; }
  void forgetMissing() { Missing.clear(); }
  /// Returns the allocations of which a bound was given.
  const std::vector<unsigned> &used() const { return Used; }
  /// Notes in a kernel's counters if bounds were given, and why not.
  void note(KernelCounters &Counters) const;

private:
  friend class Inspector;
  struct Source {
    const std::byte *Base = nullptr; ///< null: not to be inspected
    uint64_t Bytes = 0;
    LaunchReason WhyNot = LaunchReason::None;
    uint64_t Version = 0;
    std::vector<std::shared_ptr<const IndexTable>> Tables;
  };

  static uint32_t answer(const GridspanIndices *Self, const void *Pointer,
                         int64_t Lo, int64_t Last, uint32_t Bytes, int64_t *Min,
                         int64_t *Max);
  std::optional<IndexBounds> bound(const std::byte *Pointer, int64_t Lo,
                                   int64_t Last, unsigned ElementBytes);
  void miss(Part P);

  std::vector<Source> Sources; ///< by allocation of the launch
  std::vector<Part> Missing;
  std::vector<unsigned> Used;
  /// The reason why something was not known that no inspection will tell, or
  /// None.
  LaunchReason WhyNot = LaunchReason::None;
};

class Inspector {
public:
  Inspector(Backend &B, MemoryManager &Memory, StreamTable &Streams,
            Executor &Exec)
      : B(B), Memory(Memory), Streams(Streams), Exec(Exec) {}
  /// Waits for tables that are being made.
  ~Inspector();

  /// Gives In a view of the indices that it may load, if it may load any.
  void look(PlanInput &In,
            const std::vector<std::shared_ptr<Allocation>> &Allocations);

  /// Enqueues the making of tables that In has missed, behind what S holds.
  /// Only for contents that did not change between this launch and an earlier
  /// one.
  void
  inspectBehind(const PlanInput &In,
                const std::vector<std::shared_ptr<Allocation>> &Allocations,
                ProgramStream &S);

  /// Returns how often inspectBehind() has asked a device for a table.
  uint64_t numInspections() const { return NumInspections; }

  /// Makes at once all tables that the launch needs, until its ranges ask for
  /// no others. All devices are idle. A failure leaves ranges
  /// unknown.
  void inspectNow(PlanInput &In,
                  const std::vector<std::shared_ptr<Allocation>> &Allocations,
                  Stream &S) REQUIRES(PlacementLock::Held);

  /// Returns a number that is another one whenever the contents of A may have
  /// changed.
  uint64_t versionOf(const Allocation &A) const {
    return A.version() + Exec.anyWrites(); // both only grow
  }

private:
  /// Host memory of the backend for the bounds of a table.
  struct Buffer {
    IndexBounds *At = nullptr;
    uint64_t Leaves = 0; ///< that there is room for
  };

  /// A table that a device is making.
  struct Making {
    std::weak_ptr<Allocation> Of;
    uint64_t Version;
    std::shared_ptr<IndexTable> Table;
    Buffer Bounds;
    std::unique_ptr<Event> Done;
  };

  bool othersAreIdle(const ProgramStream &S);
  Buffer takeBuffer(uint64_t Leaves) REQUIRES(Lock);
  void collect() REQUIRES(Lock);
  void keep(Allocation &A, uint64_t Version,
            std::shared_ptr<const IndexTable> Table) REQUIRES(Lock);
  std::shared_ptr<const IndexTable> scanNow(Allocation &A,
                                            const IndexView::Part &P, Stream &S)
      REQUIRES(Lock) REQUIRES(PlacementLock::Held);

  std::atomic<uint64_t> NumInspections{0};
  Backend &B;
  MemoryManager &Memory;
  StreamTable &Streams;
  Executor &Exec;
  Mutex Lock; ///< guards all tables
  std::vector<Making> InProgress GUARDED_BY(Lock);
  std::vector<Buffer> Buffers GUARDED_BY(Lock); ///< unused ones
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_LAUNCH_INSPECTOR_H
