//===- CpuGraph.cpp - CUDA graphs of the CPU device -----------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The form of a graph: nodes, edges, clones, order. GraphTasks.cpp has what
// nodes do.
//
//===----------------------------------------------------------------------===//

#include "runtime/api/CpuGraph.h"
#include "runtime/api/GraphCall.h"
#include <algorithm>
#include <unordered_map>

namespace gridspan {

CpuGraph::~CpuGraph() {
  GraphTable::get().forget(*this);
  for (const std::shared_ptr<GraphNode> &Node : Nodes)
    GraphTable::get().AllNodes.remove(Node->handle());
}

GraphNode &CpuGraph::add(GraphTask Task,
                         std::vector<GraphNode *> Dependencies) {
  auto Node = std::make_shared<GraphNode>();
  Node->Task = std::move(Task);
  if (Node->Task.Memory)
    Node->Task.Memory->IsInGraph = true;
  Node->Dependencies = std::move(Dependencies);
  Node->Owner = this;
  GraphTable::get().AllNodes.insert(Node->handle(), Node);
  Nodes.push_back(std::move(Node));
  return *Nodes.back();
}

GraphCondition &CpuGraph::addCondition(std::optional<unsigned> Default) {
  Conditions.push_back(std::make_shared<GraphCondition>());
  Conditions.back()->Default = Default;
  return *Conditions.back();
}

std::shared_ptr<GraphCondition>
CpuGraph::condition(cudaGraphConditionalHandle Handle) const {
  for (const std::shared_ptr<GraphCondition> &C : Conditions)
    if (C->handle() == Handle)
      return C;
  return nullptr;
}

void CpuGraph::remove(GraphNode &Node) {
  for (const std::shared_ptr<GraphNode> &Other : Nodes)
    std::erase(Other->Dependencies, &Node);
  GraphTable::get().AllNodes.remove(Node.handle());
  std::erase_if(Nodes, [&](const auto &Other) { return Other.get() == &Node; });
}

std::shared_ptr<CpuGraph> CpuGraph::clone() const {
  auto Out = std::make_shared<CpuGraph>();
  Out->Conditions = Conditions;
  std::unordered_map<const GraphNode *, GraphNode *> Copies;
  for (const std::shared_ptr<GraphNode> &Node : Nodes) {
    GraphTask Task = Node->Task;
    if (Task.Child)
      Task.Child = Task.Child->clone();
    if (Task.Choice) {
      Task.Choice->Handles = nullptr;
      for (std::shared_ptr<CpuGraph> &Body : Task.Choice->Bodies)
        Body = Body->clone();
    }
    GraphNode &Copy = Out->add(std::move(Task), {});
    Copy.Original = Node.get();
    Copy.IsEnabled = Node->IsEnabled;
    Copies[Node.get()] = &Copy;
  }
  for (const std::shared_ptr<GraphNode> &Node : Nodes)
    for (const GraphNode *Before : Node->Dependencies)
      Copies[Node.get()]->Dependencies.push_back(Copies[Before]);
  return Out;
}

/// Returns the graphs in a node: a child, or the bodies of a condition.
static std::vector<CpuGraph *> partsOf(const GraphTask &Task) {
  std::vector<CpuGraph *> Out;
  if (Task.Child)
    Out.push_back(Task.Child.get());
  if (Task.Choice)
    for (const std::shared_ptr<CpuGraph> &Body : Task.Choice->Bodies)
      Out.push_back(Body.get());
  return Out;
}

GraphNode *CpuGraph::copyOf(const GraphNode &Original) const {
  for (const std::shared_ptr<GraphNode> &Node : Nodes) {
    if (Node->Original == &Original)
      return Node.get();
    for (const CpuGraph *Part : partsOf(Node->Task))
      if (GraphNode *Inner = Part->copyOf(Original))
        return Inner;
  }
  return nullptr;
}

std::optional<std::vector<GraphNode *>> CpuGraph::inOrder() const {
  std::unordered_map<const GraphNode *, size_t> Missing;
  std::unordered_map<const GraphNode *, std::vector<GraphNode *>> After;
  std::vector<GraphNode *> Out;
  for (const std::shared_ptr<GraphNode> &Node : Nodes) {
    Missing[Node.get()] = Node->Dependencies.size();
    for (const GraphNode *Before : Node->Dependencies)
      After[Before].push_back(Node.get());
    if (Node->Dependencies.empty())
      Out.push_back(Node.get());
  }
  for (size_t I = 0; I != Out.size(); ++I)
    for (GraphNode *Node : After[Out[I]])
      if (--Missing[Node] == 0)
        Out.push_back(Node);
  if (Out.size() != Nodes.size())
    return std::nullopt;
  return Out;
}

cudaGraphExecUpdateResult CpuGraph::update(const CpuGraph &From,
                                           GraphNode *&Node) {
  if (Nodes.size() != From.Nodes.size())
    return cudaGraphExecUpdateErrorTopologyChanged;
  const auto IndexOf = [](const CpuGraph &G, const GraphNode *N) {
    return std::find_if(G.Nodes.begin(), G.Nodes.end(),
                        [&](const auto &Other) { return Other.get() == N; }) -
           G.Nodes.begin();
  };
  for (size_t I = 0; I != Nodes.size(); ++I) {
    const GraphNode &Old = *Nodes[I], &New = *From.Nodes[I];
    Node = From.Nodes[I].get();
    if (Old.Task.Type != New.Task.Type)
      return cudaGraphExecUpdateErrorNodeTypeChanged;
    if (Old.Dependencies.size() != New.Dependencies.size())
      return cudaGraphExecUpdateErrorTopologyChanged;
    for (size_t D = 0; D != Old.Dependencies.size(); ++D)
      if (IndexOf(*this, Old.Dependencies[D]) !=
          IndexOf(From, New.Dependencies[D]))
        return cudaGraphExecUpdateErrorTopologyChanged;
    const std::vector<CpuGraph *> OldParts = partsOf(Old.Task);
    const std::vector<CpuGraph *> NewParts = partsOf(New.Task);
    if (OldParts.size() != NewParts.size() ||
        (Old.Task.Choice && Old.Task.Choice->Type != New.Task.Choice->Type))
      return cudaGraphExecUpdateErrorParametersChanged;
    for (size_t P = 0; P != OldParts.size(); ++P) {
      GraphNode *Inner = nullptr;
      const std::shared_ptr<CpuGraph> Trial = OldParts[P]->clone();
      if (const auto Result = Trial->update(*NewParts[P], Inner))
        return Result;
    }
  }
  Node = nullptr;
  Conditions = From.Conditions;
  for (size_t I = 0; I != Nodes.size(); ++I) {
    GraphTask &Task = Nodes[I]->Task;
    const GraphTask &New = From.Nodes[I]->Task;
    const std::vector<CpuGraph *> Parts = partsOf(Task);
    for (size_t P = 0; P != Parts.size(); ++P) {
      GraphNode *Inner = nullptr;
      Parts[P]->update(*partsOf(New)[P], Inner);
    }
    if (Task.Choice)
      Task.Choice->Condition = New.Choice->Condition;
    if (Parts.empty())
      Task = New;
  }
  return cudaGraphExecUpdateSuccess;
}

static cudaError_t waitFor(Runtime &R, ProgramStream &S) {
  if (cudaError_t Error = R.launches().finishDeferred())
    return Error;
  return R.backend().synchronize(S.main());
}

/// Runs the bodies that the condition says.
static cudaError_t launchChoice(const GraphChoice &Choice, Runtime &R,
                                ProgramStream &S) {
  cudaError_t Error = waitFor(R, S);
  const auto Value = [&] { return Choice.Condition->Value.load(); };
  if (Choice.Type == cudaGraphCondTypeWhile) {
    while (!Error && Value())
      if (!(Error = Choice.Bodies[0]->launchNodes(R, S)))
        Error = waitFor(R, S);
    return Error;
  }
  const unsigned Which =
      Choice.Type == cudaGraphCondTypeIf ? Value() == 0 : Value();
  if (!Error && Which < Choice.Bodies.size())
    Error = Choice.Bodies[Which]->launchNodes(R, S);
  return Error;
}

void CpuGraph::addConditions(
    std::vector<std::shared_ptr<GraphCondition>> &Out) const {
  Out.insert(Out.end(), Conditions.begin(), Conditions.end());
  for (const std::shared_ptr<GraphNode> &Node : Nodes)
    for (const CpuGraph *Part : partsOf(Node->Task))
      Part->addConditions(Out);
}

/// All conditions get their defaults once, those of bodies as well: a loop
/// within a loop does not begin anew with each turn of the outer one, as on
/// GPUs.
cudaError_t CpuGraph::launch(Runtime &R, ProgramStream &S) const {
  std::vector<std::shared_ptr<GraphCondition>> All;
  addConditions(All);
  if (!All.empty()) {
    // Kernels of the last launch may still set them.
    if (cudaError_t Error = waitFor(R, S))
      return Error;
    for (const std::shared_ptr<GraphCondition> &C : All)
      if (C->Default)
        C->Value = *C->Default;
  }
  return launchNodes(R, S);
}

cudaError_t CpuGraph::launchNodes(Runtime &R, ProgramStream &S) const {
  const std::optional<std::vector<GraphNode *>> Order = inOrder();
  if (!Order)
    return cudaErrorInvalidValue;
  for (const GraphNode *Node : *Order) {
    if (!Node->IsEnabled)
      continue;
    cudaError_t Error = cudaSuccess;
    if (Node->Task.Child)
      Error = Node->Task.Child->launchNodes(R, S);
    else if (Node->Task.Choice)
      Error = launchChoice(*Node->Task.Choice, R, S);
    else if (Node->Task.Work)
      Error = Node->Task.Work(R, S);
    // Other nodes' work does not look if launches or fills still wait.
    const cudaError_t Deferred = R.launches().finishDeferred();
    Error = Error ? Error : Deferred;
    // Launches count themselves.
    if (Node->Task.Type != cudaGraphNodeTypeKernel)
      ProgramStream::operated();
    if (Error)
      return Error;
  }
  return cudaSuccess;
}

cudaError_t CpuGraph::launchInOrder(Runtime &R, ProgramStream &S) {
  Backend &B = R.backend();
  MutexLock Guard(LaunchLock);
  if (LastLaunch) {
    MutexLock Order(S.lock());
    if (cudaError_t Error = B.wait(S.main(), *LastLaunch))
      return Error;
  } else if (cudaError_t Error =
                 B.createEvent(0, cudaEventDisableTiming, LastLaunch)) {
    return Error;
  }
  // What a launch that failed has enqueued is to be waited for as well.
  const cudaError_t Error = launch(R, S);
  MutexLock Order(S.lock());
  const cudaError_t Recorded = B.record(*LastLaunch, S.main());
  return Error ? Error : Recorded;
}

Expected<std::vector<GraphNode *>>
nodesOf(const CpuGraph &Graph, const cudaGraphNode_t *Handles, size_t Count) {
  std::vector<GraphNode *> Out;
  for (size_t I = 0; I != Count; ++I) {
    const std::shared_ptr<GraphNode> Node =
        Handles ? GraphTable::get().AllNodes.find(Handles[I]) : nullptr;
    if (!Node || Node->Owner != &Graph)
      return cudaErrorInvalidValue;
    Out.push_back(Node.get());
  }
  return Out;
}

GraphNode *nodeIn(cudaGraphExec_t Exec, cudaGraphNode_t Node) {
  const std::shared_ptr<CpuGraph> G = GraphTable::get().Executables.find(Exec);
  const std::shared_ptr<GraphNode> Original =
      GraphTable::get().AllNodes.find(Node);
  return G && Original ? G->copyOf(*Original) : nullptr;
}

GraphTable &GraphTable::get() {
  static auto *Table = new GraphTable;
  return *Table;
}

cudaGraph_t GraphTable::insert(std::shared_ptr<CpuGraph> Graph) {
  const auto Handle = reinterpret_cast<cudaGraph_t>(Graph.get());
  Templates.insert(Handle, std::move(Graph));
  return Handle;
}

cudaGraph_t GraphTable::lend(const std::shared_ptr<CpuGraph> &Graph) {
  MutexLock Guard(Lock);
  Lent[Graph.get()] = Graph;
  return reinterpret_cast<cudaGraph_t>(Graph.get());
}

std::shared_ptr<CpuGraph> GraphTable::find(cudaGraph_t Handle) const {
  if (std::shared_ptr<CpuGraph> Own = Templates.find(Handle))
    return Own;
  MutexLock Guard(Lock);
  const auto It = Lent.find(reinterpret_cast<const CpuGraph *>(Handle));
  return It == Lent.end() ? nullptr : It->second.lock();
}

void GraphTable::forget(const CpuGraph &Graph) {
  MutexLock Guard(Lock);
  Lent.erase(&Graph);
}

void GraphTable::insert(const std::shared_ptr<GraphMemory> &Memory) {
  MutexLock Guard(Lock);
  Memories[Memory->Address] = Memory;
  Used.Now += Memory->Bytes;
  Used.Most = std::max(Used.Most, Used.Now);
}

void GraphTable::forget(const GraphMemory &Memory) {
  MutexLock Guard(Lock);
  if (Memories.erase(Memory.Address))
    Used.Now -= Memory.Bytes;
}

void GraphTable::forgetMemory() {
  std::vector<std::shared_ptr<GraphMemory>> Known; // dies after the lock
  MutexLock Guard(Lock);
  for (const auto &[Address, Weak] : Memories)
    if (std::shared_ptr<GraphMemory> Memory = Weak.lock()) {
      Memory->IsInGraph = true;
      Memory->IsFreed = false;
      Known.push_back(std::move(Memory));
    }
  Memories.clear();
  Used = {};
}

GraphTable::Usage GraphTable::usage() const {
  MutexLock Guard(Lock);
  return Used;
}

void GraphTable::resetMost() {
  MutexLock Guard(Lock);
  Used.Most = Used.Now;
}

std::shared_ptr<GraphMemory> GraphTable::memory(const void *Address) const {
  MutexLock Guard(Lock);
  const auto It = Memories.find(Address);
  return It == Memories.end() ? nullptr : It->second.lock();
}

bool GraphTable::freed(void *Address) {
  const std::shared_ptr<GraphMemory> Memory = memory(Address);
  if (Memory)
    Memory->IsFreed = true;
  return Memory != nullptr;
}

} // namespace gridspan
