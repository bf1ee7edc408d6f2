//===- CreateCudaBackendTest.cpp - Making the CUDA backend ----------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tests that run on any machine; the others need GPUs (test/gpu).
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/CreateBackend.h"
#include <gtest/gtest.h>

using namespace gridspan;

TEST(CreateCudaBackend, ExplainsItselfWhereThereIsNothing) {
  std::string Message = "stale";
  auto B = createCudaBackend({}, Message);
  if (B) {
    EXPECT_STREQ(B->name(), "cuda");
    EXPECT_GT(B->system().numDevices(), 0u);
    return;
  }
  EXPECT_FALSE(Message.empty());
  EXPECT_NE(Message, "stale");
}

TEST(CreateCudaBackend, ADeviceThatIsMissingIsNamed) {
  CudaBackendOptions Options;
  Options.Devices = {4711};
  std::string Message;
  EXPECT_EQ(createCudaBackend(Options, Message), nullptr);
  EXPECT_FALSE(Message.empty());
}
