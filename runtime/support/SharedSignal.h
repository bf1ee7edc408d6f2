//===- SharedSignal.h - Steps that processes wait for -----------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A signal is a file in memory. Whoever has it open announces steps, which get
// ascending numbers, and says when one is done; everyone can wait for any step.
// Steps may be done in any order. A step whose process ends before it is done
// never is.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_SUPPORT_SHAREDSIGNAL_H
#define GRIDSPAN_RUNTIME_SUPPORT_SHAREDSIGNAL_H

#include "runtime/support/FileDescriptor.h"
#include <cstdint>
#include <memory>

namespace gridspan {

/// Thread-safe.
class SharedSignal {
public:
  /// Makes a signal without steps. Returns null if the system has no room.
  static std::shared_ptr<SharedSignal> create();
  /// Opens a signal of another process. Returns null if the file holds none.
  static std::shared_ptr<SharedSignal> open(FileDescriptor File);
  ~SharedSignal();
  SharedSignal(const SharedSignal &) = delete;
  SharedSignal &operator=(const SharedSignal &) = delete;

  /// Returns the file by which other processes open the signal.
  const FileDescriptor &file() const { return File; }

  /// Announces the next step and returns its number.
  uint64_t announce();
  /// Says that a step is done. Waits for a step that is so much older that the
  /// signal cannot keep both apart.
  void finish(uint64_t Step);

  /// Returns the last step that was announced, 0 if there is none.
  uint64_t last() const;
  /// Returns true if the step is done, or 0.
  bool isDone(uint64_t Step) const;
  /// Blocks until the step is done.
  void wait(uint64_t Step) const;

private:
  struct Contents;
  SharedSignal(FileDescriptor File, Contents *Mapped);
  static std::shared_ptr<SharedSignal> map(FileDescriptor File);

  const FileDescriptor File;
  Contents *const Mapped;
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_SUPPORT_SHAREDSIGNAL_H
