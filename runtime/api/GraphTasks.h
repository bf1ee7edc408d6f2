//===- GraphTasks.h - What nodes of graphs do -------------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A task is the work of a node of a graph of the CPU device, as a function of
// the stream that it is launched in, with the parameters that made it.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_API_GRAPHTASKS_H
#define GRIDSPAN_RUNTIME_API_GRAPHTASKS_H

#include "runtime/Runtime.h"
#include "runtime/support/Expected.h"
#include <functional>
#include <optional>

namespace gridspan {

class CpuGraph;

/// Enqueues what a node does.
using GraphWork = std::function<cudaError_t(Runtime &, ProgramStream &)>;

/// A launch with copies of its arguments.
struct KernelCall {
  const void *Function = nullptr;
  LaunchShape Shape;
  std::vector<cudaLaunchAttribute> Attributes;
  std::vector<std::byte> Storage;
  std::vector<void *> Arguments; ///< into Storage

  /// Copies the arguments of a launch. Fails for a function whose parameters
  /// are not known.
  static Expected<std::shared_ptr<const KernelCall>>
  copy(const void *Function, const LaunchShape &Shape, void *const *Arguments);
};

/// Memory of an allocation node. It has its address as long as the graph, and
/// afterwards if nothing has freed it.
struct GraphMemory {
  void *Address = nullptr;
  size_t Bytes = 0;
  std::atomic<bool> IsFreed{false};   ///< by a node or by the program
  std::atomic<bool> IsInGraph{false}; ///< and so known to the program

  ~GraphMemory();
};

/// What a conditional node goes by. A cudaGraphConditionalHandle is the address
/// of the value, which kernels set.
struct GraphCondition {
  std::atomic<unsigned> Value{0};
  std::optional<unsigned> Default; ///< at each start of the graph

  cudaGraphConditionalHandle handle() const {
    return reinterpret_cast<cudaGraphConditionalHandle>(&Value);
  }
};

/// Of a conditional node.
struct GraphChoice {
  cudaGraphConditionalNodeType Type = cudaGraphCondTypeIf;
  std::shared_ptr<GraphCondition> Condition;
  std::vector<std::shared_ptr<CpuGraph>> Bodies;
  /// The bodies as the program knows them.
  std::shared_ptr<const std::vector<cudaGraph_t>> Handles;
};

/// What a node does, and the parameters that made it, of its type.
struct GraphTask {
  cudaGraphNodeType Type = cudaGraphNodeTypeEmpty;
  GraphWork Work; ///< null for nodes that do nothing
  std::shared_ptr<const KernelCall> Kernel;
  std::optional<cudaMemcpy3DParms> Copy;
  std::optional<cudaMemsetParams> Fill;
  std::optional<cudaHostNodeParams> Host;
  cudaEvent_t Event = nullptr;
  std::shared_ptr<GraphMemory> Memory;
  std::shared_ptr<CpuGraph> Child;
  std::optional<GraphChoice> Choice;
};

/// These make tasks of parameters, or refuse them.
Expected<GraphTask> kernelTask(const cudaKernelNodeParams &P);
Expected<GraphTask> copyTask(const cudaMemcpy3DParms &P);
Expected<GraphTask> copyTask(void *Dst, const void *Src, size_t Bytes,
                             cudaMemcpyKind Kind);
Expected<GraphTask> fillTask(const cudaMemsetParams &P);
Expected<GraphTask> hostTask(const cudaHostNodeParams &P);
GraphTask kernelTask(std::shared_ptr<const KernelCall> Call);
GraphTask childTask(const CpuGraph &Graph);
GraphTask recordTask(cudaEvent_t Event);
GraphTask waitTask(cudaEvent_t Event);
/// Makes the bodies, which the program fills. Fails for a handle that is not
/// Graph's.
Expected<GraphTask> choiceTask(const CpuGraph &Graph,
                               cudaConditionalNodeParams &P);
Expected<GraphTask> allocationTask(Runtime &R, size_t Bytes);
/// Fails unless an allocation node made the address.
Expected<GraphTask> freeTask(void *Address);

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_API_GRAPHTASKS_H
