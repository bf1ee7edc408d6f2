// Graphs made node by node: order, parameters that are changed, children,
// memory, updates and errors.
//
// RUN: %gridspan++ -O2 %s -o %t
// RUN: %compare --devices 1,3 %t | FileCheck %s
// CHECK: PASS

#include "../Inputs/check.h"
#include <vector>

__global__ void scale(int *Data, int N, int Factor) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < N)
    Data[I] *= Factor;
}

__global__ void add(int *Data, int N, int Term) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < N)
    Data[I] += Term;
}

static constexpr int N = 1 << 14;

static cudaKernelNodeParams kernel(void (*F)(int *, int, int), void **Args) {
  cudaKernelNodeParams P = {};
  P.func = reinterpret_cast<void *>(F);
  P.gridDim = dim3(N / 128);
  P.blockDim = dim3(128);
  P.kernelParams = Args;
  return P;
}

static bool all(const std::vector<int> &Data, int Value) {
  for (int V : Data)
    if (V != Value)
      return false;
  return true;
}

static int HostRuns = 0;

int main() {
  int *Data = nullptr;
  CHECK(cudaMalloc(&Data, N * sizeof(int)));
  std::vector<int> Host(N, -1);
  cudaStream_t S = nullptr;
  CHECK(cudaStreamCreate(&S));

  // Fill with 3, then times 5 plus 7, back to the host, call the host.
  cudaGraph_t G = nullptr;
  CHECK(cudaGraphCreate(&G, 0));
  cudaMemsetParams M = {};
  M.dst = Data;
  M.value = 3;
  M.elementSize = 4;
  M.width = N;
  M.height = 1;
  cudaGraphNode_t Fill, Times, Plus, Back, Call;
  CHECK(cudaGraphAddMemsetNode(&Fill, G, nullptr, 0, &M));
  int Count = N, Factor = 5, Term = 7;
  void *TimesArgs[] = {&Data, &Count, &Factor};
  void *PlusArgs[] = {&Data, &Count, &Term};
  cudaKernelNodeParams TimesParams = kernel(scale, TimesArgs);
  cudaKernelNodeParams PlusParams = kernel(add, PlusArgs);
  // The later one first: the edges say the order.
  CHECK(cudaGraphAddKernelNode(&Plus, G, nullptr, 0, &PlusParams));
  CHECK(cudaGraphAddKernelNode(&Times, G, &Fill, 1, &TimesParams));
  CHECK(cudaGraphAddDependencies(G, &Times, &Plus, nullptr, 1));
  Factor = Term = 1000; // the nodes have copies
  CHECK(cudaGraphAddMemcpyNode1D(&Back, G, &Plus, 1, Host.data(), Data,
                                 N * sizeof(int), cudaMemcpyDeviceToHost));
  cudaHostNodeParams H = {};
  H.fn = [](void *Runs) { ++*static_cast<int *>(Runs); };
  H.userData = &HostRuns;
  CHECK(cudaGraphAddHostNode(&Call, G, &Back, 1, &H));

  size_t Nodes = 0, Edges = 0, Roots = 0;
  CHECK(cudaGraphGetNodes(G, nullptr, &Nodes));
  CHECK(cudaGraphGetRootNodes(G, nullptr, &Roots));
  CHECK(cudaGraphGetEdges(G, nullptr, nullptr, nullptr, &Edges));
  EXPECT(Nodes == 5 && Edges == 4 && Roots == 1);
  cudaGraphNodeType Type;
  CHECK(cudaGraphNodeGetType(Times, &Type));
  EXPECT(Type == cudaGraphNodeTypeKernel);

  cudaGraphExec_t Exec = nullptr;
  CHECK(cudaGraphInstantiate(&Exec, G, 0));
  for (int Run = 0; Run < 2; ++Run) {
    CHECK(cudaGraphLaunch(Exec, S));
    CHECK(cudaStreamSynchronize(S));
    EXPECT(all(Host, 22) && HostRuns == Run + 1);
  }

  // Parameters of what was instantiated; the graph is as before.
  Factor = 10;
  CHECK(cudaGraphExecKernelNodeSetParams(Exec, Times, &TimesParams));
  M.value = 0x01010101; // bytes that are all the same
  CHECK(cudaGraphExecMemsetNodeSetParams(Exec, Fill, &M));
  CHECK(cudaGraphLaunch(Exec, S));
  CHECK(cudaStreamSynchronize(S));
  EXPECT(all(Host, 0x01010101 * 10 + 7));
  cudaKernelNodeParams Read = {};
  CHECK(cudaGraphKernelNodeGetParams(Times, &Read));
  EXPECT(Read.func == TimesParams.func && *(int *)Read.kernelParams[2] == 5);

  // The same graph with other parameters, and one of another form.
  cudaGraph_t Clone = nullptr;
  CHECK(cudaGraphClone(&Clone, G));
  cudaGraphNode_t TimesClone = nullptr;
  CHECK(cudaGraphNodeFindInClone(&TimesClone, Times, Clone));
  Factor = 2;
  CHECK(cudaGraphKernelNodeSetParams(TimesClone, &TimesParams));
  cudaGraphExecUpdateResultInfo Info = {};
  CHECK(cudaGraphExecUpdate(Exec, Clone, &Info));
  EXPECT(Info.result == cudaGraphExecUpdateSuccess);
  CHECK(cudaGraphLaunch(Exec, S));
  CHECK(cudaStreamSynchronize(S));
  EXPECT(all(Host, 13));
  cudaGraphNode_t Empty;
  CHECK(cudaGraphAddEmptyNode(&Empty, Clone, nullptr, 0));
  EXPECT(cudaGraphExecUpdate(Exec, Clone, &Info) ==
         cudaErrorGraphExecUpdateFailure);
  EXPECT(Info.result == cudaGraphExecUpdateErrorTopologyChanged);
  (void)cudaGetLastError();

  // A node that is switched off.
  CHECK(cudaGraphNodeSetEnabled(Exec, Plus, 0));
  CHECK(cudaGraphLaunch(Exec, S));
  CHECK(cudaStreamSynchronize(S));
  EXPECT(all(Host, 6));

  // A graph in a graph, twice, and memory that only the graph has.
  cudaGraph_t Outer = nullptr;
  CHECK(cudaGraphCreate(&Outer, 0));
  cudaMemAllocNodeParams A = {};
  A.poolProps.allocType = cudaMemAllocationTypePinned;
  A.poolProps.location.type = cudaMemLocationTypeDevice;
  A.bytesize = N * sizeof(int);
  cudaGraphNode_t Alloc, Inner, Copy, Change, Home, Free;
  CHECK(cudaGraphAddMemAllocNode(&Alloc, Outer, nullptr, 0, &A));
  EXPECT(A.dptr != nullptr);
  CHECK(cudaGraphAddChildGraphNode(&Inner, Outer, &Alloc, 1, G));
  CHECK(cudaGraphAddMemcpyNode1D(&Copy, Outer, &Inner, 1, A.dptr, Data,
                                 N * sizeof(int), cudaMemcpyDeviceToDevice));
  Term = 100;
  int *Own = static_cast<int *>(A.dptr);
  void *OwnArgs[] = {&Own, &Count, &Term};
  cudaKernelNodeParams OwnParams = kernel(add, OwnArgs);
  CHECK(cudaGraphAddKernelNode(&Change, Outer, &Copy, 1, &OwnParams));
  std::vector<int> Second(N);
  CHECK(cudaGraphAddMemcpyNode1D(&Home, Outer, &Change, 1, Second.data(), Own,
                                 N * sizeof(int), cudaMemcpyDeviceToHost));
  CHECK(cudaGraphAddMemFreeNode(&Free, Outer, &Home, 1, A.dptr));
  cudaGraphExec_t OuterExec = nullptr;
  CHECK(cudaGraphInstantiate(&OuterExec, Outer, 0));
  CHECK(cudaGraphLaunch(OuterExec, S));
  CHECK(cudaGraphLaunch(OuterExec, S));
  CHECK(cudaStreamSynchronize(S));
  EXPECT(all(Second, 122) && all(Host, 22));

  // A circle, and a node of another graph.
  CHECK(cudaGraphAddDependencies(G, &Call, &Fill, nullptr, 1));
  cudaGraphExec_t None = nullptr;
  EXPECT(cudaGraphInstantiate(&None, G, 0) != cudaSuccess);
  EXPECT(cudaGraphAddEmptyNode(&Empty, G, &Home, 1) == cudaErrorInvalidValue);
  (void)cudaGetLastError();
  CHECK(cudaGraphExecDestroy(Exec));
  CHECK(cudaGraphExecDestroy(OuterExec));
  CHECK(cudaGraphDestroy(G));
  CHECK(cudaGraphDestroy(Clone));
  CHECK(cudaGraphDestroy(Outer));
  CHECK(cudaStreamDestroy(S));
  return finish();
}
