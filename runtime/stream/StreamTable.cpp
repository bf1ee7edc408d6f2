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

cudaError_t StreamTable::create(StreamKind Kind, int Priority,
                                cudaStream_t &Out) {
  collectRemoved();
  std::unique_ptr<Stream> Main;
  if (cudaError_t Error = B.createStream(0, Kind, Priority, Main))
    return Error;
  Out = Main->native();
  Streams.insert(Out, std::make_shared<ProgramStream>(B, std::move(Main)));
  return cudaSuccess;
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
    if (B.query((*It)->main()) == cudaErrorNotReady) {
      ++It;
      continue;
    }
    Idle.push_back(std::move(*It));
    It = Removed.erase(It);
  }
  Guard.unlock();
  // Idle streams are destroyed here, without the lock.
}

ProgramStream *StreamTable::makeDefault(StreamKind Kind, cudaError_t &Error) {
  MutexLock Guard(DefaultLock);
  std::shared_ptr<ProgramStream> &Default =
      Kind == StreamKind::LegacyDefault ? Legacy
                                        : PerThread[std::this_thread::get_id()];
  if (Default)
    return Default.get();
  std::unique_ptr<Stream> Main;
  Error = B.createStream(0, Kind, 0, Main);
  if (!Error)
    Default = std::make_shared<ProgramStream>(B, std::move(Main));
  return Default.get();
}

ProgramStream *StreamTable::legacy(cudaError_t &Error) {
  ProgramStream *S = LegacyStream.load(std::memory_order_acquire);
  if (!S) {
    S = makeDefault(StreamKind::LegacyDefault, Error);
    LegacyStream.store(S, std::memory_order_release);
  }
  return S;
}

ProgramStream *StreamTable::perThread(cudaError_t &Error) {
  struct Mine {
    uint64_t Table;
    ProgramStream *S;
  };
  static constinit thread_local Mine Last = {};
  if (Last.Table != Number || !Last.S)
    Last = {Number, makeDefault(StreamKind::PerThreadDefault, Error)};
  return Last.S;
}

std::shared_ptr<ProgramStream>
StreamTable::find(cudaStream_t Handle, DefaultStream Zero, cudaError_t &Error) {
  Error = cudaSuccess;
  // A pointer that shares nothing is not counted.
  const std::shared_ptr<void> Nothing;
  if (Handle == cudaStreamLegacy || (!Handle && Zero == DefaultStream::Legacy))
    return {Nothing, legacy(Error)};
  if (Handle == cudaStreamPerThread || !Handle)
    return {Nothing, perThread(Error)};
  if (std::shared_ptr<ProgramStream> S = Streams.find(Handle))
    return S;
  // A stream that came from somewhere else, a library for example.
  std::unique_ptr<Stream> Main;
  Error = B.adoptStream(Handle, Main);
  if (Error)
    return nullptr;
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
