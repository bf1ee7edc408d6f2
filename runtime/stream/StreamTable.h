//===- StreamTable.h - The program's streams --------------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds the stream that a handle means, with CUDA's special handles: 0 and
// cudaStreamLegacy, cudaStreamPerThread, and 0 from a call that was compiled
// with per-thread default streams.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_STREAM_STREAMTABLE_H
#define GRIDSPAN_RUNTIME_STREAM_STREAMTABLE_H

#include "runtime/stream/ProgramStream.h"
#include "runtime/support/Expected.h"
#include "runtime/support/HandleTable.h"
#include "runtime/support/ThreadSafety.h"
#include <atomic>
#include <thread>

namespace gridspan {

/// The meaning of stream 0 in a call.
enum class DefaultStream { Legacy, PerThread };

/// Thread-safe.
class StreamTable {
public:
  explicit StreamTable(Backend &B);

  Expected<cudaStream_t> create(StreamKind Kind, int Priority);
  /// Takes the stream from the program. Its work still ends: it is destroyed
  /// when it is idle, by a later call. Null for a handle that is none.
  std::shared_ptr<ProgramStream> remove(cudaStream_t Handle);

  /// Returns an error for a handle that is none. Default streams take no lock,
  /// and are not counted: they live as long as the table.
  Expected<std::shared_ptr<ProgramStream>> find(cudaStream_t Handle,
                                                DefaultStream Zero);

  /// All that exist, default streams included.
  std::vector<std::shared_ptr<ProgramStream>> all() const;

private:
  Expected<ProgramStream *> makeDefault(StreamKind Kind);
  Expected<ProgramStream *> legacy();
  Expected<ProgramStream *> perThread();
  void collectRemoved();

  Backend &B;
  /// Tells tables apart in what threads remember.
  const uint64_t Number;
  HandleTable<cudaStream_t, ProgramStream> Streams;

  /// Legacy's, once it is there.
  std::atomic<ProgramStream *> LegacyStream{nullptr};
  mutable Mutex DefaultLock;
  std::shared_ptr<ProgramStream> Legacy GUARDED_BY(DefaultLock);
  /// Kept when their thread ends: their work may not have.
  std::unordered_map<std::thread::id, std::shared_ptr<ProgramStream>>
      PerThread GUARDED_BY(DefaultLock);

  Mutex RemovedLock;
  std::vector<std::shared_ptr<ProgramStream>> Removed GUARDED_BY(RemovedLock);
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_STREAM_STREAMTABLE_H
