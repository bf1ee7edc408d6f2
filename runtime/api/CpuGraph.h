//===- CpuGraph.h - CUDA graphs of the CPU device ---------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where there are GPUs, graphs are CUDA's. On the CPU device a graph holds the
// work of its nodes as functions of a stream, and a launch runs them in a
// stream, each behind those that it depends on. So the launches of a graph are
// launches like any other, and may be split.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_API_CPUGRAPH_H
#define GRIDSPAN_RUNTIME_API_CPUGRAPH_H

#include "runtime/api/GraphTasks.h"
#include "runtime/support/HandleTable.h"
#include <unordered_map>

namespace gridspan {

struct GraphNode {
  GraphTask Task;
  std::vector<GraphNode *> Dependencies;
  CpuGraph *Owner = nullptr;
  const GraphNode *Original = nullptr; ///< of a clone
  bool IsEnabled = true;

  cudaGraphNode_t handle() { return reinterpret_cast<cudaGraphNode_t>(this); }
};

class CpuGraph {
public:
  CpuGraph() = default;
  CpuGraph(const CpuGraph &) = delete;
  CpuGraph &operator=(const CpuGraph &) = delete;
  ~CpuGraph();

  const std::vector<std::shared_ptr<GraphNode>> &nodes() const { return Nodes; }
  GraphNode &add(GraphTask Task, std::vector<GraphNode *> Dependencies);
  /// Makes a value for conditional nodes of this graph.
  GraphCondition &addCondition(std::optional<unsigned> Default);
  /// Returns the condition of a handle; null if this graph has none such.
  std::shared_ptr<GraphCondition>
  condition(cudaGraphConditionalHandle Handle) const;
  /// Takes the node and all edges to it away.
  void remove(GraphNode &Node);
  /// Returns a copy, whose nodes know their originals.
  std::shared_ptr<CpuGraph> clone() const;
  /// Returns the copy of a node in this clone, or in a child or body of it;
  /// null if there is none.
  GraphNode *copyOf(const GraphNode &Original) const;
  /// Returns the nodes, each behind its dependencies; nothing if there is a
  /// circle.
  std::optional<std::vector<GraphNode *>> inOrder() const;
  /// Takes the tasks over from a graph of the same form, or returns how it
  /// differs and, in Node, where.
  cudaGraphExecUpdateResult update(const CpuGraph &From, GraphNode *&Node);
  /// Enqueues all nodes in order. Waits for what is before a conditional node.
  /// Precondition: there is no circle.
  cudaError_t launch(Runtime &R, ProgramStream &S) const;
  /// The same as a part of another graph's launch, whose conditions have their
  /// values.
  cudaError_t launchNodes(Runtime &R, ProgramStream &S) const;
  /// The same, behind all launches of this graph in other streams.
  cudaError_t launchInOrder(Runtime &R, ProgramStream &S);

private:
  void addConditions(std::vector<std::shared_ptr<GraphCondition>> &Out) const;

  std::vector<std::shared_ptr<GraphNode>> Nodes;
  /// Clones have the same: kernels know their addresses.
  std::vector<std::shared_ptr<GraphCondition>> Conditions;
  Mutex LaunchLock;
  std::unique_ptr<Event> LastLaunch GUARDED_BY(LaunchLock);
};

/// The graphs and nodes whose handles the program has.
class GraphTable {
public:
  static GraphTable &get();

  using Graphs = HandleTable<cudaGraph_t, CpuGraph>;
  using Execs = HandleTable<cudaGraphExec_t, CpuGraph>;
  using Nodes = HandleTable<cudaGraphNode_t, GraphNode>;

  Graphs Templates;
  Execs Executables;
  Nodes AllNodes;

  /// Gives the program a graph, which it destroys.
  cudaGraph_t insert(std::shared_ptr<CpuGraph> Graph);
  /// Gives the program the handle of a graph that something else owns: the node
  /// of a child, or a capture. It is valid as long as its owner.
  cudaGraph_t lend(const std::shared_ptr<CpuGraph> &Graph);
  /// Returns the graph of a handle; null if there is none.
  std::shared_ptr<CpuGraph> find(cudaGraph_t Handle) const;
  void forget(const CpuGraph &Graph);
  void insert(const std::shared_ptr<GraphMemory> &Memory);
  void forget(const GraphMemory &Memory);
  /// Forgets the memory of all graphs, which has been freed with all other.
  void forgetMemory();
  /// Returns the memory of an allocation node; null for other memory.
  std::shared_ptr<GraphMemory> memory(const void *Address) const;
  /// Bytes of allocation nodes, now and the most since they were asked about.
  struct Usage {
    uint64_t Now = 0;
    uint64_t Most = 0;
  };
  Usage usage() const;
  void resetMost();
  /// Notes that the program has freed memory of a graph; false for other
  /// memory.
  bool freed(void *Address);

private:
  mutable Mutex Lock;
  std::unordered_map<const CpuGraph *, std::weak_ptr<CpuGraph>>
      Lent GUARDED_BY(Lock);
  Usage Used GUARDED_BY(Lock);
  std::unordered_map<const void *, std::weak_ptr<GraphMemory>>
      Memories GUARDED_BY(Lock);
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_API_CPUGRAPH_H
