//===- StreamCapture.cpp - Captures of the CPU device ---------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each stream of a capture has the nodes that its next one comes behind: those
// of its last call, and those of the events that it has waited for since.
//
//===----------------------------------------------------------------------===//

#include "runtime/api/StreamCapture.h"
#include <algorithm>
#include <unordered_set>

namespace gridspan {

StreamCapture &StreamCapture::get() {
  static auto *Captures = new StreamCapture;
  return *Captures;
}

cudaError_t StreamCapture::begin(const ProgramStream &S,
                                 std::shared_ptr<CpuGraph> Graph,
                                 std::vector<GraphNode *> Behind) {
  MutexLock Guard(Lock);
  if (Streams.contains(&S))
    return cudaErrorIllegalState;
  auto State = std::make_shared<CaptureState>();
  State->Graph = std::move(Graph);
  State->Origin = &S;
  State->Id = ++LastId;
  Streams[&S] = {std::move(State), std::move(Behind)};
  Count.fetch_add(1, std::memory_order_relaxed);
  return cudaSuccess;
}

/// Returns true if the nodes are before those of Tail, or among them.
bool StreamCapture::isJoined(const std::vector<GraphNode *> &Nodes,
                             const std::vector<GraphNode *> &Tail) {
  std::unordered_set<const GraphNode *> Before;
  std::vector<const GraphNode *> Work(Tail.begin(), Tail.end());
  while (!Work.empty()) {
    const GraphNode *Node = Work.back();
    Work.pop_back();
    if (Before.insert(Node).second)
      Work.insert(Work.end(), Node->Dependencies.begin(),
                  Node->Dependencies.end());
  }
  return std::all_of(Nodes.begin(), Nodes.end(), [&](const GraphNode *Node) {
    return Before.contains(Node);
  });
}

Expected<std::shared_ptr<CpuGraph>> StreamCapture::end(const ProgramStream &S) {
  // The graph of a capture that failed dies after the lock: memory of its nodes
  // is freed then.
  Place Own;
  MutexLock Guard(Lock);
  const auto It = Streams.find(&S);
  if (It == Streams.end())
    return cudaErrorIllegalState;
  Own = It->second;
  if (Own.Of->Origin != &S)
    return cudaErrorStreamCaptureUnmatched;
  bool Joined = true;
  for (auto At = Streams.begin(); At != Streams.end();) {
    if (At->second.Of != Own.Of) {
      ++At;
      continue;
    }
    Joined &= isJoined(At->second.Tail, Own.Tail);
    At = Streams.erase(At);
    Count.fetch_sub(1, std::memory_order_relaxed);
  }
  for (const std::vector<GraphNode *> &Tail : Own.Of->DestroyedTails)
    Joined &= isJoined(Tail, Own.Tail);
  std::erase_if(Events, [&](const auto &E) { return E.second.Of == Own.Of; });
  if (Own.Of->IsInvalid)
    return cudaErrorStreamCaptureInvalidated;
  if (!Joined)
    return cudaErrorStreamCaptureUnjoined;
  return Own.Of->Graph;
}

std::shared_ptr<CaptureState> StreamCapture::find(const ProgramStream &S) {
  MutexLock Guard(Lock);
  const auto It = Streams.find(&S);
  return It == Streams.end() ? nullptr : It->second.Of;
}

std::vector<GraphNode *> StreamCapture::tail(const ProgramStream &S) {
  MutexLock Guard(Lock);
  const auto It = Streams.find(&S);
  return It == Streams.end() ? std::vector<GraphNode *>() : It->second.Tail;
}

cudaError_t StreamCapture::setTail(const ProgramStream &S,
                                   std::vector<GraphNode *> Nodes) {
  MutexLock Guard(Lock);
  const auto It = Streams.find(&S);
  if (It == Streams.end())
    return cudaErrorIllegalState;
  It->second.Tail = std::move(Nodes);
  return cudaSuccess;
}

std::optional<cudaError_t> StreamCapture::add(const ProgramStream &S,
                                              GraphTask Task) {
  MutexLock Guard(Lock);
  const auto It = Streams.find(&S);
  if (It == Streams.end())
    return std::nullopt;
  Place &P = It->second;
  if (P.Of->IsInvalid)
    return cudaErrorStreamCaptureInvalidated;
  P.Tail = {&P.Of->Graph->add(std::move(Task), P.Tail)};
  return cudaSuccess;
}

std::optional<cudaError_t> StreamCapture::add(const ProgramStream &S,
                                              Expected<GraphTask> Task) {
  if (!find(S))
    return std::nullopt;
  if (!Task)
    return Task.error();
  return add(S, std::move(*Task));
}

std::optional<cudaError_t> StreamCapture::refuse(const ProgramStream &S) {
  const std::shared_ptr<CaptureState> State = find(S);
  if (!State)
    return std::nullopt;
  MutexLock Guard(Lock);
  State->IsInvalid = true;
  return cudaErrorStreamCaptureUnsupported;
}

std::optional<cudaError_t> StreamCapture::record(const Event &E,
                                                 const ProgramStream &S) {
  MutexLock Guard(Lock);
  const auto It = Streams.find(&S);
  if (It == Streams.end()) {
    Events.erase(&E);
    return std::nullopt;
  }
  Events[&E] = It->second;
  return cudaSuccess;
}

std::optional<cudaError_t> StreamCapture::wait(const ProgramStream &S,
                                               const Event &E) {
  MutexLock Guard(Lock);
  const auto Recorded = Events.find(&E);
  const auto Waiting = Streams.find(&S);
  if (Recorded == Events.end()) {
    if (Waiting == Streams.end())
      return std::nullopt;
    Waiting->second.Of->IsInvalid = true;
    return cudaErrorStreamCaptureIsolation;
  }
  const Place &From = Recorded->second;
  if (Waiting == Streams.end()) {
    Streams[&S] = From;
    Count.fetch_add(1, std::memory_order_relaxed);
    return cudaSuccess;
  }
  Place &To = Waiting->second;
  if (To.Of != From.Of) {
    To.Of->IsInvalid = From.Of->IsInvalid = true;
    return cudaErrorStreamCaptureMerge;
  }
  for (GraphNode *Node : From.Tail)
    if (std::find(To.Tail.begin(), To.Tail.end(), Node) == To.Tail.end())
      To.Tail.push_back(Node);
  return cudaSuccess;
}

bool StreamCapture::isCaptured(const Event &E) {
  MutexLock Guard(Lock);
  return Events.contains(&E);
}

void StreamCapture::forget(const Event &E) {
  MutexLock Guard(Lock);
  Events.erase(&E);
}

void StreamCapture::forget(const ProgramStream &S) {
  std::shared_ptr<CaptureState> Of; // dies after the lock, as in end()
  MutexLock Guard(Lock);
  const auto It = Streams.find(&S);
  if (It == Streams.end())
    return;
  Of = It->second.Of;
  if (Of->Origin != &S) {
    // The capture goes on: what the stream did may have been joined.
    Of->DestroyedTails.push_back(std::move(It->second.Tail));
    Streams.erase(It);
    Count.fetch_sub(1, std::memory_order_relaxed);
    return;
  }
  // Nobody can end this capture any more.
  Of->IsInvalid = true;
  Count.fetch_sub(
      static_cast<int>(std::erase_if(
          Streams, [&](const auto &P) { return P.second.Of == Of; })),
      std::memory_order_relaxed);
  std::erase_if(Events, [&](const auto &E) { return E.second.Of == Of; });
}

std::optional<cudaError_t> captureWork(const ProgramStream &S,
                                       cudaGraphNodeType Type, GraphWork Work) {
  GraphTask Task;
  Task.Type = Type;
  Task.Work = std::move(Work);
  return StreamCapture::get().add(S, std::move(Task));
}

} // namespace gridspan
