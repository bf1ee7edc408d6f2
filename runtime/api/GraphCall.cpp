//===- GraphCall.cpp - Parts of the functions for graphs ------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes tasks of the parameters that programs pass, which may be null.
//
//===----------------------------------------------------------------------===//

#include "runtime/api/GraphCall.h"
#include "runtime/api/ApiCall.h"

namespace gridspan {

/// Makes a task of parameters that may be null.
template <typename Params>
static Expected<GraphTask> taskOf(const Params *P,
                                  Expected<GraphTask> (*Make)(const Params &)) {
  return P ? Make(*P) : Expected<GraphTask>(cudaErrorInvalidValue);
}

Expected<GraphTask> kernelOf(const cudaKernelNodeParams *P) {
  return taskOf<cudaKernelNodeParams>(P, kernelTask);
}
Expected<GraphTask> copyOf(const cudaMemcpy3DParms *P) {
  return taskOf<cudaMemcpy3DParms>(P, copyTask);
}
Expected<GraphTask> fillOf(const cudaMemsetParams *P) {
  return taskOf<cudaMemsetParams>(P, fillTask);
}
Expected<GraphTask> hostOf(const cudaHostNodeParams *P) {
  return taskOf<cudaHostNodeParams>(P, hostTask);
}
Expected<GraphTask> eventOf(cudaEvent_t Event, GraphTask (*Make)(cudaEvent_t)) {
  return Event ? Expected<GraphTask>(Make(Event))
               : Expected<GraphTask>(cudaErrorInvalidValue);
}
Expected<GraphTask> childOf(cudaGraph_t Child) {
  const std::shared_ptr<CpuGraph> G = GraphTable::get().find(Child);
  return G ? Expected<GraphTask>(childTask(*G))
           : Expected<GraphTask>(cudaErrorInvalidValue);
}

/// Copies to or from a part of a device variable.
Expected<GraphTask> symbolOf(Runtime &R, void *Dst, const void *Src,
                             const void *Symbol, size_t Bytes, size_t Offset,
                             cudaMemcpyKind Kind) {
  const Expected<SymbolTable::Copies> Variable =
      Dst ? firstOf(R, Symbol) : copiesOf(R, Symbol);
  if (!Variable)
    return Variable.error();
  const std::vector<std::byte *> &Copies = Variable->Addresses;
  const size_t Size = Variable->Bytes;
  if (Offset > Size || Bytes > Size - Offset || (!Dst && !Src))
    return cudaErrorInvalidValue;
  if (Kind < cudaMemcpyHostToHost || Kind > cudaMemcpyDefault)
    return cudaErrorInvalidMemcpyDirection;
  GraphTask Out;
  Out.Type = cudaGraphNodeTypeMemcpy;
  Out.Work = [=, Copies = Copies](Runtime &R, ProgramStream &S) {
    if (Dst)
      return R.copies().copy(S, Dst, Copies.front() + Offset, Bytes);
    for (std::byte *Copy : Copies)
      if (cudaError_t Error = R.copies().copy(S, Copy + Offset, Src, Bytes))
        return Error;
    return cudaSuccess;
  };
  return Out;
}

/// Conditional nodes have a function of their own.
Expected<GraphTask> taskOf(Runtime &R, cudaGraphNodeParams &P) {
  switch (P.type) {
  case cudaGraphNodeTypeKernel: {
    const auto &K = P.kernel;
    return kernelTask({K.func, K.gridDim, K.blockDim, K.sharedMemBytes,
                       K.kernelParams, K.extra});
  }
  case cudaGraphNodeTypeMemcpy:
    return copyTask(P.memcpy.copyParams);
  case cudaGraphNodeTypeMemset: {
    const auto &M = P.memset;
    return fillTask(
        {M.dst, M.pitch, M.value, M.elementSize, M.width, M.height});
  }
  case cudaGraphNodeTypeHost:
    return hostTask({P.host.fn, P.host.userData});
  case cudaGraphNodeTypeGraph:
    return childOf(P.graph.graph);
  case cudaGraphNodeTypeEmpty:
    return GraphTask();
  case cudaGraphNodeTypeWaitEvent:
    return eventOf(P.eventWait.event, waitTask);
  case cudaGraphNodeTypeEventRecord:
    return eventOf(P.eventRecord.event, recordTask);
  case cudaGraphNodeTypeMemAlloc: {
    Expected<GraphTask> Task = allocationTask(R, P.alloc.bytesize);
    if (Task)
      P.alloc.dptr = Task->Memory->Address;
    return Task;
  }
  case cudaGraphNodeTypeMemFree:
    return freeTask(P.free.dptr);
  case cudaGraphNodeTypeConditional:
    return sayUnsupported("other parameters of conditional nodes");
  default:
    return sayUnsupported("nodes of graphs for external semaphores");
  }
}

} // namespace gridspan
