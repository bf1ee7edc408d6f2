//===- CaptureApi.cpp - Captures of streams -------------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// On GPUs a capture is CUDA's own, on the CPU device StreamCapture's.
//
//===----------------------------------------------------------------------===//

#include "runtime/api/ApiCall.h"
#include "runtime/api/GraphCall.h"
#include "runtime/memory/ManagedVariables.h"

using namespace gridspan;

/// Runs Vendor(native stream), or Own(Runtime &, ProgramStream &). While a
/// stream captures, nothing may be allocated.
template <Tells What = Tells::Nothing, typename VendorFunction,
          typename OwnFunction>
static cudaError_t captureCall(cudaStream_t Stream, DefaultStream Zero,
                               VendorFunction &&Vendor, OwnFunction &&Own) {
  return observingCall<What>(
      Stream, Zero, [&](Runtime &R, ProgramStream &S) -> cudaError_t {
        if (cudaError_t Error = ManagedVariables::get().install(
                R.backend(), R.memory(), R.symbols()))
          return Error;
        return hasVendorMemory(R) ? Vendor(S.main().native()) : Own(R, S);
      });
}

static bool isMode(cudaStreamCaptureMode Mode) {
  return Mode == cudaStreamCaptureModeGlobal ||
         Mode == cudaStreamCaptureModeThreadLocal ||
         Mode == cudaStreamCaptureModeRelaxed;
}

/// Launches that wait come before what is captured, and not into it.
static cudaError_t begin(cudaStream_t Stream, cudaStreamCaptureMode Mode,
                         DefaultStream Zero) {
  return captureCall<Tells::OrderOnly>(
      Stream, Zero,
      [=](cudaStream_t Native) { return cudaStreamBeginCapture(Native, Mode); },
      [=](Runtime &, ProgramStream &S) {
        if (!isMode(Mode))
          return cudaErrorInvalidValue;
        if (isLegacy(Stream, Zero))
          return cudaErrorStreamCaptureUnsupported;
        return StreamCapture::get().begin(S, std::make_shared<CpuGraph>(), {});
      });
}

static cudaError_t beginToGraph(cudaStream_t Stream, cudaGraph_t Graph,
                                const cudaGraphNode_t *Dependencies,
                                const cudaGraphEdgeData *Edges, size_t Count,
                                cudaStreamCaptureMode Mode,
                                DefaultStream Zero) {
  return captureCall<Tells::OrderOnly>(
      Stream, Zero,
      [=](cudaStream_t Native) {
        return cudaStreamBeginCaptureToGraph(Native, Graph, Dependencies, Edges,
                                             Count, Mode);
      },
      [=](Runtime &, ProgramStream &S) {
        const std::shared_ptr<CpuGraph> G = GraphTable::get().find(Graph);
        if (!G || !isMode(Mode))
          return cudaErrorInvalidValue;
        if (isLegacy(Stream, Zero))
          return cudaErrorStreamCaptureUnsupported;
        Expected<std::vector<GraphNode *>> Behind =
            nodesOf(*G, Dependencies, Count);
        if (!Behind)
          return Behind.error();
        return StreamCapture::get().begin(S, G, std::move(*Behind));
      });
}

static cudaError_t end(cudaStream_t Stream, cudaGraph_t *Out,
                       DefaultStream Zero) {
  return captureCall(
      Stream, Zero,
      [=](cudaStream_t Native) { return cudaStreamEndCapture(Native, Out); },
      [=](Runtime &, ProgramStream &S) {
        if (Out)
          *Out = nullptr;
        Expected<std::shared_ptr<CpuGraph>> Graph = StreamCapture::get().end(S);
        if (!Graph)
          return Graph.error();
        // A capture into a graph that the program has need not give it.
        if (Out)
          *Out = GraphTable::get().insert(std::move(*Graph));
        return cudaSuccess;
      });
}

static cudaStreamCaptureStatus statusOf(const CaptureState *State) {
  if (!State)
    return cudaStreamCaptureStatusNone;
  return State->IsInvalid ? cudaStreamCaptureStatusInvalidated
                          : cudaStreamCaptureStatusActive;
}

static cudaError_t isCapturing(cudaStream_t Stream,
                               cudaStreamCaptureStatus *Out,
                               DefaultStream Zero) {
  return captureCall(
      Stream, Zero,
      [=](cudaStream_t Native) { return cudaStreamIsCapturing(Native, Out); },
      [=](Runtime &, ProgramStream &S) {
        if (!Out)
          return cudaErrorInvalidValue;
        *Out = statusOf(StreamCapture::get().find(S).get());
        return cudaSuccess;
      });
}

static cudaError_t info(cudaStream_t Stream, cudaStreamCaptureStatus *Status,
                        unsigned long long *Id, cudaGraph_t *Graph,
                        const cudaGraphNode_t **Dependencies,
                        const cudaGraphEdgeData **Edges, size_t *Count,
                        DefaultStream Zero) {
  return captureCall(
      Stream, Zero,
      [=](cudaStream_t Native) {
        return cudaStreamGetCaptureInfo(Native, Status, Id, Graph, Dependencies,
                                        Edges, Count);
      },
      [=](Runtime &, ProgramStream &S) {
        // What the program gets is good until its next call.
        thread_local std::vector<cudaGraphNode_t> Nodes;
        thread_local std::vector<cudaGraphEdgeData> Data;
        if (!Status)
          return cudaErrorInvalidValue;
        const std::shared_ptr<CaptureState> State =
            StreamCapture::get().find(S);
        *Status = statusOf(State.get());
        if (!State)
          return cudaSuccess;
        Nodes.clear();
        for (GraphNode *Node : StreamCapture::get().tail(S))
          Nodes.push_back(Node->handle());
        Data.assign(Nodes.size(), {});
        if (Id)
          *Id = State->Id;
        if (Graph)
          *Graph = GraphTable::get().lend(State->Graph);
        if (Dependencies)
          *Dependencies = Nodes.data();
        if (Edges)
          *Edges = Data.data();
        if (Count)
          *Count = Nodes.size();
        return cudaSuccess;
      });
}

static cudaError_t updateDependencies(cudaStream_t Stream,
                                      cudaGraphNode_t *Dependencies,
                                      const cudaGraphEdgeData *Edges,
                                      size_t Count, unsigned Flags,
                                      DefaultStream Zero) {
  return captureCall(
      Stream, Zero,
      [=](cudaStream_t Native) {
        return cudaStreamUpdateCaptureDependencies(Native, Dependencies, Edges,
                                                   Count, Flags);
      },
      [=](Runtime &, ProgramStream &S) {
        StreamCapture &Captures = StreamCapture::get();
        const std::shared_ptr<CaptureState> State = Captures.find(S);
        if (!State)
          return cudaErrorIllegalState;
        Expected<std::vector<GraphNode *>> Nodes =
            nodesOf(*State->Graph, Dependencies, Count);
        if (!Nodes || Flags > cudaStreamSetCaptureDependencies)
          return cudaErrorInvalidValue;
        if (Flags == cudaStreamAddCaptureDependencies)
          for (GraphNode *Node : Captures.tail(S))
            Nodes->push_back(Node);
        return Captures.setTail(S, std::move(*Nodes));
      });
}

GRIDSPAN_ENTRY cudaError_t
__gridspan_cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode *Mode) {
  return vendorOr([=] { return cudaThreadExchangeStreamCaptureMode(Mode); },
                  [=](Runtime &) {
                    // Calls that other modes forbid are just done.
                    thread_local auto Current = cudaStreamCaptureModeGlobal;
                    if (!Mode || !isMode(*Mode))
                      return cudaErrorInvalidValue;
                    std::swap(*Mode, Current);
                    return cudaSuccess;
                  });
}

#define GRIDSPAN_CAPTURES(Suffix, Zero)                                        \
  GRIDSPAN_ENTRY cudaError_t __gridspan_cudaStreamBeginCapture##Suffix(        \
      cudaStream_t Stream, cudaStreamCaptureMode Mode) {                       \
    return begin(Stream, Mode, Zero);                                          \
  }                                                                            \
  GRIDSPAN_ENTRY cudaError_t __gridspan_cudaStreamBeginCaptureToGraph##Suffix( \
      cudaStream_t Stream, cudaGraph_t Graph,                                  \
      const cudaGraphNode_t *Dependencies, const cudaGraphEdgeData *Edges,     \
      size_t Count, cudaStreamCaptureMode Mode) {                              \
    return beginToGraph(Stream, Graph, Dependencies, Edges, Count, Mode,       \
                        Zero);                                                 \
  }                                                                            \
  GRIDSPAN_ENTRY cudaError_t __gridspan_cudaStreamEndCapture##Suffix(          \
      cudaStream_t Stream, cudaGraph_t *Out) {                                 \
    return end(Stream, Out, Zero);                                             \
  }                                                                            \
  GRIDSPAN_ENTRY cudaError_t __gridspan_cudaStreamIsCapturing##Suffix(         \
      cudaStream_t Stream, cudaStreamCaptureStatus *Out) {                     \
    return isCapturing(Stream, Out, Zero);                                     \
  }                                                                            \
  GRIDSPAN_ENTRY cudaError_t __gridspan_cudaStreamGetCaptureInfo##Suffix(      \
      cudaStream_t Stream, cudaStreamCaptureStatus *Status,                    \
      unsigned long long *Id, cudaGraph_t *Graph,                              \
      const cudaGraphNode_t **Dependencies, const cudaGraphEdgeData **Edges,   \
      size_t *Count) {                                                         \
    return info(Stream, Status, Id, Graph, Dependencies, Edges, Count, Zero);  \
  }                                                                            \
  GRIDSPAN_ENTRY cudaError_t                                                   \
      __gridspan_cudaStreamUpdateCaptureDependencies##Suffix(                  \
          cudaStream_t Stream, cudaGraphNode_t *Dependencies,                  \
          const cudaGraphEdgeData *Edges, size_t Count, unsigned Flags) {      \
    return updateDependencies(Stream, Dependencies, Edges, Count, Flags,       \
                              Zero);                                           \
  }

GRIDSPAN_CAPTURES(, DefaultStream::Legacy)
GRIDSPAN_CAPTURES(_ptsz, DefaultStream::PerThread)
