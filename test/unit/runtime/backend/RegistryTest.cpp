//===- RegistryTest.cpp - Modules, kernels and variables ------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/Registry.h"
#include "test/unit/runtime/FakeKernels.h"
#include <gtest/gtest.h>

using namespace gridspan;

static GridspanModule moduleOf(const GridspanKernel *Kernel,
                               const GridspanCpuModule *Cpu) {
  return {"test.cu",        Kernel, Cpu, GRIDSPAN_ABI_VERSION,
          Kernel ? 1u : 0u, {},     {}};
}

TEST(Registry, FindsKernelsByTheirStub) {
  Registry R;
  GridspanKernel K = fake::saxpy();
  GridspanModule M = moduleOf(&K, nullptr);
  EXPECT_EQ(R.kernel(K.HostStub), nullptr);
  R.add(&M);
  EXPECT_EQ(R.kernel(K.HostStub), &K);
  EXPECT_EQ(R.moduleOf(&K), &M);
  EXPECT_TRUE(R.anySplittable());
  R.remove(&M);
  EXPECT_EQ(R.kernel(K.HostStub), nullptr);
}

TEST(Registry, AKernelOfTwoModulesIsTheFirst) {
  Registry R;
  GridspanKernel A = fake::saxpy(), B = fake::saxpy();
  GridspanModule M = moduleOf(&A, nullptr), N = moduleOf(&B, nullptr);
  R.add(&M);
  R.add(&N);
  EXPECT_EQ(R.kernel(A.HostStub), &A);
  R.remove(&N);
  EXPECT_EQ(R.kernel(A.HostStub), &A);
}

TEST(Registry, KnowsIfAnythingMayBeSplit) {
  Registry R;
  GridspanKernel K = fake::waitForFlag();
  GridspanModule M = moduleOf(&K, nullptr);
  R.add(&M);
  EXPECT_FALSE(R.anySplittable());
}

TEST(Registry, KnowsIfAnythingIsSplitBeforeItWasTimed) {
  Registry R;
  GridspanKernel Guess = fake::saxpy(), Unknown = fake::saxpy(),
                 Known = fake::stencil();
  Guess.Flags |= GridspanWorkIsGuess;
  Unknown.Flags |= GridspanWorkIsUnknown;
  GridspanModule L = moduleOf(&Guess, nullptr), M = moduleOf(&Unknown, nullptr),
                 N = moduleOf(&Known, nullptr);
  R.add(&L);
  R.add(&M);
  EXPECT_TRUE(R.anySplittable());
  EXPECT_FALSE(R.anySplitsAtOnce());
  R.add(&N);
  EXPECT_TRUE(R.anySplitsAtOnce());
}

TEST(Registry, AnotherVersionIsAMessage) {
  Registry R;
  GridspanKernel K = fake::saxpy();
  GridspanModule M = moduleOf(&K, nullptr);
  M.Version = GRIDSPAN_ABI_VERSION + 1;
  testing::internal::CaptureStderr();
  R.add(&M);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("test.cu"),
            std::string::npos);
  EXPECT_EQ(R.kernel(K.HostStub), nullptr);
}

TEST(Registry, StaticVariablesOfOneNameFollowTheOrderOfTheFiles) {
  const GridspanCpuVariable Variables[] = {{"_ZL5table", 16, 8}};
  const GridspanCpuModule First = {nullptr, nullptr, Variables, 64, 16, 1, 0};
  const GridspanCpuModule Second = First;
  GridspanModule M = moduleOf(nullptr, &First), N = moduleOf(nullptr, &Second);
  Registry R;
  int A = 0, B = 0;
  R.add(&M);
  R.addVariable(nullptr, &A, "_ZL5table", 8, true);
  R.addVariable(nullptr, &B, "_ZL5table", 8, false);
  R.add(&N);
  ASSERT_TRUE(R.variable(&A) && R.variable(&B));
  EXPECT_EQ(R.variable(&A)->Module, &First);
  EXPECT_EQ(R.variable(&B)->Module, &Second);
  EXPECT_EQ(R.variable(&A)->InImage->Offset, 16u);
  EXPECT_TRUE(R.variable(&A)->Constant);
  EXPECT_FALSE(R.variable(&B)->Constant);
}

TEST(Registry, KnowsFunctionsOfOtherCompilers) {
  Registry R;
  int Stub = 0, Other = 0;
  void *A = nullptr, *B = nullptr;
  R.addFunction(&A, &Stub, "_Z3addPi");
  EXPECT_TRUE(R.knows(&Stub));
  EXPECT_FALSE(R.knows(&Other));
  EXPECT_EQ(R.kernel(&Stub), nullptr);
  EXPECT_EQ(R.nameOfFunction(&Stub), "_Z3addPi");
  EXPECT_EQ(R.nameOfFunction(&Other), "");
  R.removeFatBinary(&B);
  EXPECT_TRUE(R.knows(&Stub));
  R.removeFatBinary(&A);
  EXPECT_FALSE(R.knows(&Stub));
}

TEST(Registry, VariablesGoWithTheirFatBinary) {
  const GridspanCpuVariable Variables[] = {{"_ZL5table", 16, 8}};
  const GridspanCpuModule First = {nullptr, nullptr, Variables, 64, 16, 1, 0};
  const GridspanCpuModule Second = First;
  GridspanModule M = moduleOf(nullptr, &First), N = moduleOf(nullptr, &Second);
  Registry R;
  int A = 0, B = 0;
  void *OfA = nullptr, *OfB = nullptr;
  R.add(&M);
  R.add(&N);
  R.addVariable(&OfA, &A, "_ZL5table", 8, true);
  R.addVariable(&OfB, &B, "_ZL5table", 8, false);
  EXPECT_EQ(R.removeFatBinary(&OfA), std::vector<const void *>{&A});
  R.remove(&M);
  EXPECT_FALSE(R.variable(&A));
  ASSERT_TRUE(R.variable(&B));
  EXPECT_EQ(R.variable(&B)->Module, &Second);
  // The library comes again.
  R.add(&M);
  R.addVariable(&OfA, &A, "_ZL5table", 8, true);
  EXPECT_EQ(R.variable(&A)->Module, &First);
  EXPECT_EQ(R.variable(&B)->Module, &Second);
}

TEST(Registry, VariablesWithoutAnImage) {
  Registry R;
  int A = 0, Unknown = 0;
  R.addVariable(nullptr, &A, "a", 4, false);
  ASSERT_TRUE(R.variable(&A));
  EXPECT_EQ(R.variable(&A)->InImage, nullptr);
  EXPECT_FALSE(R.variable(&Unknown));
}
