//===- StreamTable.cpp - The program's streams ----------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Handles are found in a hash table, default streams without a lock: each
// thread remembers the table's number and its stream. A removed stream is
// destroyed by a later call, once it is idle.
//
//===----------------------------------------------------------------------===//

#include "runtime/stream/StreamTable.h"
#include <cuda_runtime_api.h>

namespace gridspan {

static std::atomic<uint64_t> NextTable{1};

StreamTable::StreamTable(Backend &B) : B(B), Number(NextTable++) {}

Expected<cudaStream_t> StreamTable::create(StreamKind Kind, int Priority) {
  collectRemoved();
  std::unique_ptr<Stream> Main;
  if (cudaError_t Error = B.createStream(0, Kind, Priority, Main))
    return Error;
  const cudaStream_t Handle = Main->native();
  Streams.insert(Handle, std::make_shared<ProgramStream>(B, std::move(Main)));
  return Handle;
}

std::shared_ptr<ProgramStream> StreamTable::remove(cudaStream_t Handle) {
  std::shared_ptr<ProgramStream> S = Streams.remove(Handle);
  if (S) {
    MutexLock Guard(RemovedLock);
    Removed.push_back(S);
  }
  collectRemoved();
  return S;
}

void StreamTable::collectRemoved() {
  std::vector<std::shared_ptr<ProgramStream>> Idle;
  MutexLock Guard(RemovedLock);
  for (auto It = Removed.begin(); It != Removed.end();) {
    // To ask a stream that is captured would spoil the capture.
    Stream &Main = (*It)->main();
    if (B.isCapturing(Main) || B.query(Main) == cudaErrorNotReady) {
      ++It;
      continue;
    }
    Idle.push_back(std::move(*It));
    It = Removed.erase(It);
  }
  Guard.unlock();
  // Idle streams are destroyed here, without the lock.
}

Expected<ProgramStream *> StreamTable::makeDefault(StreamKind Kind) {
  MutexLock Guard(DefaultLock);
  std::shared_ptr<ProgramStream> &Default =
      Kind == StreamKind::LegacyDefault ? Legacy
                                        : PerThread[std::this_thread::get_id()];
  if (Default)
    return Default.get();
  std::unique_ptr<Stream> Main;
  if (cudaError_t Error = B.createStream(0, Kind, 0, Main))
    return Error;
  Default = std::make_shared<ProgramStream>(B, std::move(Main));
  return Default.get();
}

Expected<ProgramStream *> StreamTable::legacy() {
  if (ProgramStream *S = LegacyStream.load(std::memory_order_acquire))
    return S;
  const Expected<ProgramStream *> S = makeDefault(StreamKind::LegacyDefault);
  if (S)
    LegacyStream.store(*S, std::memory_order_release);
  return S;
}

Expected<ProgramStream *> StreamTable::perThread() {
  struct Mine {
    uint64_t Table;
    ProgramStream *S;
  };
  static constinit thread_local Mine Last = {};
  if (Last.Table == Number)
    return Last.S;
  const Expected<ProgramStream *> S = makeDefault(StreamKind::PerThreadDefault);
  if (S)
    Last = {Number, *S};
  return S;
}

Expected<std::shared_ptr<ProgramStream>> StreamTable::find(cudaStream_t Handle,
                                                           DefaultStream Zero) {
  const bool IsLegacy =
      Handle == cudaStreamLegacy || (!Handle && Zero == DefaultStream::Legacy);
  if (IsLegacy || Handle == cudaStreamPerThread || !Handle) {
    const Expected<ProgramStream *> S = IsLegacy ? legacy() : perThread();
    if (!S)
      return S.error();
    // A pointer that shares nothing is not counted.
    return std::shared_ptr<ProgramStream>(std::shared_ptr<void>(), *S);
  }
  if (std::shared_ptr<ProgramStream> S = Streams.find(Handle))
    return S;
  // A stream that came from somewhere else, a library for example.
  std::unique_ptr<Stream> Main;
  if (cudaError_t Error = B.adoptStream(Handle, Main))
    return Error;
  auto S = std::make_shared<ProgramStream>(B, std::move(Main));
  Streams.insert(Handle, S);
  return S;
}

std::vector<std::shared_ptr<ProgramStream>> StreamTable::all() const {
  std::vector<std::shared_ptr<ProgramStream>> Out = Streams.all();
  MutexLock Guard(DefaultLock);
  if (Legacy)
    Out.push_back(Legacy);
  for (const auto &[Owner, S] : PerThread)
    if (S) // null when it could not be made
      Out.push_back(S);
  return Out;
}

} // namespace gridspan
