//===- GraphApiTest.cpp - Graphs of the CPU device ------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What test/e2e/graphs does not see: launches of graphs are split, and work
// around a graph keeps its order.
//
//===----------------------------------------------------------------------===//

#include "test/unit/runtime/TestRuntime.h"

using namespace gridspan;

namespace {

class GraphApi : public testing::Test {
protected:
  static constexpr int N = 40000;

  cudaGraphExec_t capture(int Launches) {
    EXPECT_EQ(
        __gridspan_cudaStreamBeginCapture(S, cudaStreamCaptureModeRelaxed),
        cudaSuccess);
    for (int I = 0; I < Launches; ++I) {
      EXPECT_EQ(__gridspan_cudaMemsetAsync(Y, 0, N * sizeof(float), S),
                cudaSuccess);
      EXPECT_EQ(launch(fake::saxpy(), N / 100, 100, 0, S, 1.0f, Ones, Y, N),
                cudaSuccess);
      EXPECT_EQ(launch(fake::saxpy(), N / 100, 100, 0, S, 1.0f, Ones, Y, N),
                cudaSuccess);
    }
    cudaGraph_t G = nullptr;
    EXPECT_EQ(__gridspan_cudaStreamEndCapture(S, &G), cudaSuccess);
    cudaGraphExec_t Exec = nullptr;
    EXPECT_EQ(__gridspan_cudaGraphInstantiate(&Exec, G, 0), cudaSuccess);
    EXPECT_EQ(__gridspan_cudaGraphDestroy(G), cudaSuccess);
    return Exec;
  }

  TestRuntime R{3};
  float *Ones = toDevice(std::vector<float>(N, 1));
  float *Y = toDevice(std::vector<float>(N, 7));
  cudaStream_t S = [] {
    cudaStream_t Out = nullptr;
    EXPECT_EQ(__gridspan_cudaStreamCreateWithFlags(&Out, cudaStreamNonBlocking),
              cudaSuccess);
    return Out;
  }();
};

} // namespace

TEST_F(GraphApi, LaunchesOfGraphsAreSplitAndInOrder) {
  cudaGraphExec_t Exec = capture(20);
  EXPECT_EQ(fromDevice(Y, N), std::vector<float>(N, 7));
  for (int I = 0; I < 5; ++I) {
    ASSERT_EQ(__gridspan_cudaGraphLaunch(Exec, S), cudaSuccess);
    ASSERT_EQ(__gridspan_cudaStreamSynchronize(S), cudaSuccess);
    ASSERT_EQ(fromDevice(Y, N), std::vector<float>(N, 2)) << I;
  }
  EXPECT_EQ(R.kernel("saxpy").SplitLaunches, 200u);
  EXPECT_EQ(__gridspan_cudaGraphExecDestroy(Exec), cudaSuccess);
  EXPECT_EQ(__gridspan_cudaGraphLaunch(Exec, S), cudaErrorInvalidValue);
}

TEST_F(GraphApi, GraphsWithinCapturesAreNodes) {
  cudaGraphExec_t Inner = capture(1);
  ASSERT_EQ(__gridspan_cudaStreamBeginCapture(S, cudaStreamCaptureModeRelaxed),
            cudaSuccess);
  ASSERT_EQ(__gridspan_cudaGraphLaunch(Inner, S), cudaSuccess);
  cudaGraph_t G = nullptr;
  ASSERT_EQ(__gridspan_cudaStreamEndCapture(S, &G), cudaSuccess);
  cudaGraphNode_t Node = nullptr;
  size_t Count = 1;
  ASSERT_EQ(__gridspan_cudaGraphGetNodes(G, &Node, &Count), cudaSuccess);
  cudaGraphNodeType Type;
  ASSERT_EQ(__gridspan_cudaGraphNodeGetType(Node, &Type), cudaSuccess);
  EXPECT_EQ(Type, cudaGraphNodeTypeGraph);
  cudaGraphExec_t Outer = nullptr;
  ASSERT_EQ(__gridspan_cudaGraphInstantiate(&Outer, G, 0), cudaSuccess);
  ASSERT_EQ(__gridspan_cudaGraphLaunch(Outer, S), cudaSuccess);
  ASSERT_EQ(__gridspan_cudaStreamSynchronize(S), cudaSuccess);
  EXPECT_EQ(fromDevice(Y, N), std::vector<float>(N, 2));
}

TEST_F(GraphApi, LaunchesThatNoDeviceTakesAreNotCaptured) {
  ASSERT_EQ(__gridspan_cudaStreamBeginCapture(S, cudaStreamCaptureModeRelaxed),
            cudaSuccess);
  EXPECT_EQ(launch(fake::saxpy(), 1, 4096, 0, S, 1.0f, Ones, Y, N),
            cudaErrorInvalidValue);
  cudaGraph_t G = nullptr;
  ASSERT_EQ(__gridspan_cudaStreamEndCapture(S, &G), cudaSuccess);
  size_t Nodes = 0;
  ASSERT_EQ(__gridspan_cudaGraphGetNodes(G, nullptr, &Nodes), cudaSuccess);
  EXPECT_EQ(Nodes, 0u);
}

TEST_F(GraphApi, ADestroyedStreamEndsItsCapture) {
  cudaStream_t Joined = nullptr;
  ASSERT_EQ(__gridspan_cudaStreamCreate(&Joined), cudaSuccess);
  cudaEvent_t Fork = nullptr;
  ASSERT_EQ(__gridspan_cudaEventCreate(&Fork), cudaSuccess);
  ASSERT_EQ(__gridspan_cudaStreamBeginCapture(S, cudaStreamCaptureModeRelaxed),
            cudaSuccess);
  ASSERT_EQ(__gridspan_cudaEventRecord(Fork, S), cudaSuccess);
  ASSERT_EQ(__gridspan_cudaStreamWaitEvent(Joined, Fork, 0), cudaSuccess);
  ASSERT_EQ(__gridspan_cudaStreamDestroy(S), cudaSuccess);
  // The other stream is an ordinary one again.
  cudaStreamCaptureStatus Status = cudaStreamCaptureStatusActive;
  ASSERT_EQ(__gridspan_cudaStreamIsCapturing(Joined, &Status), cudaSuccess);
  EXPECT_EQ(Status, cudaStreamCaptureStatusNone);
  EXPECT_EQ(__gridspan_cudaMemsetAsync(Y, 0, N * sizeof(float), Joined),
            cudaSuccess);
  EXPECT_EQ(__gridspan_cudaStreamSynchronize(Joined), cudaSuccess);
  EXPECT_EQ(fromDevice(Y, N), std::vector<float>(N, 0));
}

TEST_F(GraphApi, AllocationsOfNodesThatWereNotAddedAreFreed) {
  size_t Before, After, Total;
  ASSERT_EQ(__gridspan_cudaMemGetInfo(&Before, &Total), cudaSuccess);
  cudaMemAllocNodeParams P = {};
  P.bytesize = 64 << 20;
  cudaGraphNode_t Node;
  EXPECT_EQ(__gridspan_cudaGraphAddMemAllocNode(&Node, nullptr, nullptr, 0, &P),
            cudaErrorInvalidValue);
  ASSERT_EQ(__gridspan_cudaMemGetInfo(&After, &Total), cudaSuccess);
  EXPECT_EQ(Before, After);
}

TEST_F(GraphApi, NodesThatAllocateCannotBeChanged) {
  cudaGraph_t G = nullptr;
  ASSERT_EQ(__gridspan_cudaGraphCreate(&G, 0), cudaSuccess);
  cudaMemAllocNodeParams P = {};
  P.bytesize = 1024;
  cudaGraphNode_t Node;
  ASSERT_EQ(__gridspan_cudaGraphAddMemAllocNode(&Node, G, nullptr, 0, &P),
            cudaSuccess);
  cudaGraphNodeParams New = {};
  New.type = cudaGraphNodeTypeMemAlloc;
  New.alloc.bytesize = 2048;
  EXPECT_EQ(__gridspan_cudaGraphNodeSetParams(Node, &New),
            cudaErrorNotSupported);
  EXPECT_EQ(__gridspan_cudaGraphDestroy(G), cudaSuccess);
}

TEST_F(GraphApi, AResetFreesTheMemoryOfGraphs) {
  cudaGraph_t G = nullptr;
  ASSERT_EQ(__gridspan_cudaGraphCreate(&G, 0), cudaSuccess);
  cudaMemAllocNodeParams P = {};
  P.bytesize = 1024;
  cudaGraphNode_t Allocation, Free;
  ASSERT_EQ(__gridspan_cudaGraphAddMemAllocNode(&Allocation, G, nullptr, 0, &P),
            cudaSuccess);
  ASSERT_EQ(
      __gridspan_cudaGraphAddMemFreeNode(&Free, G, &Allocation, 1, P.dptr),
      cudaSuccess);
  ASSERT_EQ(__gridspan_cudaDeviceReset(), cudaSuccess);
  // What gets that memory now keeps it.
  std::vector<void *> New(16);
  for (void *&Address : New)
    ASSERT_EQ(__gridspan_cudaMalloc(&Address, 1024), cudaSuccess);
  EXPECT_EQ(__gridspan_cudaGraphDestroy(G), cudaSuccess);
  for (void *Address : New)
    EXPECT_EQ(__gridspan_cudaFree(Address), cudaSuccess);
}

TEST_F(GraphApi, WhatTheCpuDeviceLacksIsAnErrorWithAName) {
  cudaGraph_t G = nullptr;
  ASSERT_EQ(__gridspan_cudaGraphCreate(&G, 0), cudaSuccess);
  testing::internal::CaptureStderr();
  cudaGraphNode_t Node = nullptr;
  cudaGraphNodeParams P = {};
  P.type = cudaGraphNodeTypeExtSemaphoreSignal;
  EXPECT_EQ(__gridspan_cudaGraphAddNode(&Node, G, nullptr, nullptr, 0, &P),
            cudaErrorNotSupported);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "gridspan: the CPU device does not support nodes of graphs for "
            "external semaphores\n");
  EXPECT_EQ(__gridspan_cudaGraphDestroy(G), cudaSuccess);
}

TEST_F(GraphApi, UpdatesReachTheBodiesOfConditions) {
  // Each body counts.
  const auto Make = [](unsigned Value, unsigned Bodies, int *Count) {
    cudaGraph_t G = nullptr;
    EXPECT_EQ(__gridspan_cudaGraphCreate(&G, 0), cudaSuccess);
    cudaGraphNode_t Node = nullptr;
    cudaGraphNodeParams P = {};
    P.type = cudaGraphNodeTypeConditional;
    EXPECT_EQ(__gridspan_cudaGraphConditionalHandleCreate(
                  &P.conditional.handle, G, Value, cudaGraphCondAssignDefault),
              cudaSuccess);
    P.conditional.type = cudaGraphCondTypeSwitch;
    P.conditional.size = Bodies;
    EXPECT_EQ(__gridspan_cudaGraphAddNode(&Node, G, nullptr, nullptr, 0, &P),
              cudaSuccess);
    for (unsigned I = 0; I != Bodies; ++I) {
      const cudaHostNodeParams Counts = {
          [](void *Of) { ++*static_cast<int *>(Of); }, Count + I};
      EXPECT_EQ(__gridspan_cudaGraphAddHostNode(
                    &Node, P.conditional.phGraph_out[I], nullptr, 0, &Counts),
                cudaSuccess);
    }
    return G;
  };
  int First[2] = {}, Second[3] = {};
  cudaGraph_t One = Make(1, 2, First), Two = Make(0, 2, Second),
              Three = Make(0, 3, Second);
  cudaGraphExec_t Exec = nullptr;
  ASSERT_EQ(__gridspan_cudaGraphInstantiate(&Exec, One, 0), cudaSuccess);
  ASSERT_EQ(__gridspan_cudaGraphLaunch(Exec, S), cudaSuccess);
  cudaGraphExecUpdateResultInfo Info;
  EXPECT_EQ(__gridspan_cudaGraphExecUpdate(Exec, Three, &Info),
            cudaErrorGraphExecUpdateFailure);
  EXPECT_EQ(Info.result, cudaGraphExecUpdateErrorParametersChanged);
  EXPECT_NE(Info.errorNode, nullptr);
  ASSERT_EQ(__gridspan_cudaGraphLaunch(Exec, S), cudaSuccess);
  ASSERT_EQ(__gridspan_cudaGraphExecUpdate(Exec, Two, &Info), cudaSuccess);
  for (cudaGraph_t G : {One, Two, Three})
    EXPECT_EQ(__gridspan_cudaGraphDestroy(G), cudaSuccess);
  ASSERT_EQ(__gridspan_cudaGraphLaunch(Exec, S), cudaSuccess);
  ASSERT_EQ(__gridspan_cudaStreamSynchronize(S), cudaSuccess);
  EXPECT_EQ(First[0], 0);
  EXPECT_EQ(First[1], 2);
  EXPECT_EQ(Second[0], 1);
  EXPECT_EQ(Second[1], 0);
  EXPECT_EQ(__gridspan_cudaGraphExecDestroy(Exec), cudaSuccess);
}

TEST_F(GraphApi, TheGraphOfAChildLivesAsLongAsItsNode) {
  cudaGraph_t Inner = nullptr, Outer = nullptr, Found = nullptr;
  ASSERT_EQ(__gridspan_cudaGraphCreate(&Inner, 0), cudaSuccess);
  ASSERT_EQ(__gridspan_cudaGraphCreate(&Outer, 0), cudaSuccess);
  cudaGraphNode_t Node, Child;
  ASSERT_EQ(__gridspan_cudaGraphAddEmptyNode(&Node, Inner, nullptr, 0),
            cudaSuccess);
  ASSERT_EQ(
      __gridspan_cudaGraphAddChildGraphNode(&Child, Outer, nullptr, 0, Inner),
      cudaSuccess);
  ASSERT_EQ(__gridspan_cudaGraphDestroy(Inner), cudaSuccess);
  ASSERT_EQ(__gridspan_cudaGraphChildGraphNodeGetGraph(Child, &Found),
            cudaSuccess);
  size_t Nodes = 0;
  ASSERT_EQ(__gridspan_cudaGraphGetNodes(Found, nullptr, &Nodes), cudaSuccess);
  EXPECT_EQ(Nodes, 1u);
  // It is its node's to destroy.
  EXPECT_EQ(__gridspan_cudaGraphDestroy(Found), cudaErrorInvalidValue);
  ASSERT_EQ(__gridspan_cudaGraphDestroy(Outer), cudaSuccess);
  EXPECT_EQ(__gridspan_cudaGraphGetNodes(Found, nullptr, &Nodes),
            cudaErrorInvalidValue);
}

TEST_F(GraphApi, GraphsAreUploadedToStreamsThatThereAre) {
  cudaGraphExec_t Exec = capture(1);
  EXPECT_EQ(__gridspan_cudaGraphUpload(Exec, S), cudaSuccess);
  EXPECT_EQ(__gridspan_cudaGraphUpload_ptsz(Exec, nullptr), cudaSuccess);
  EXPECT_EQ(__gridspan_cudaGraphUpload(nullptr, S), cudaErrorInvalidValue);
  cudaGraph_t G = nullptr;
  ASSERT_EQ(__gridspan_cudaGraphCreate(&G, 0), cudaSuccess);
  cudaGraphInstantiateParams P = {};
  P.flags = cudaGraphInstantiateFlagUpload;
  P.uploadStream = S;
  ASSERT_EQ(__gridspan_cudaGraphInstantiateWithParams(&Exec, G, &P),
            cudaSuccess);
  EXPECT_EQ(P.result_out, cudaGraphInstantiateSuccess);
  P.flags = 0;
  P.uploadStream = reinterpret_cast<cudaStream_t>(1234); // not looked at
  EXPECT_EQ(__gridspan_cudaGraphInstantiateWithParams_ptsz(&Exec, G, &P),
            cudaSuccess);
}
