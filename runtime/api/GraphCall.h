//===- GraphCall.h - Parts of the functions for graphs ----------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lookups of graphs and nodes by their handles, and tasks of parameters.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_API_GRAPHCALL_H
#define GRIDSPAN_RUNTIME_API_GRAPHCALL_H

#include "runtime/api/CpuGraph.h"

namespace gridspan {

/// Returns nodes of a graph by their handles, or an error if one is of no graph
/// or of another.
Expected<std::vector<GraphNode *>>
nodesOf(const CpuGraph &Graph, const cudaGraphNode_t *Handles, size_t Count);

/// Returns the node of what was instantiated that a node of the graph has
/// become; null if there is none.
GraphNode *nodeIn(cudaGraphExec_t Exec, cudaGraphNode_t Node);

/// Returns a variable's copies on all devices; one if it is managed.
Expected<SymbolTable::Copies> copiesOf(Runtime &R, const void *Symbol);
/// Returns the copy on device 0 alone.
Expected<SymbolTable::Copies> firstOf(Runtime &R, const void *Symbol);

/// These make tasks of parameters, or refuse what is null or no parameter.
Expected<GraphTask> kernelOf(const cudaKernelNodeParams *P);
Expected<GraphTask> copyOf(const cudaMemcpy3DParms *P);
Expected<GraphTask> fillOf(const cudaMemsetParams *P);
Expected<GraphTask> hostOf(const cudaHostNodeParams *P);
Expected<GraphTask> eventOf(cudaEvent_t Event, GraphTask (*Make)(cudaEvent_t));
Expected<GraphTask> childOf(cudaGraph_t Child);
/// Copies to a part of a device variable, or from it: one of Dst and Src is
/// null.
Expected<GraphTask> symbolOf(Runtime &R, void *Dst, const void *Src,
                             const void *Symbol, size_t Bytes, size_t Offset,
                             cudaMemcpyKind Kind);
Expected<GraphTask> taskOf(Runtime &R, cudaGraphNodeParams &P);

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_API_GRAPHCALL_H
