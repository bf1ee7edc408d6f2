//===- ServerStream.h - Streams and recordings of a server ------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A stream that rank 0 has made here, and a point in one.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_BACKEND_RANKS_SERVERSTREAM_H
#define GRIDSPAN_RUNTIME_BACKEND_RANKS_SERVERSTREAM_H

#include "runtime/backend/ranks/RankServer.h"

namespace gridspan::ranks {

/// Only the thread that handles messages adds to a stream.
struct RankServer::ServerStream {
  std::unique_ptr<Stream> Native;
  /// Tasks that wait for other ranks, and what is behind them.
  std::shared_ptr<CpuQueue> Queue = std::make_shared<CpuQueue>();
  /// Waits for recordings.
  std::shared_ptr<CpuQueue> Watch = std::make_shared<CpuQueue>();

  ~ServerStream() {
    Queue->stop();
    Watch->stop();
  }

  /// Runs Task, which does not wait, behind all that came before: here if that
  /// is done. Returns the point behind it.
  QueuePoint run(std::function<void()> Task) {
    const QueuePoint Before = Queue->last();
    if (!Before.reached())
      return Queue->push({}, std::move(Task));
    Task();
    return Before;
  }
};

/// An event that was recorded once.
struct RankServer::Recording {
  uint64_t Number = 0;
  int Device = 0;
  bool Timed = false;
  /// Behind this, At and Error are set. At is null after an error.
  QueuePoint Issued;
  std::shared_ptr<Event> At;
  cudaError_t Error = cudaSuccess;
  /// Who is to be told, under RecordingLock.
  std::vector<Tell> Others;
};

} // namespace gridspan::ranks

#endif // GRIDSPAN_RUNTIME_BACKEND_RANKS_SERVERSTREAM_H
