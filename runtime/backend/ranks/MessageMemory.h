//===- MessageMemory.h - Memory for the bytes of messages -------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pieces of data come and go, each of them as large as the last. The C library
// gives such memory back to the system each time, and the first touch of every
// page then takes as long as copying it. So large blocks are kept for the next
// message, up to a bound. Nobody reads bytes that were not written, so that
// they are not set to zeros either.
//
// Devices copy pinned memory several times as fast. Where it pays, a rank adds
// some, and data go there as long as there is room.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_BACKEND_RANKS_MESSAGEMEMORY_H
#define GRIDSPAN_RUNTIME_BACKEND_RANKS_MESSAGEMEMORY_H

#include <cstddef>
#include <new>
#include <utility>
#include <vector>

namespace gridspan::ranks {

// Thread-safe.
void *takeMessageMemory(size_t Bytes);
void giveBackMessageMemory(void *Memory, size_t Bytes);

/// Returns how many bytes of memory that is better than the C library's should
/// be added: none but for the first who asks.
size_t wantedMessageMemory();
/// Adds memory, which lives until the process ends.
void addMessageMemory(void *Memory, size_t Bytes);

template <typename T> struct MessageAllocator {
  // NOLINTNEXTLINE(readability-identifier-naming): the library's name
  using value_type = T;

  MessageAllocator() = default;
  template <typename U> MessageAllocator(const MessageAllocator<U> &) {}

  T *allocate(size_t Count) {
    return static_cast<T *>(takeMessageMemory(Count * sizeof(T)));
  }
  void deallocate(T *Memory, size_t Count) {
    giveBackMessageMemory(Memory, Count * sizeof(T));
  }
  /// Without a value there is none.
  template <typename U> void construct(U *At) {
    ::new (static_cast<void *>(At)) U;
  }
  template <typename U, typename... Args>
  void construct(U *At, Args &&...Values) {
    ::new (static_cast<void *>(At)) U(std::forward<Args>(Values)...);
  }

  bool operator==(const MessageAllocator &) const { return true; }
};

using MessageBytes = std::vector<std::byte, MessageAllocator<std::byte>>;

} // namespace gridspan::ranks

#endif // GRIDSPAN_RUNTIME_BACKEND_RANKS_MESSAGEMEMORY_H
