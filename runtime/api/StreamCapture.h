//===- StreamCapture.h - Captures of the CPU device -------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// On GPUs capture is CUDA's. On the CPU device a call that would give work to a
// stream that is captured adds a node to a graph instead. An event that is
// recorded in such a stream stands for the nodes there, and a stream that waits
// for it is captured as well.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_API_STREAMCAPTURE_H
#define GRIDSPAN_RUNTIME_API_STREAMCAPTURE_H

#include "runtime/api/CpuGraph.h"

namespace gridspan {

/// A capture, shared by the streams that it has reached.
struct CaptureState {
  std::shared_ptr<CpuGraph> Graph;
  const ProgramStream *Origin = nullptr;
  unsigned long long Id = 0;
  /// Where streams that were destroyed meanwhile had come to.
  std::vector<std::vector<GraphNode *>> DestroyedTails;
  bool IsInvalid = false; ///< something was called that cannot be captured
};

class StreamCapture {
public:
  /// True while some stream is captured. Costs a load.
  static bool any() { return Count.load(std::memory_order_relaxed) != 0; }
  static StreamCapture &get();

  /// Starts to capture into Graph, behind some nodes of it.
  cudaError_t begin(const ProgramStream &S, std::shared_ptr<CpuGraph> Graph,
                    std::vector<GraphNode *> Behind);
  Expected<std::shared_ptr<CpuGraph>> end(const ProgramStream &S);

  /// Returns the capture of a stream; null if it is not captured.
  std::shared_ptr<CaptureState> find(const ProgramStream &S);
  /// Returns the nodes that the next one depends on.
  std::vector<GraphNode *> tail(const ProgramStream &S);
  cudaError_t setTail(const ProgramStream &S, std::vector<GraphNode *> Nodes);

  /// Adds a node if the stream is captured; nothing if it is not.
  std::optional<cudaError_t> add(const ProgramStream &S, GraphTask Task);
  std::optional<cudaError_t> add(const ProgramStream &S,
                                 Expected<GraphTask> Task);
  /// Spoils the capture of the stream by a call that cannot be captured;
  /// nothing if it is not captured.
  std::optional<cudaError_t> refuse(const ProgramStream &S);

  /// Lets the event stand for what the stream has captured; nothing if the
  /// stream is not captured, and the event is an ordinary one again.
  std::optional<cudaError_t> record(const Event &E, const ProgramStream &S);
  /// Makes the stream part of the event's capture; nothing if neither is
  /// captured.
  std::optional<cudaError_t> wait(const ProgramStream &S, const Event &E);
  bool isCaptured(const Event &E);
  /// Forgets an event or a stream that is destroyed.
  void forget(const Event &E);
  void forget(const ProgramStream &S);

private:
  /// A stream, or an event, within a capture.
  struct Place {
    std::shared_ptr<CaptureState> Of;
    std::vector<GraphNode *> Tail;
  };

  static bool isJoined(const std::vector<GraphNode *> &Nodes,
                       const std::vector<GraphNode *> &Tail);

  static inline std::atomic<int> Count{0};
  Mutex Lock;
  unsigned long long LastId GUARDED_BY(Lock) = 0;
  std::unordered_map<const ProgramStream *, Place> Streams GUARDED_BY(Lock);
  std::unordered_map<const Event *, Place> Events GUARDED_BY(Lock);
};

/// Adds work that has no parameters to ask for.
std::optional<cudaError_t> captureWork(const ProgramStream &S,
                                       cudaGraphNodeType Type, GraphWork Work);

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_API_STREAMCAPTURE_H
