//===- GraphParamsApi.cpp - Parameters of nodes of graphs -----------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads and replaces what nodes do. Parameters that are set in a graph do not
// reach what was instantiated before.
//
//===----------------------------------------------------------------------===//

#include "runtime/api/ApiCall.h"
#include "runtime/api/GraphCall.h"

using namespace gridspan;

/// Replaces what a node does by a task of the same type.
static cudaError_t setTask(GraphNode *Node, Expected<GraphTask> Task) {
  if (!Node)
    return cudaErrorInvalidValue;
  if (!Task)
    return Task.error();
  if (Node->Task.Type != Task->Type)
    return cudaErrorInvalidValue;
  Node->Task = std::move(*Task);
  return cudaSuccess;
}

static cudaError_t setTask(cudaGraphNode_t Node, Expected<GraphTask> Task) {
  return setTask(GraphTable::get().AllNodes.find(Node).get(), std::move(Task));
}

static cudaError_t setTask(cudaGraphExec_t Exec, cudaGraphNode_t Node,
                           Expected<GraphTask> Task) {
  return setTask(nodeIn(Exec, Node), std::move(Task));
}

/// As CUDA, leaves nodes that allocate or free as they are.
static Expected<GraphTask> changedTask(Runtime &R, cudaGraphNodeParams &P) {
  if (P.type == cudaGraphNodeTypeMemAlloc || P.type == cudaGraphNodeTypeMemFree)
    return cudaErrorNotSupported;
  return taskOf(R, P);
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaGraphNodeSetParams(
    cudaGraphNode_t Node, cudaGraphNodeParams *P) {
  return vendorOr([=] { return cudaGraphNodeSetParams(Node, P); },
                  [=](Runtime &R) -> cudaError_t {
                    return P ? setTask(Node, changedTask(R, *P))
                             : cudaErrorInvalidValue;
                  });
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaGraphExecNodeSetParams(
    cudaGraphExec_t Exec, cudaGraphNode_t Node, cudaGraphNodeParams *P) {
  return vendorOr([=] { return cudaGraphExecNodeSetParams(Exec, Node, P); },
                  [=](Runtime &R) -> cudaError_t {
                    return P ? setTask(Exec, Node, changedTask(R, *P))
                             : cudaErrorInvalidValue;
                  });
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaGraphKernelNodeSetParams(
    cudaGraphNode_t Node, const cudaKernelNodeParams *P) {
  return vendorOr(
      [=] { return cudaGraphKernelNodeSetParams(Node, P); },
      [=](Runtime &R) -> cudaError_t { return setTask(Node, kernelOf(P)); });
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaGraphExecKernelNodeSetParams(
    cudaGraphExec_t Exec, cudaGraphNode_t Node, const cudaKernelNodeParams *P) {
  return vendorOr(
      [=] { return cudaGraphExecKernelNodeSetParams(Exec, Node, P); },
      [=](Runtime &R) -> cudaError_t {
        return setTask(Exec, Node, kernelOf(P));
      });
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaGraphMemcpyNodeSetParams(
    cudaGraphNode_t Node, const cudaMemcpy3DParms *P) {
  return vendorOr(
      [=] { return cudaGraphMemcpyNodeSetParams(Node, P); },
      [=](Runtime &R) -> cudaError_t { return setTask(Node, copyOf(P)); });
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaGraphExecMemcpyNodeSetParams(
    cudaGraphExec_t Exec, cudaGraphNode_t Node, const cudaMemcpy3DParms *P) {
  return vendorOr(
      [=] { return cudaGraphExecMemcpyNodeSetParams(Exec, Node, P); },
      [=](Runtime &R) -> cudaError_t {
        return setTask(Exec, Node, copyOf(P));
      });
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaGraphMemcpyNodeSetParams1D(
    cudaGraphNode_t Node, void *Dst, const void *Src, size_t Bytes,
    cudaMemcpyKind Kind) {
  return vendorOr(
      [=] {
        return cudaGraphMemcpyNodeSetParams1D(Node, Dst, Src, Bytes, Kind);
      },
      [=](Runtime &R) -> cudaError_t {
        return setTask(Node, copyTask(Dst, Src, Bytes, Kind));
      });
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaGraphExecMemcpyNodeSetParams1D(
    cudaGraphExec_t Exec, cudaGraphNode_t Node, void *Dst, const void *Src,
    size_t Bytes, cudaMemcpyKind Kind) {
  return vendorOr(
      [=] {
        return cudaGraphExecMemcpyNodeSetParams1D(Exec, Node, Dst, Src, Bytes,
                                                  Kind);
      },
      [=](Runtime &R) -> cudaError_t {
        return setTask(Exec, Node, copyTask(Dst, Src, Bytes, Kind));
      });
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaGraphMemcpyNodeSetParamsToSymbol(
    cudaGraphNode_t Node, const void *Symbol, const void *Src, size_t Bytes,
    size_t Offset, cudaMemcpyKind Kind) {
  return vendorOr(
      [=] {
        return cudaGraphMemcpyNodeSetParamsToSymbol(Node, Symbol, Src, Bytes,
                                                    Offset, Kind);
      },
      [=](Runtime &R) -> cudaError_t {
        return setTask(Node,
                       symbolOf(R, nullptr, Src, Symbol, Bytes, Offset, Kind));
      });
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaGraphExecMemcpyNodeSetParamsToSymbol(
    cudaGraphExec_t Exec, cudaGraphNode_t Node, const void *Symbol,
    const void *Src, size_t Bytes, size_t Offset, cudaMemcpyKind Kind) {
  return vendorOr(
      [=] {
        return cudaGraphExecMemcpyNodeSetParamsToSymbol(Exec, Node, Symbol, Src,
                                                        Bytes, Offset, Kind);
      },
      [=](Runtime &R) -> cudaError_t {
        return setTask(Exec, Node,
                       symbolOf(R, nullptr, Src, Symbol, Bytes, Offset, Kind));
      });
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaGraphMemcpyNodeSetParamsFromSymbol(
    cudaGraphNode_t Node, void *Dst, const void *Symbol, size_t Bytes,
    size_t Offset, cudaMemcpyKind Kind) {
  return vendorOr(
      [=] {
        return cudaGraphMemcpyNodeSetParamsFromSymbol(Node, Dst, Symbol, Bytes,
                                                      Offset, Kind);
      },
      [=](Runtime &R) -> cudaError_t {
        return setTask(Node,
                       symbolOf(R, Dst, nullptr, Symbol, Bytes, Offset, Kind));
      });
}

GRIDSPAN_ENTRY cudaError_t
__gridspan_cudaGraphExecMemcpyNodeSetParamsFromSymbol(
    cudaGraphExec_t Exec, cudaGraphNode_t Node, void *Dst, const void *Symbol,
    size_t Bytes, size_t Offset, cudaMemcpyKind Kind) {
  return vendorOr(
      [=] {
        return cudaGraphExecMemcpyNodeSetParamsFromSymbol(
            Exec, Node, Dst, Symbol, Bytes, Offset, Kind);
      },
      [=](Runtime &R) -> cudaError_t {
        return setTask(Exec, Node,
                       symbolOf(R, Dst, nullptr, Symbol, Bytes, Offset, Kind));
      });
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaGraphMemsetNodeSetParams(
    cudaGraphNode_t Node, const cudaMemsetParams *P) {
  return vendorOr(
      [=] { return cudaGraphMemsetNodeSetParams(Node, P); },
      [=](Runtime &R) -> cudaError_t { return setTask(Node, fillOf(P)); });
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaGraphExecMemsetNodeSetParams(
    cudaGraphExec_t Exec, cudaGraphNode_t Node, const cudaMemsetParams *P) {
  return vendorOr(
      [=] { return cudaGraphExecMemsetNodeSetParams(Exec, Node, P); },
      [=](Runtime &R) -> cudaError_t {
        return setTask(Exec, Node, fillOf(P));
      });
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaGraphHostNodeSetParams(
    cudaGraphNode_t Node, const cudaHostNodeParams *P) {
  return vendorOr(
      [=] { return cudaGraphHostNodeSetParams(Node, P); },
      [=](Runtime &R) -> cudaError_t { return setTask(Node, hostOf(P)); });
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaGraphExecHostNodeSetParams(
    cudaGraphExec_t Exec, cudaGraphNode_t Node, const cudaHostNodeParams *P) {
  return vendorOr([=] { return cudaGraphExecHostNodeSetParams(Exec, Node, P); },
                  [=](Runtime &R) -> cudaError_t {
                    return setTask(Exec, Node, hostOf(P));
                  });
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaGraphExecChildGraphNodeSetParams(
    cudaGraphExec_t Exec, cudaGraphNode_t Node, cudaGraph_t Child) {
  return vendorOr(
      [=] { return cudaGraphExecChildGraphNodeSetParams(Exec, Node, Child); },
      [=](Runtime &R) -> cudaError_t {
        return setTask(Exec, Node, childOf(Child));
      });
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaGraphEventRecordNodeSetEvent(
    cudaGraphNode_t Node, cudaEvent_t Event) {
  return vendorOr([=] { return cudaGraphEventRecordNodeSetEvent(Node, Event); },
                  [=](Runtime &R) -> cudaError_t {
                    return setTask(Node, eventOf(Event, recordTask));
                  });
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaGraphExecEventRecordNodeSetEvent(
    cudaGraphExec_t Exec, cudaGraphNode_t Node, cudaEvent_t Event) {
  return vendorOr(
      [=] { return cudaGraphExecEventRecordNodeSetEvent(Exec, Node, Event); },
      [=](Runtime &R) -> cudaError_t {
        return setTask(Exec, Node, eventOf(Event, recordTask));
      });
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaGraphEventWaitNodeSetEvent(
    cudaGraphNode_t Node, cudaEvent_t Event) {
  return vendorOr([=] { return cudaGraphEventWaitNodeSetEvent(Node, Event); },
                  [=](Runtime &R) -> cudaError_t {
                    return setTask(Node, eventOf(Event, waitTask));
                  });
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaGraphExecEventWaitNodeSetEvent(
    cudaGraphExec_t Exec, cudaGraphNode_t Node, cudaEvent_t Event) {
  return vendorOr(
      [=] { return cudaGraphExecEventWaitNodeSetEvent(Exec, Node, Event); },
      [=](Runtime &R) -> cudaError_t {
        return setTask(Exec, Node, eventOf(Event, waitTask));
      });
}

/// Writes Get(task) to Out for a node of a type.
template <typename T, typename Function>
static cudaError_t paramsOf(T *Out, cudaGraphNode_t Handle,
                            cudaGraphNodeType Type, Function &&Get) {
  const std::shared_ptr<GraphNode> Node =
      GraphTable::get().AllNodes.find(Handle);
  if (!Out || !Node || Node->Task.Type != Type)
    return cudaErrorInvalidValue;
  const std::optional<T> Params = Get(Node->Task);
  if (!Params)
    return cudaErrorInvalidValue;
  *Out = *Params;
  return cudaSuccess;
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaGraphKernelNodeGetParams(
    cudaGraphNode_t Node, cudaKernelNodeParams *Out) {
  return vendorOr(
      [=] { return cudaGraphKernelNodeGetParams(Node, Out); },
      [=](Runtime &R) -> cudaError_t {
        return paramsOf(Out, Node, cudaGraphNodeTypeKernel, [](GraphTask &T) {
          const KernelCall &K = *T.Kernel;
          return std::optional(cudaKernelNodeParams{
              const_cast<void *>(K.Function), K.Shape.Grid, K.Shape.Block,
              static_cast<unsigned>(K.Shape.DynamicSharedBytes),
              const_cast<void **>(K.Arguments.data()), nullptr});
        });
      });
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaGraphMemcpyNodeGetParams(
    cudaGraphNode_t Node, cudaMemcpy3DParms *Out) {
  return vendorOr([=] { return cudaGraphMemcpyNodeGetParams(Node, Out); },
                  [=](Runtime &R) -> cudaError_t {
                    return paramsOf(Out, Node, cudaGraphNodeTypeMemcpy,
                                    [](GraphTask &T) { return T.Copy; });
                  });
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaGraphMemsetNodeGetParams(
    cudaGraphNode_t Node, cudaMemsetParams *Out) {
  return vendorOr([=] { return cudaGraphMemsetNodeGetParams(Node, Out); },
                  [=](Runtime &R) -> cudaError_t {
                    return paramsOf(Out, Node, cudaGraphNodeTypeMemset,
                                    [](GraphTask &T) { return T.Fill; });
                  });
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaGraphHostNodeGetParams(
    cudaGraphNode_t Node, cudaHostNodeParams *Out) {
  return vendorOr([=] { return cudaGraphHostNodeGetParams(Node, Out); },
                  [=](Runtime &R) -> cudaError_t {
                    return paramsOf(Out, Node, cudaGraphNodeTypeHost,
                                    [](GraphTask &T) { return T.Host; });
                  });
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaGraphEventRecordNodeGetEvent(
    cudaGraphNode_t Node, cudaEvent_t *Out) {
  return vendorOr([=] { return cudaGraphEventRecordNodeGetEvent(Node, Out); },
                  [=](Runtime &R) -> cudaError_t {
                    return paramsOf(
                        Out, Node, cudaGraphNodeTypeEventRecord,
                        [](GraphTask &T) { return std::optional(T.Event); });
                  });
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaGraphEventWaitNodeGetEvent(
    cudaGraphNode_t Node, cudaEvent_t *Out) {
  return vendorOr([=] { return cudaGraphEventWaitNodeGetEvent(Node, Out); },
                  [=](Runtime &R) -> cudaError_t {
                    return paramsOf(
                        Out, Node, cudaGraphNodeTypeWaitEvent,
                        [](GraphTask &T) { return std::optional(T.Event); });
                  });
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaGraphChildGraphNodeGetGraph(
    cudaGraphNode_t Node, cudaGraph_t *Out) {
  return vendorOr([=] { return cudaGraphChildGraphNodeGetGraph(Node, Out); },
                  [=](Runtime &R) -> cudaError_t {
                    return paramsOf(
                        Out, Node, cudaGraphNodeTypeGraph, [](GraphTask &T) {
                          return std::optional(GraphTable::get().lend(T.Child));
                        });
                  });
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaGraphMemAllocNodeGetParams(
    cudaGraphNode_t Node, cudaMemAllocNodeParams *Out) {
  return vendorOr([=] { return cudaGraphMemAllocNodeGetParams(Node, Out); },
                  [=](Runtime &R) -> cudaError_t {
                    return paramsOf(
                        Out, Node, cudaGraphNodeTypeMemAlloc, [](GraphTask &T) {
                          cudaMemAllocNodeParams P = {};
                          P.poolProps.allocType = cudaMemAllocationTypePinned;
                          P.poolProps.location.type = cudaMemLocationTypeDevice;
                          P.bytesize = T.Memory->Bytes;
                          P.dptr = T.Memory->Address;
                          return std::optional(P);
                        });
                  });
}

GRIDSPAN_ENTRY cudaError_t
__gridspan_cudaGraphMemFreeNodeGetParams(cudaGraphNode_t Node, void *Out) {
  return vendorOr([=] { return cudaGraphMemFreeNodeGetParams(Node, Out); },
                  [=](Runtime &R) -> cudaError_t {
                    return paramsOf(static_cast<void **>(Out), Node,
                                    cudaGraphNodeTypeMemFree, [](GraphTask &T) {
                                      return std::optional(T.Memory->Address);
                                    });
                  });
}

/// Replaces the launch of a kernel node by one that differs in its attributes.
template <typename Function>
static cudaError_t changeAttributes(cudaGraphNode_t Handle, Function &&Change) {
  const std::shared_ptr<GraphNode> Node =
      GraphTable::get().AllNodes.find(Handle);
  if (!Node || !Node->Task.Kernel)
    return cudaErrorInvalidValue;
  const KernelCall &Old = *Node->Task.Kernel;
  LaunchShape Shape = Old.Shape;
  std::vector<cudaLaunchAttribute> Attributes = Old.Attributes;
  Change(Shape, Attributes);
  Shape.Attributes = Attributes.data();
  Shape.NumAttributes = static_cast<unsigned>(Attributes.size());
  auto New = KernelCall::copy(Old.Function, Shape, Old.Arguments.data());
  if (!New)
    return New.error();
  Node->Task = kernelTask(std::move(*New));
  return cudaSuccess;
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaGraphKernelNodeSetAttribute(
    cudaGraphNode_t Node, cudaLaunchAttributeID Id,
    const cudaLaunchAttributeValue *Value) {
  return vendorOr(
      [=] { return cudaGraphKernelNodeSetAttribute(Node, Id, Value); },
      [=](Runtime &R) -> cudaError_t {
        if (!Value)
          return cudaErrorInvalidValue;
        return changeAttributes(
            Node,
            [&](LaunchShape &Shape, std::vector<cudaLaunchAttribute> &All) {
              if (Id == cudaLaunchAttributeCooperative) {
                Shape.Cooperative = Value->cooperative != 0;
                return;
              }
              std::erase_if(All, [&](const auto &A) { return A.id == Id; });
              cudaLaunchAttribute A = {};
              A.id = Id;
              A.val = *Value;
              All.push_back(A);
            });
      });
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaGraphKernelNodeGetAttribute(
    cudaGraphNode_t Node, cudaLaunchAttributeID Id,
    cudaLaunchAttributeValue *Out) {
  return vendorOr(
      [=] { return cudaGraphKernelNodeGetAttribute(Node, Id, Out); },
      [=](Runtime &R) -> cudaError_t {
        return paramsOf(Out, Node, cudaGraphNodeTypeKernel, [&](GraphTask &T) {
          cudaLaunchAttributeValue Value = {};
          Value.cooperative = Id == cudaLaunchAttributeCooperative &&
                              T.Kernel->Shape.Cooperative;
          for (const cudaLaunchAttribute &A : T.Kernel->Attributes)
            if (A.id == Id)
              Value = A.val;
          return std::optional(Value);
        });
      });
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaGraphKernelNodeCopyAttributes(
    cudaGraphNode_t Dst, cudaGraphNode_t Src) {
  return vendorOr([=] { return cudaGraphKernelNodeCopyAttributes(Dst, Src); },
                  [=](Runtime &R) -> cudaError_t {
                    const std::shared_ptr<GraphNode> From =
                        GraphTable::get().AllNodes.find(Src);
                    if (!From || !From->Task.Kernel)
                      return cudaErrorInvalidValue;
                    return changeAttributes(
                        Dst, [&](LaunchShape &Shape,
                                 std::vector<cudaLaunchAttribute> &All) {
                          Shape.Cooperative =
                              From->Task.Kernel->Shape.Cooperative;
                          All = From->Task.Kernel->Attributes;
                        });
                  });
}
