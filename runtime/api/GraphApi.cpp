//===- GraphApi.cpp - CUDA graphs -----------------------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Graphs are CUDA's on GPUs: a launch is the work of CUDA on memory that nobody
// knows, so everything is made accessible before. On the CPU device they are
// CpuGraph's.
//
//===----------------------------------------------------------------------===//

#include "runtime/api/ApiCall.h"
#include "runtime/api/GraphCall.h"
#include "runtime/memory/ManagedVariables.h"
#include <algorithm>
#include <fmt/format.h>

using namespace gridspan;

static std::shared_ptr<CpuGraph> graphOf(cudaGraph_t Graph) {
  return GraphTable::get().find(Graph);
}

static std::shared_ptr<GraphNode> nodeOf(cudaGraphNode_t Node) {
  return GraphTable::get().AllNodes.find(Node);
}

/// Gives a list in the manner of CUDA: its length where Out is null, else as
/// many as *Count says, with nulls behind the last.
static cudaError_t give(const std::vector<cudaGraphNode_t> &List,
                        cudaGraphNode_t *Out, size_t *Count) {
  if (!Count)
    return cudaErrorInvalidValue;
  if (Out)
    for (size_t I = 0; I != *Count; ++I)
      Out[I] = I < List.size() ? List[I] : nullptr;
  *Count = Out ? std::min(*Count, List.size()) : List.size();
  return cudaSuccess;
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaGraphCreate(cudaGraph_t *Out,
                                                      unsigned Flags) {
  return vendorOr([=] { return cudaGraphCreate(Out, Flags); },
                  [=](Runtime &R) -> cudaError_t {
                    if (!Out || Flags != 0)
                      return cudaErrorInvalidValue;
                    *Out =
                        GraphTable::get().insert(std::make_shared<CpuGraph>());
                    return cudaSuccess;
                  });
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaGraphDestroy(cudaGraph_t Graph) {
  return vendorOr([=] { return cudaGraphDestroy(Graph); },
                  [=](Runtime &R) -> cudaError_t {
                    return GraphTable::get().Templates.remove(Graph)
                               ? cudaSuccess
                               : cudaErrorInvalidValue;
                  });
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaGraphClone(cudaGraph_t *Out,
                                                     cudaGraph_t Graph) {
  return vendorOr([=] { return cudaGraphClone(Out, Graph); },
                  [=](Runtime &R) -> cudaError_t {
                    const std::shared_ptr<CpuGraph> G = graphOf(Graph);
                    if (!Out || !G)
                      return cudaErrorInvalidValue;
                    *Out = GraphTable::get().insert(G->clone());
                    return cudaSuccess;
                  });
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaGraphNodeFindInClone(
    cudaGraphNode_t *Out, cudaGraphNode_t Original, cudaGraph_t Clone) {
  return vendorOr(
      [=] { return cudaGraphNodeFindInClone(Out, Original, Clone); },
      [=](Runtime &R) -> cudaError_t {
        const std::shared_ptr<CpuGraph> G = graphOf(Clone);
        const std::shared_ptr<GraphNode> Node = nodeOf(Original);
        GraphNode *Found = G && Node ? G->copyOf(*Node) : nullptr;
        if (!Out || !Found)
          return cudaErrorInvalidValue;
        *Out = Found->handle();
        return cudaSuccess;
      });
}

GRIDSPAN_ENTRY cudaError_t
__gridspan_cudaGraphNodeGetType(cudaGraphNode_t Node, cudaGraphNodeType *Out) {
  return vendorOr([=] { return cudaGraphNodeGetType(Node, Out); },
                  [=](Runtime &R) -> cudaError_t {
                    const std::shared_ptr<GraphNode> N = nodeOf(Node);
                    if (!Out || !N)
                      return cudaErrorInvalidValue;
                    *Out = N->Task.Type;
                    return cudaSuccess;
                  });
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaGraphGetNodes(cudaGraph_t Graph,
                                                        cudaGraphNode_t *Out,
                                                        size_t *Count) {
  return vendorOr([=] { return cudaGraphGetNodes(Graph, Out, Count); },
                  [=](Runtime &R) -> cudaError_t {
                    const std::shared_ptr<CpuGraph> G = graphOf(Graph);
                    if (!G)
                      return cudaErrorInvalidValue;
                    std::vector<cudaGraphNode_t> All;
                    for (const std::shared_ptr<GraphNode> &Node : G->nodes())
                      All.push_back(Node->handle());
                    return give(All, Out, Count);
                  });
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaGraphGetRootNodes(
    cudaGraph_t Graph, cudaGraphNode_t *Out, size_t *Count) {
  return vendorOr([=] { return cudaGraphGetRootNodes(Graph, Out, Count); },
                  [=](Runtime &R) -> cudaError_t {
                    const std::shared_ptr<CpuGraph> G = graphOf(Graph);
                    if (!G)
                      return cudaErrorInvalidValue;
                    std::vector<cudaGraphNode_t> All;
                    for (const std::shared_ptr<GraphNode> &Node : G->nodes())
                      if (Node->Dependencies.empty())
                        All.push_back(Node->handle());
                    return give(All, Out, Count);
                  });
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaGraphGetEdges(cudaGraph_t Graph,
                                                        cudaGraphNode_t *From,
                                                        cudaGraphNode_t *To,
                                                        cudaGraphEdgeData *Data,
                                                        size_t *Count) {
  return vendorOr(
      [=] { return cudaGraphGetEdges(Graph, From, To, Data, Count); },
      [=](Runtime &R) -> cudaError_t {
        const std::shared_ptr<CpuGraph> G = graphOf(Graph);
        if (!G || !Count || !From != !To)
          return cudaErrorInvalidValue;
        std::vector<cudaGraphNode_t> Starts, Ends;
        for (const std::shared_ptr<GraphNode> &Node : G->nodes())
          for (GraphNode *Before : Node->Dependencies) {
            Starts.push_back(Before->handle());
            Ends.push_back(Node->handle());
          }
        if (Data)
          std::fill_n(Data, std::min(*Count, Starts.size()),
                      cudaGraphEdgeData{});
        size_t Same = *Count;
        if (cudaError_t Error = give(Starts, From, Count))
          return Error;
        return give(Ends, To, &Same);
      });
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaGraphNodeGetDependencies(
    cudaGraphNode_t Node, cudaGraphNode_t *Out, cudaGraphEdgeData *Data,
    size_t *Count) {
  return vendorOr(
      [=] { return cudaGraphNodeGetDependencies(Node, Out, Data, Count); },
      [=](Runtime &R) -> cudaError_t {
        const std::shared_ptr<GraphNode> N = nodeOf(Node);
        if (!N || !Count)
          return cudaErrorInvalidValue;
        std::vector<cudaGraphNode_t> All;
        for (GraphNode *Before : N->Dependencies)
          All.push_back(Before->handle());
        if (Data)
          std::fill_n(Data, std::min(*Count, All.size()), cudaGraphEdgeData{});
        return give(All, Out, Count);
      });
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaGraphNodeGetDependentNodes(
    cudaGraphNode_t Node, cudaGraphNode_t *Out, cudaGraphEdgeData *Data,
    size_t *Count) {
  return vendorOr(
      [=] { return cudaGraphNodeGetDependentNodes(Node, Out, Data, Count); },
      [=](Runtime &R) -> cudaError_t {
        const std::shared_ptr<GraphNode> N = nodeOf(Node);
        if (!N || !Count)
          return cudaErrorInvalidValue;
        std::vector<cudaGraphNode_t> All;
        for (const std::shared_ptr<GraphNode> &Other : N->Owner->nodes())
          if (std::find(Other->Dependencies.begin(), Other->Dependencies.end(),
                        N.get()) != Other->Dependencies.end())
            All.push_back(Other->handle());
        if (Data)
          std::fill_n(Data, std::min(*Count, All.size()), cudaGraphEdgeData{});
        return give(All, Out, Count);
      });
}

/// Runs Change(from, to) for each of the edges between nodes of the graph.
template <typename Function>
static cudaError_t forEdges(cudaGraph_t Graph, const cudaGraphNode_t *From,
                            const cudaGraphNode_t *To, size_t Count,
                            Function &&Change) {
  const std::shared_ptr<CpuGraph> G = graphOf(Graph);
  if (!G)
    return cudaErrorInvalidValue;
  const Expected<std::vector<GraphNode *>> Starts = nodesOf(*G, From, Count);
  const Expected<std::vector<GraphNode *>> Ends = nodesOf(*G, To, Count);
  if (!Starts || !Ends)
    return cudaErrorInvalidValue;
  for (size_t I = 0; I != Count; ++I)
    Change((*Starts)[I], (*Ends)[I]);
  return cudaSuccess;
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaGraphAddDependencies(
    cudaGraph_t Graph, const cudaGraphNode_t *From, const cudaGraphNode_t *To,
    const cudaGraphEdgeData *Data, size_t Count) {
  return vendorOr(
      [=] { return cudaGraphAddDependencies(Graph, From, To, Data, Count); },
      [=](Runtime &R) -> cudaError_t {
        return forEdges(Graph, From, To, Count, [](GraphNode *A, GraphNode *B) {
          B->Dependencies.push_back(A);
        });
      });
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaGraphRemoveDependencies(
    cudaGraph_t Graph, const cudaGraphNode_t *From, const cudaGraphNode_t *To,
    const cudaGraphEdgeData *Data, size_t Count) {
  return vendorOr(
      [=] { return cudaGraphRemoveDependencies(Graph, From, To, Data, Count); },
      [=](Runtime &R) -> cudaError_t {
        return forEdges(Graph, From, To, Count, [](GraphNode *A, GraphNode *B) {
          std::erase(B->Dependencies, A);
        });
      });
}

GRIDSPAN_ENTRY cudaError_t
__gridspan_cudaGraphDestroyNode(cudaGraphNode_t Node) {
  return vendorOr([=] { return cudaGraphDestroyNode(Node); },
                  [=](Runtime &R) -> cudaError_t {
                    const std::shared_ptr<GraphNode> N = nodeOf(Node);
                    if (!N)
                      return cudaErrorInvalidValue;
                    N->Owner->remove(*N);
                    return cudaSuccess;
                  });
}

static cudaError_t instantiate(cudaGraphExec_t *Out, cudaGraph_t Graph,
                               unsigned long long Flags) {
  constexpr unsigned long long Known =
      cudaGraphInstantiateFlagAutoFreeOnLaunch |
      cudaGraphInstantiateFlagUpload | cudaGraphInstantiateFlagUseNodePriority;
  if (Flags & cudaGraphInstantiateFlagDeviceLaunch)
    return sayUnsupported("launches of graphs by kernels");
  const std::shared_ptr<CpuGraph> G = graphOf(Graph);
  if (!Out || !G || (Flags & ~Known) || !G->inOrder())
    return cudaErrorInvalidValue;
  std::shared_ptr<CpuGraph> Exec = G->clone();
  *Out = reinterpret_cast<cudaGraphExec_t>(Exec.get());
  GraphTable::get().Executables.insert(*Out, std::move(Exec));
  return cudaSuccess;
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaGraphInstantiate(
    cudaGraphExec_t *Out, cudaGraph_t Graph, unsigned long long Flags) {
  return vendorOr([=] { return cudaGraphInstantiate(Out, Graph, Flags); },
                  [=](Runtime &R) -> cudaError_t {
                    return instantiate(Out, Graph, Flags);
                  });
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaGraphInstantiateWithFlags(
    cudaGraphExec_t *Out, cudaGraph_t Graph, unsigned long long Flags) {
  return vendorOr(
      [=] { return cudaGraphInstantiateWithFlags(Out, Graph, Flags); },
      [=](Runtime &R) -> cudaError_t {
        return instantiate(Out, Graph, Flags);
      });
}

static cudaError_t instantiateWith(cudaGraphExec_t *Out, cudaGraph_t Graph,
                                   cudaGraphInstantiateParams *P,
                                   DefaultStream Zero) {
  if (!P)
    return lastError() = cudaErrorInvalidValue;
  // The stream is only one if it says so.
  const cudaStream_t Stream =
      P->flags & cudaGraphInstantiateFlagUpload ? P->uploadStream : nullptr;
  return observingCall<Tells::Nothing>(
      Stream, Zero, [=](Runtime &R, ProgramStream &S) {
        if (hasVendorMemory(R)) {
          cudaGraphInstantiateParams Native = *P;
          Native.uploadStream = S.main().native();
          const cudaError_t Error =
              cudaGraphInstantiateWithParams(Out, Graph, &Native);
          P->errNode_out = Native.errNode_out;
          P->result_out = Native.result_out;
          return Error;
        }
        const cudaError_t Error = instantiate(Out, Graph, P->flags);
        P->errNode_out = nullptr;
        P->result_out =
            Error ? cudaGraphInstantiateError : cudaGraphInstantiateSuccess;
        return Error;
      });
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaGraphInstantiateWithParams(
    cudaGraphExec_t *Out, cudaGraph_t Graph, cudaGraphInstantiateParams *P) {
  return instantiateWith(Out, Graph, P, DefaultStream::Legacy);
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaGraphInstantiateWithParams_ptsz(
    cudaGraphExec_t *Out, cudaGraph_t Graph, cudaGraphInstantiateParams *P) {
  return instantiateWith(Out, Graph, P, DefaultStream::PerThread);
}

GRIDSPAN_ENTRY cudaError_t
__gridspan_cudaGraphExecDestroy(cudaGraphExec_t Exec) {
  return vendorOr([=] { return cudaGraphExecDestroy(Exec); },
                  [=](Runtime &R) -> cudaError_t {
                    return GraphTable::get().Executables.remove(Exec)
                               ? cudaSuccess
                               : cudaErrorInvalidValue;
                  });
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaGraphExecGetFlags(
    cudaGraphExec_t Exec, unsigned long long *Out) {
  return vendorOr([=] { return cudaGraphExecGetFlags(Exec, Out); },
                  [=](Runtime &R) -> cudaError_t {
                    if (!Out || !GraphTable::get().Executables.find(Exec))
                      return cudaErrorInvalidValue;
                    *Out = 0;
                    return cudaSuccess;
                  });
}

GRIDSPAN_ENTRY cudaError_t
__gridspan_cudaGraphExecUpdate(cudaGraphExec_t Exec, cudaGraph_t Graph,
                               cudaGraphExecUpdateResultInfo *Info) {
  return vendorOr([=] { return cudaGraphExecUpdate(Exec, Graph, Info); },
                  [=](Runtime &R) -> cudaError_t {
                    const std::shared_ptr<CpuGraph> E =
                        GraphTable::get().Executables.find(Exec);
                    const std::shared_ptr<CpuGraph> G = graphOf(Graph);
                    if (!E || !G || !Info)
                      return cudaErrorInvalidValue;
                    GraphNode *Node = nullptr;
                    *Info = {};
                    Info->result = E->update(*G, Node);
                    Info->errorNode = Node ? Node->handle() : nullptr;
                    return Info->result ? cudaErrorGraphExecUpdateFailure
                                        : cudaSuccess;
                  });
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaGraphNodeSetEnabled(
    cudaGraphExec_t Exec, cudaGraphNode_t Node, unsigned Enabled) {
  return vendorOr([=] { return cudaGraphNodeSetEnabled(Exec, Node, Enabled); },
                  [=](Runtime &R) -> cudaError_t {
                    GraphNode *N = nodeIn(Exec, Node);
                    if (!N || (N->Task.Type != cudaGraphNodeTypeKernel &&
                               N->Task.Type != cudaGraphNodeTypeMemcpy &&
                               N->Task.Type != cudaGraphNodeTypeMemset))
                      return cudaErrorInvalidValue;
                    N->IsEnabled = Enabled != 0;
                    return cudaSuccess;
                  });
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaGraphNodeGetEnabled(
    cudaGraphExec_t Exec, cudaGraphNode_t Node, unsigned *Out) {
  return vendorOr([=] { return cudaGraphNodeGetEnabled(Exec, Node, Out); },
                  [=](Runtime &R) -> cudaError_t {
                    const GraphNode *N = nodeIn(Exec, Node);
                    if (!N || !Out)
                      return cudaErrorInvalidValue;
                    *Out = N->IsEnabled;
                    return cudaSuccess;
                  });
}

static cudaError_t upload(cudaGraphExec_t Exec, cudaStream_t Stream,
                          DefaultStream Zero) {
  return streamCall<CapturedAs::Itself>(
      Stream, Zero, [=](Runtime &R, ProgramStream &S) {
        if (hasVendorMemory(R))
          return cudaGraphUpload(Exec, S.main().native());
        return GraphTable::get().Executables.find(Exec) ? cudaSuccess
                                                        : cudaErrorInvalidValue;
      });
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaGraphUpload(cudaGraphExec_t Exec,
                                                      cudaStream_t Stream) {
  return upload(Exec, Stream, DefaultStream::Legacy);
}

GRIDSPAN_ENTRY cudaError_t
__gridspan_cudaGraphUpload_ptsz(cudaGraphExec_t Exec, cudaStream_t Stream) {
  return upload(Exec, Stream, DefaultStream::PerThread);
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaGraphDebugDotPrint(cudaGraph_t Graph,
                                                             const char *Path,
                                                             unsigned Flags) {
  return vendorOr([=] { return cudaGraphDebugDotPrint(Graph, Path, Flags); },
                  [=](Runtime &R) -> cudaError_t {
                    const std::shared_ptr<CpuGraph> G = graphOf(Graph);
                    std::FILE *File =
                        G && Path ? std::fopen(Path, "w") : nullptr;
                    if (!File)
                      return cudaErrorInvalidValue;
                    fmt::print(File, "digraph dot {{\n");
                    for (const std::shared_ptr<GraphNode> &Node : G->nodes()) {
                      fmt::print(File, "\"{}\" [label=\"type {}\"]\n",
                                 fmt::ptr(Node.get()), int(Node->Task.Type));
                      for (const GraphNode *Before : Node->Dependencies)
                        fmt::print(File, "\"{}\" -> \"{}\"\n", fmt::ptr(Before),
                                   fmt::ptr(Node.get()));
                    }
                    fmt::print(File, "}}\n");
                    std::fclose(File);
                    return cudaSuccess;
                  });
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaGraphConditionalHandleCreate(
    cudaGraphConditionalHandle *Out, cudaGraph_t Graph, unsigned Value,
    unsigned Flags) {
  return vendorOr(
      [=] {
        return cudaGraphConditionalHandleCreate(Out, Graph, Value, Flags);
      },
      [=](Runtime &R) -> cudaError_t {
        const std::shared_ptr<CpuGraph> G = graphOf(Graph);
        if (!Out || !G || (Flags & ~unsigned(cudaGraphCondAssignDefault)))
          return cudaErrorInvalidValue;
        *Out = G->addCondition(Flags ? std::optional(Value) : std::nullopt)
                   .handle();
        return cudaSuccess;
      });
}

static cudaError_t launchOwnGraph(cudaGraphExec_t Graph, Runtime &R,
                                  ProgramStream &S) {
  const std::shared_ptr<CpuGraph> G = GraphTable::get().Executables.find(Graph);
  if (!G)
    return cudaErrorInvalidValue;
  if (StreamCapture::any() && StreamCapture::get().find(S))
    if (const auto Done = StreamCapture::get().add(S, childTask(*G)))
      return *Done;
  return G->launchInOrder(R, S);
}

static cudaError_t launchGraph(cudaGraphExec_t Graph, cudaStream_t Stream,
                               DefaultStream Zero) {
  return streamCall<CapturedAs::Itself>(
      Stream, Zero, [=](Runtime &R, ProgramStream &S) {
        if (cudaError_t Error = ManagedVariables::get().install(
                R.backend(), R.memory(), R.symbols()))
          return Error;
        if (!hasVendorMemory(R))
          return launchOwnGraph(Graph, R, S);
        // What a graph touches is not known.
        PlacementReader Placement(R.memory().placementLock());
        if (cudaError_t Error = R.memory().accessEverything(true))
          return Error;
        if (cudaError_t Error = R.memory().bringAllHome(S.main()))
          return Error;
        MutexLock Order(S.lock());
        cudaError_t Error = cudaGraphLaunch(Graph, S.main().native());
        // Before the version, as in CopyEngine::noteWritten().
        ProgramStream::operated();
        R.launches().executor().anythingWritten();
        return Error;
      });
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaGraphLaunch(cudaGraphExec_t Graph,
                                                      cudaStream_t Stream) {
  return launchGraph(Graph, Stream, DefaultStream::Legacy);
}

GRIDSPAN_ENTRY cudaError_t
__gridspan_cudaGraphLaunch_ptsz(cudaGraphExec_t Graph, cudaStream_t Stream) {
  return launchGraph(Graph, Stream, DefaultStream::PerThread);
}
