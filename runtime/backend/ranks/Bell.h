//===- Bell.h - Wakes the thread of a rank ----------------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MPI has no call that sleeps until a message comes. So who sends one rings,
// and the thread that owns MPI sleeps until its bell is rung. A bell is two
// words of memory, which may be shared with other processes, and all zeros at
// first.
//
// No ring is missed: the listener reads the count, then looks for work, and
// sleeps only while the count is what it was. A ringer counts first and then
// looks for a sleeper; the sleeper says that it is one first, and then has the
// kernel compare the count. One of the two sees the other, as both orders are
// sequentially consistent.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_BACKEND_RANKS_BELL_H
#define GRIDSPAN_RUNTIME_BACKEND_RANKS_BELL_H

#include <atomic>
#include <chrono>
#include <cstdint>

namespace gridspan::ranks {

class Bell {
public:
  /// Thread-safe, from any process.
  void ring();

  /// Of the one thread that listens. What was sent before a ring that this
  /// counts is found by a look that comes after the call.
  uint32_t count() { return std::atomic_ref(Rings); }
  /// Sleeps for as long as nobody has rung since count() was Known, and not
  /// longer than Longest.
  void sleep(uint32_t Known, std::chrono::nanoseconds Longest);

private:
  // Accessed atomically only.
  uint32_t Rings = 0;
  uint32_t Sleeps = 0;
};

static_assert(std::atomic_ref<uint32_t>::is_always_lock_free,
              "processes share a bell, and a word of it is a futex");

} // namespace gridspan::ranks

#endif // GRIDSPAN_RUNTIME_BACKEND_RANKS_BELL_H
