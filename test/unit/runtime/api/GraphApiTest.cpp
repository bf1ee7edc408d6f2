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

TEST_F(GraphApi, WhatTheCpuDeviceLacksIsAnErrorWithAName) {
  testing::internal::CaptureStderr();
  cudaGraphConditionalHandle Handle;
  EXPECT_EQ(__gridspan_cudaGraphConditionalHandleCreate(&Handle, nullptr, 0, 0),
            cudaErrorNotSupported);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "gridspan: the CPU device does not support conditional nodes of "
            "graphs\n");
}
