//===- OutputPipe.h - What kernels of a server print ------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels print on the standard output of their process. On a server that is a
// pipe, and what comes through it goes to rank 0, which prints it.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_BACKEND_RANKS_OUTPUTPIPE_H
#define GRIDSPAN_RUNTIME_BACKEND_RANKS_OUTPUTPIPE_H

#include "runtime/support/FileDescriptor.h"
#include "runtime/support/ThreadSafety.h"
#include <functional>
#include <span>
#include <thread>

namespace gridspan::ranks {

/// Thread-safe. There is one in a process, which lives until it ends.
class OutputPipe {
public:
  using Receiver = std::function<void(std::span<const std::byte>)>;

  /// Takes the place of the standard output.
  explicit OutputPipe(Receiver Receive);
  ~OutputPipe();

  /// Hands over all that has been printed before the call.
  void flush();
  /// Runs Fn. What is printed meanwhile goes nowhere.
  void mute(const std::function<void()> &Fn);

private:
  void drain() REQUIRES(Lock);
  void work();

  const Receiver Receive;
  FileDescriptor From;
  FileDescriptor Stop;
  Mutex Lock; ///< of reading, so that pieces keep their order
  bool IsMute GUARDED_BY(Lock) = false;
  std::thread Reader;
};

} // namespace gridspan::ranks

#endif // GRIDSPAN_RUNTIME_BACKEND_RANKS_OUTPUTPIPE_H
