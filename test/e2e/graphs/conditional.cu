// Conditional nodes: if with and without else, while, switch, one in the body of
// another, values that each start of a graph resets, and bodies that are
// captured. Graphs that were instantiated are launched again.
//
// RUN: %gridspan++ -rdc=true -arch=sm_90 -std=c++17 -O2 %s -o %t
// RUN: env GRIDSPAN_DEVICES=cpu:1 %t | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:3 GRIDSPAN_SCHEDULE=static %t | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_CHECK=1 %t | FileCheck %s
// CHECK: PASS

#include "../Inputs/check.h"
#include <vector>

using Handle = cudaGraphConditionalHandle;

__global__ void add(int *Data, int Count, int Value) {
  const int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < Count)
    Data[I] += Value;
}
__global__ void choose(Handle H, const int *Value) {
  cudaGraphSetConditional(H, *Value);
}
__global__ void store(int *To, int Number) { *To = Number; }
/// Counts down, and goes on until that is zero.
__global__ void countDown(Handle H, int *Left) {
  cudaGraphSetConditional(H, --*Left != 0);
}

static constexpr int Count = 100000;
static int *Data, *Value;

static cudaGraphNode_t addKernel(cudaGraph_t Graph, const void *Kernel,
                                 dim3 Blocks, dim3 Threads, void **Arguments,
                                 const cudaGraphNode_t *Before = nullptr) {
  cudaGraphNodeParams P = {};
  P.type = cudaGraphNodeTypeKernel;
  P.kernel.func = const_cast<void *>(Kernel);
  P.kernel.gridDim = Blocks;
  P.kernel.blockDim = Threads;
  P.kernel.kernelParams = Arguments;
  cudaGraphNode_t Out = nullptr;
  CHECK(cudaGraphAddNode(&Out, Graph, Before, nullptr, Before != nullptr, &P));
  return Out;
}
static cudaGraphNode_t addAdd(cudaGraph_t Graph, int Number,
                              const cudaGraphNode_t *Before = nullptr) {
  int N = Count;
  void *Arguments[] = {&Data, &N, &Number};
  return addKernel(Graph, reinterpret_cast<const void *>(add),
                   (Count + 255) / 256, 256, Arguments, Before);
}
static cudaGraphNode_t addSetter(cudaGraph_t Graph, const void *Kernel,
                                 Handle H, int *From,
                                 const cudaGraphNode_t *Before = nullptr) {
  void *Arguments[] = {&H, &From};
  return addKernel(Graph, Kernel, 1, 1, Arguments, Before);
}
static cudaError_t addChoice(cudaGraphNode_t *Out, cudaGraph_t Graph, Handle H,
                             cudaGraphConditionalNodeType Type, unsigned Size,
                             std::vector<cudaGraph_t> &Bodies,
                             const cudaGraphNode_t *Before = nullptr) {
  cudaGraphNodeParams P = {};
  P.type = cudaGraphNodeTypeConditional;
  P.conditional.handle = H;
  P.conditional.type = Type;
  P.conditional.size = Size;
  const cudaError_t Error =
      cudaGraphAddNode(Out, Graph, Before, nullptr, Before != nullptr, &P);
  if (!Error)
    Bodies.assign(P.conditional.phGraph_out, P.conditional.phGraph_out + Size);
  return Error;
}

/// Launches a graph with a value and returns what it adds to all elements.
static int added(cudaGraphExec_t Exec, int With) {
  std::vector<int> Host(Count);
  CHECK(cudaMemset(Data, 0, Count * sizeof(int)));
  CHECK(cudaMemcpy(Value, &With, sizeof(int), cudaMemcpyHostToDevice));
  CHECK(cudaGraphLaunch(Exec, 0));
  toHost(Host.data(), Data, Count);
  for (int I = 1; I < Count; ++I)
    EXPECT(Host[I] == Host[0]);
  return Host[0];
}
static cudaGraphExec_t instantiate(cudaGraph_t Graph) {
  cudaGraphExec_t Exec = nullptr;
  CHECK(cudaGraphInstantiate(&Exec, Graph, 0));
  return Exec;
}

static const void *Chooses = reinterpret_cast<const void *>(choose);
static const void *Counts = reinterpret_cast<const void *>(countDown);

static void ifAndSwitch(cudaGraphConditionalNodeType Type, unsigned Size) {
  cudaGraph_t Graph;
  Handle H;
  std::vector<cudaGraph_t> Bodies;
  CHECK(cudaGraphCreate(&Graph, 0));
  CHECK(cudaGraphConditionalHandleCreate(&H, Graph, 0, 0));
  const cudaGraphNode_t Set = addSetter(Graph, Chooses, H, Value);
  cudaGraphNode_t Node;
  CHECK(addChoice(&Node, Graph, H, Type, Size, Bodies, &Set));
  for (unsigned I = 0; I != Size; ++I)
    addAdd(Bodies[I], 10 * (I + 1));
  addAdd(Graph, 1, &Node);
  cudaGraphNodeType Is;
  CHECK(cudaGraphNodeGetType(Node, &Is));
  EXPECT(Is == cudaGraphNodeTypeConditional);
  const cudaGraphExec_t Exec = instantiate(Graph);
  CHECK(cudaGraphDestroy(Graph));
  for (int With = 0; With != 5; ++With) {
    const unsigned Which =
        Type == cudaGraphCondTypeIf ? With == 0 : unsigned(With);
    EXPECT(added(Exec, With) == 1 + (Which < Size ? 10 * int(Which + 1) : 0));
  }
  CHECK(cudaGraphExecDestroy(Exec));
}

/// A loop in a loop: both begin with 1 when the graph is started, so that the
/// inner one has turns in the first turn of the outer one only, as on GPUs; or in
/// each, if a kernel sets it anew.
static void loops(bool SetsAnew) {
  cudaGraph_t Graph;
  Handle Outer, Inner;
  std::vector<cudaGraph_t> Body, InnerBody;
  CHECK(cudaGraphCreate(&Graph, 0));
  CHECK(cudaGraphConditionalHandleCreate(&Outer, Graph, 1,
                                         cudaGraphCondAssignDefault));
  cudaGraphNode_t Node;
  CHECK(addChoice(&Node, Graph, Outer, cudaGraphCondTypeWhile, 1, Body));
  const cudaGraphNode_t Adds = addAdd(Body[0], 100);
  CHECK(cudaGraphConditionalHandleCreate(&Inner, Body[0], 1,
                                         cudaGraphCondAssignDefault));
  int *Left, Turns = 3;
  CHECK(cudaMalloc(&Left, sizeof(int)));
  void *Arguments[] = {&Left, &Turns};
  cudaGraphNode_t Sets = addKernel(
      Body[0], reinterpret_cast<const void *>(store), 1, 1, Arguments, &Adds);
  if (SetsAnew)
    Sets = addSetter(Body[0], Chooses, Inner, Left, &Sets);
  CHECK(addChoice(&Node, Body[0], Inner, cudaGraphCondTypeWhile, 1, InnerBody,
                  &Sets));
  const cudaGraphNode_t AddsOne = addAdd(InnerBody[0], 1);
  addSetter(InnerBody[0], Counts, Inner, Left, &AddsOne);
  addSetter(Body[0], Counts, Outer, Value, &Node);
  const cudaGraphExec_t Exec = instantiate(Graph);
  for (int Rounds : {1, 4, 2})
    EXPECT(added(Exec, Rounds) ==
           Rounds * 100 + (SetsAnew ? Rounds : 1) * Turns);
  CHECK(cudaGraphExecDestroy(Exec));
  CHECK(cudaGraphDestroy(Graph));
  CHECK(cudaFree(Left));
}

/// The body is captured, and so is what is before the node.
static void captured() {
  cudaStream_t Stream, Filling;
  CHECK(cudaStreamCreate(&Stream));
  CHECK(cudaStreamCreate(&Filling));
  CHECK(cudaStreamBeginCapture(Stream, cudaStreamCaptureModeGlobal));
  add<<<(Count + 255) / 256, 256, 0, Stream>>>(Data, Count, 1000);
  cudaStreamCaptureStatus Status;
  cudaGraph_t Graph;
  const cudaGraphNode_t *Last;
  size_t Lasts;
  CHECK(cudaStreamGetCaptureInfo(Stream, &Status, nullptr, &Graph, &Last,
                                 nullptr, &Lasts));
  EXPECT(Lasts == 1);
  Handle H;
  CHECK(cudaGraphConditionalHandleCreate(&H, Graph, 1,
                                         cudaGraphCondAssignDefault));
  cudaGraphNode_t Node;
  std::vector<cudaGraph_t> Body;
  CHECK(addChoice(&Node, Graph, H, cudaGraphCondTypeWhile, 1, Body, Last));
  CHECK(cudaStreamUpdateCaptureDependencies(Stream, &Node, nullptr, 1,
                                            cudaStreamSetCaptureDependencies));
  CHECK(cudaStreamBeginCaptureToGraph(Filling, Body[0], nullptr, nullptr, 0,
                                      cudaStreamCaptureModeRelaxed));
  add<<<(Count + 255) / 256, 256, 0, Filling>>>(Data, Count, 1);
  countDown<<<1, 1, 0, Filling>>>(H, Value);
  CHECK(cudaStreamEndCapture(Filling, nullptr));
  add<<<(Count + 255) / 256, 256, 0, Stream>>>(Data, Count, 100000);
  CHECK(cudaStreamEndCapture(Stream, &Graph));
  const cudaGraphExec_t Exec = instantiate(Graph);
  for (int Turns : {1, 5, 2})
    EXPECT(added(Exec, Turns) == 101000 + Turns);
  CHECK(cudaGraphExecDestroy(Exec));
  CHECK(cudaGraphDestroy(Graph));
}

static void refused() {
  cudaGraph_t Graph, Other;
  Handle H;
  cudaGraphNode_t Node;
  std::vector<cudaGraph_t> Bodies;
  CHECK(cudaGraphCreate(&Graph, 0));
  CHECK(cudaGraphCreate(&Other, 0));
  CHECK(cudaGraphConditionalHandleCreate(&H, Graph, 0, 0));
  EXPECT(addChoice(&Node, Other, H, cudaGraphCondTypeIf, 1, Bodies) ==
         cudaErrorInvalidValue);
  EXPECT(addChoice(&Node, Graph, H, cudaGraphCondTypeIf, 3, Bodies) ==
         cudaErrorInvalidValue);
  EXPECT(addChoice(&Node, Graph, H, cudaGraphCondTypeWhile, 2, Bodies) ==
         cudaErrorInvalidValue);
  EXPECT(addChoice(&Node, Graph, H, cudaGraphCondTypeSwitch, 0, Bodies) ==
         cudaErrorInvalidValue);
  cudaGetLastError();
  CHECK(cudaGraphDestroy(Graph));
  CHECK(cudaGraphDestroy(Other));
}

int main() {
  CHECK(cudaMalloc(&Data, Count * sizeof(int)));
  CHECK(cudaMalloc(&Value, sizeof(int)));
  ifAndSwitch(cudaGraphCondTypeIf, 1);
  ifAndSwitch(cudaGraphCondTypeIf, 2);
  ifAndSwitch(cudaGraphCondTypeSwitch, 3);
  loops(false);
  loops(true);
  captured();
  refused();
  return finish();
}
