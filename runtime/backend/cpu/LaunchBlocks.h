//===- LaunchBlocks.h - Blocks that workers share ---------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the threads that run one launch share: the blocks that nobody has taken
// yet, the first block that failed, and text of printf. Blocks are handed out
// in ascending order, in ranges that become shorter towards the end
// (Polychronopoulos and Kuck, "Guided self-scheduling", IEEE Trans. Computers
// 36, 1987).
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_BACKEND_CPU_LAUNCHBLOCKS_H
#define GRIDSPAN_RUNTIME_BACKEND_CPU_LAUNCHBLOCKS_H

#include "runtime/support/ThreadSafety.h"
#include <atomic>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <string_view>

namespace gridspan {

/// Thread-safe.
class LaunchBlocks {
public:
  /// Blocks [First, End) for that many workers.
  LaunchBlocks(uint64_t First, uint64_t End, unsigned Workers)
      : End(End), Workers(Workers), Next(First) {}

  /// Returns true if several threads run the launch.
  bool isShared() const { return Workers > 1; }

  struct Range {
    uint64_t Begin = 0, End = 0;
    bool empty() const { return Begin == End; }
  };
  /// Returns blocks that the caller is to run; none if all are taken. The
  /// ranges of one caller ascend.
  Range take();

  /// Notes that a block has failed.
  void fail(uint64_t Block);
  /// Returns true if the launch has failed.
  bool hasFailed() const { return FirstFailed.load() != None; }
  /// Returns true unless an earlier block has failed. Later blocks need not
  /// run; earlier ones must, so that the first failure is the one reported.
  bool isWanted(uint64_t Block) const { return Block < FirstFailed.load(); }

  /// Takes what Block printed, after what it printed before. What is not
  /// written yet is written in the order of blocks; and when it becomes more
  /// than 16 MiB.
  void print(uint64_t Block, std::string_view Text);
  /// Writes what was printed.
  void flush();

private:
  static constexpr uint64_t None = std::numeric_limits<uint64_t>::max();

  void write() REQUIRES(Lock);

  const uint64_t End;
  const unsigned Workers;
  std::atomic<uint64_t> Next;
  std::atomic<uint64_t> FirstFailed{None};
  Mutex Lock;
  std::map<uint64_t, std::string> Output GUARDED_BY(Lock); ///< by block
  size_t Bytes GUARDED_BY(Lock) = 0;
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_BACKEND_CPU_LAUNCHBLOCKS_H
