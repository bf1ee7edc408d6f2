//===- ManagedVariablesTest.cpp - __managed__ variables -------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Variables whose addresses the devices find in an image made by hand.
//
//===----------------------------------------------------------------------===//

#include "runtime/memory/ManagedVariables.h"
#include "runtime/backend/Registry.h"
#include "test/unit/runtime/TestRuntime.h"

using namespace gridspan;

namespace {

constexpr int Initial[2] = {3, 4};
char ShadowOfFirst, ShadowOfSecond, ShadowOfNone;

/// A module whose image has the addresses of two variables.
class ManagedVariablesTest : public testing::Test {
protected:
  ManagedVariablesTest() {
    __gridspan_register_module(&Module);
    Registry::get().addVariable(nullptr, &ShadowOfFirst, "first", 8, true);
    Registry::get().addVariable(nullptr, &ShadowOfSecond, "second", 8, true);
  }
  ~ManagedVariablesTest() override {
    __gridspan_unregister_module(&Module);
    for (GridspanManaged *V : {&First, &Second, &None})
      ManagedVariables::get().remove(V);
  }

  /// Returns the address that the device's code finds.
  static void *onDevice(Backend &B, int Device, const void *Shadow) {
    void *At = nullptr;
    size_t Bytes = 0;
    EXPECT_EQ(B.symbol(Device, Shadow, At, Bytes), cudaSuccess);
    return *static_cast<void **>(At);
  }

  const void *Image[2] = {};
  GridspanCpuVariable Variables[2] = {{"first", 0, 8}, {"second", 8, 8}};
  GridspanCpuModule Cpu = {Image, nullptr, Variables, 16, 8, 2, 0};
  GridspanModule Module = {"managed.cu", nullptr, &Cpu, GRIDSPAN_ABI_VERSION, 0,
                           nullptr,      nullptr};
  GridspanManaged First = {nullptr, &ShadowOfFirst, "first", Initial, 8};
  GridspanManaged Second = {nullptr, &ShadowOfSecond, "second", nullptr, 4000};
  GridspanManaged None = {nullptr, &ShadowOfNone, "none", nullptr, 4};
};

} // namespace

TEST_F(ManagedVariablesTest, AllDevicesLearnTheAddressBeforeALaunch) {
  TestRuntime R(3);
  ManagedVariables &Table = ManagedVariables::get();
  Table.add(&First);
  Table.add(&Second);
  EXPECT_EQ(First.Address, nullptr);
  ASSERT_EQ(Table.install(R->backend(), R->memory(), R->symbols()),
            cudaSuccess);
  ASSERT_NE(First.Address, nullptr);
  for (int D = 0; D != 3; ++D) {
    EXPECT_EQ(onDevice(R->backend(), D, &ShadowOfFirst), First.Address);
    EXPECT_EQ(onDevice(R->backend(), D, &ShadowOfSecond), Second.Address);
  }
  const auto *Values = static_cast<int *>(First.Address);
  EXPECT_EQ(Values[0], 3);
  EXPECT_EQ(Values[1], 4);
  EXPECT_EQ(static_cast<int *>(Second.Address)[999], 0);
}

TEST_F(ManagedVariablesTest, TheHostMayComeFirst) {
  TestRuntime R(2);
  auto *Values = static_cast<int *>(__gridspan_managed_address(&First));
  EXPECT_EQ(Values, __gridspan_managed_address(&First));
  Values[0] = 10;
  ManagedVariables::get().add(&First);
  ASSERT_EQ(
      ManagedVariables::get().install(R->backend(), R->memory(), R->symbols()),
      cudaSuccess);
  EXPECT_EQ(onDevice(R->backend(), 1, &ShadowOfFirst), Values);
  EXPECT_EQ(Values[0], 10);
}

TEST_F(ManagedVariablesTest, AreManagedMemoryThatIsNotFreed) {
  TestRuntime R(1);
  void *Address = __gridspan_managed_address(&Second);
  cudaPointerAttributes Attributes;
  ASSERT_EQ(__gridspan_cudaPointerGetAttributes(&Attributes, Address),
            cudaSuccess);
  EXPECT_EQ(Attributes.type, cudaMemoryTypeManaged);
  EXPECT_EQ(__gridspan_cudaFree(Address), cudaErrorInvalidValue);
  EXPECT_EQ(__gridspan_cudaFreeAsync(Address, nullptr), cudaErrorInvalidValue);
  size_t Bytes = 0;
  ASSERT_EQ(__gridspan_cudaGetSymbolSize(&Bytes, Address), cudaSuccess);
  EXPECT_EQ(Bytes, 4000u);
}

TEST_F(ManagedVariablesTest, AResetBringsTheInitialValuesBack) {
  TestRuntime R(1);
  auto *Values = static_cast<int *>(__gridspan_managed_address(&First));
  auto *Zeros = static_cast<int *>(__gridspan_managed_address(&Second));
  Values[1] = Zeros[5] = 7;
  ASSERT_EQ(__gridspan_cudaDeviceReset(), cudaSuccess);
  EXPECT_EQ(__gridspan_managed_address(&First), Values);
  EXPECT_EQ(Values[1], 4);
  EXPECT_EQ(Zeros[5], 0);
}

TEST_F(ManagedVariablesTest, AVariableThatDevicesDoNotHaveIsAnError) {
  TestRuntime R(1);
  ManagedVariables::get().add(&None);
  EXPECT_EQ(
      ManagedVariables::get().install(R->backend(), R->memory(), R->symbols()),
      cudaErrorInvalidSymbol);
}
