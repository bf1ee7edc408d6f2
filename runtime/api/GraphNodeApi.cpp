//===- GraphNodeApi.cpp - Nodes of graphs ---------------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Nodes are CUDA's on GPUs, else those of CpuGraph. Parameters that are set in
// a graph do not reach what was instantiated before.
//
//===----------------------------------------------------------------------===//

#include "runtime/api/ApiCall.h"
#include "runtime/api/GraphCall.h"

using namespace gridspan;

static cudaError_t addNode(cudaGraphNode_t *Out, cudaGraph_t Graph,
                           const cudaGraphNode_t *Dependencies, size_t Count,
                           Expected<GraphTask> Task) {
  const std::shared_ptr<CpuGraph> G = GraphTable::get().find(Graph);
  if (!Out || !G || (Count && !Dependencies))
    return cudaErrorInvalidValue;
  if (!Task)
    return Task.error();
  Expected<std::vector<GraphNode *>> Before = nodesOf(*G, Dependencies, Count);
  if (!Before)
    return Before.error();
  *Out = G->add(std::move(*Task), std::move(*Before)).handle();
  return cudaSuccess;
}

GRIDSPAN_ENTRY cudaError_t
__gridspan_cudaGraphAddKernelNode(cudaGraphNode_t *Out, cudaGraph_t Graph,
                                  const cudaGraphNode_t *Dependencies,
                                  size_t Count, const cudaKernelNodeParams *P) {
  return vendorOr(
      [=] {
        return cudaGraphAddKernelNode(Out, Graph, Dependencies, Count, P);
      },
      [=](Runtime &R) -> cudaError_t {
        return addNode(Out, Graph, Dependencies, Count, kernelOf(P));
      });
}

GRIDSPAN_ENTRY cudaError_t
__gridspan_cudaGraphAddMemcpyNode(cudaGraphNode_t *Out, cudaGraph_t Graph,
                                  const cudaGraphNode_t *Dependencies,
                                  size_t Count, const cudaMemcpy3DParms *P) {
  return vendorOr(
      [=] {
        return cudaGraphAddMemcpyNode(Out, Graph, Dependencies, Count, P);
      },
      [=](Runtime &R) -> cudaError_t {
        return addNode(Out, Graph, Dependencies, Count, copyOf(P));
      });
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaGraphAddMemcpyNode1D(
    cudaGraphNode_t *Out, cudaGraph_t Graph,
    const cudaGraphNode_t *Dependencies, size_t Count, void *Dst,
    const void *Src, size_t Bytes, cudaMemcpyKind Kind) {
  return vendorOr(
      [=] {
        return cudaGraphAddMemcpyNode1D(Out, Graph, Dependencies, Count, Dst,
                                        Src, Bytes, Kind);
      },
      [=](Runtime &R) -> cudaError_t {
        return addNode(Out, Graph, Dependencies, Count,
                       copyTask(Dst, Src, Bytes, Kind));
      });
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaGraphAddMemcpyNodeToSymbol(
    cudaGraphNode_t *Out, cudaGraph_t Graph,
    const cudaGraphNode_t *Dependencies, size_t Count, const void *Symbol,
    const void *Src, size_t Bytes, size_t Offset, cudaMemcpyKind Kind) {
  return vendorOr(
      [=] {
        return cudaGraphAddMemcpyNodeToSymbol(Out, Graph, Dependencies, Count,
                                              Symbol, Src, Bytes, Offset, Kind);
      },
      [=](Runtime &R) -> cudaError_t {
        return addNode(Out, Graph, Dependencies, Count,
                       symbolOf(R, nullptr, Src, Symbol, Bytes, Offset, Kind));
      });
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaGraphAddMemcpyNodeFromSymbol(
    cudaGraphNode_t *Out, cudaGraph_t Graph,
    const cudaGraphNode_t *Dependencies, size_t Count, void *Dst,
    const void *Symbol, size_t Bytes, size_t Offset, cudaMemcpyKind Kind) {
  return vendorOr(
      [=] {
        return cudaGraphAddMemcpyNodeFromSymbol(
            Out, Graph, Dependencies, Count, Dst, Symbol, Bytes, Offset, Kind);
      },
      [=](Runtime &R) -> cudaError_t {
        return addNode(Out, Graph, Dependencies, Count,
                       symbolOf(R, Dst, nullptr, Symbol, Bytes, Offset, Kind));
      });
}

GRIDSPAN_ENTRY cudaError_t
__gridspan_cudaGraphAddMemsetNode(cudaGraphNode_t *Out, cudaGraph_t Graph,
                                  const cudaGraphNode_t *Dependencies,
                                  size_t Count, const cudaMemsetParams *P) {
  return vendorOr(
      [=] {
        return cudaGraphAddMemsetNode(Out, Graph, Dependencies, Count, P);
      },
      [=](Runtime &R) -> cudaError_t {
        return addNode(Out, Graph, Dependencies, Count, fillOf(P));
      });
}

GRIDSPAN_ENTRY cudaError_t
__gridspan_cudaGraphAddHostNode(cudaGraphNode_t *Out, cudaGraph_t Graph,
                                const cudaGraphNode_t *Dependencies,
                                size_t Count, const cudaHostNodeParams *P) {
  return vendorOr(
      [=] { return cudaGraphAddHostNode(Out, Graph, Dependencies, Count, P); },
      [=](Runtime &R) -> cudaError_t {
        return addNode(Out, Graph, Dependencies, Count, hostOf(P));
      });
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaGraphAddChildGraphNode(
    cudaGraphNode_t *Out, cudaGraph_t Graph,
    const cudaGraphNode_t *Dependencies, size_t Count, cudaGraph_t Child) {
  return vendorOr(
      [=] {
        return cudaGraphAddChildGraphNode(Out, Graph, Dependencies, Count,
                                          Child);
      },
      [=](Runtime &R) -> cudaError_t {
        return addNode(Out, Graph, Dependencies, Count, childOf(Child));
      });
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaGraphAddEmptyNode(
    cudaGraphNode_t *Out, cudaGraph_t Graph,
    const cudaGraphNode_t *Dependencies, size_t Count) {
  return vendorOr(
      [=] { return cudaGraphAddEmptyNode(Out, Graph, Dependencies, Count); },
      [=](Runtime &R) -> cudaError_t {
        return addNode(Out, Graph, Dependencies, Count, GraphTask());
      });
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaGraphAddEventRecordNode(
    cudaGraphNode_t *Out, cudaGraph_t Graph,
    const cudaGraphNode_t *Dependencies, size_t Count, cudaEvent_t Event) {
  return vendorOr(
      [=] {
        return cudaGraphAddEventRecordNode(Out, Graph, Dependencies, Count,
                                           Event);
      },
      [=](Runtime &R) -> cudaError_t {
        return addNode(Out, Graph, Dependencies, Count,
                       eventOf(Event, recordTask));
      });
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaGraphAddEventWaitNode(
    cudaGraphNode_t *Out, cudaGraph_t Graph,
    const cudaGraphNode_t *Dependencies, size_t Count, cudaEvent_t Event) {
  return vendorOr(
      [=] {
        return cudaGraphAddEventWaitNode(Out, Graph, Dependencies, Count,
                                         Event);
      },
      [=](Runtime &R) -> cudaError_t {
        return addNode(Out, Graph, Dependencies, Count,
                       eventOf(Event, waitTask));
      });
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaGraphAddMemFreeNode(
    cudaGraphNode_t *Out, cudaGraph_t Graph,
    const cudaGraphNode_t *Dependencies, size_t Count, void *Address) {
  return vendorOr(
      [=] {
        return cudaGraphAddMemFreeNode(Out, Graph, Dependencies, Count,
                                       Address);
      },
      [=](Runtime &R) -> cudaError_t {
        return addNode(Out, Graph, Dependencies, Count, freeTask(Address));
      });
}

GRIDSPAN_ENTRY cudaError_t
__gridspan_cudaGraphAddMemAllocNode(cudaGraphNode_t *Out, cudaGraph_t Graph,
                                    const cudaGraphNode_t *Dependencies,
                                    size_t Count, cudaMemAllocNodeParams *P) {
  return vendorOr(
      [=] {
        return cudaGraphAddMemAllocNode(Out, Graph, Dependencies, Count, P);
      },
      [=](Runtime &R) -> cudaError_t {
        if (!P)
          return cudaErrorInvalidValue;
        Expected<GraphTask> Task = allocationTask(R, P->bytesize);
        if (Task)
          P->dptr = Task->Memory->Address;
        return addNode(Out, Graph, Dependencies, Count, std::move(Task));
      });
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaGraphAddNode(
    cudaGraphNode_t *Out, cudaGraph_t Graph,
    const cudaGraphNode_t *Dependencies, const cudaGraphEdgeData *Edges,
    size_t Count, cudaGraphNodeParams *P) {
  return vendorOr(
      [=] {
        return cudaGraphAddNode(Out, Graph, Dependencies, Edges, Count, P);
      },
      [=](Runtime &R) -> cudaError_t {
        const std::shared_ptr<CpuGraph> G = GraphTable::get().find(Graph);
        if (!P || !G)
          return cudaErrorInvalidValue;
        return addNode(Out, Graph, Dependencies, Count,
                       P->type == cudaGraphNodeTypeConditional
                           ? choiceTask(*G, P->conditional)
                           : taskOf(R, *P));
      });
}
