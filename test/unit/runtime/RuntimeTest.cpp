//===- RuntimeTest.cpp - The environment, and the report ------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//===----------------------------------------------------------------------===//

#include "test/unit/runtime/TestRuntime.h"
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <unistd.h>

using namespace gridspan;

/// Runs in the child process of a death test.
static void useRuntime(const char *Name, const char *Value) {
  setenv("GRIDSPAN_DEVICES", "cpu:2", 1);
  setenv(Name, Value, 1);
  void *P = nullptr;
  (void)__gridspan_cudaMalloc(&P, 100);
  std::exit(0);
}

TEST(RuntimeDeathTest, BadValuesEndTheProgram) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(useRuntime("GRIDSPAN_DEVICES", "tpu"), testing::ExitedWithCode(2),
              "gridspan: GRIDSPAN_DEVICES=tpu");
  EXPECT_EXIT(useRuntime("GRIDSPAN_DEVICE_MEMORY", "much"),
              testing::ExitedWithCode(2), "GRIDSPAN_DEVICE_MEMORY=much");
  EXPECT_EXIT(useRuntime("GRIDSPAN_SCHEDULE", "fastest"),
              testing::ExitedWithCode(2),
              "auto, single, static, dynamic, hybrid");
}

TEST(RuntimeDeathTest, TheTableIsPrintedAtTheEnd) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(useRuntime("GRIDSPAN_REPORT", "1"), testing::ExitedWithCode(0),
              "gridspan: 2 devices");
}

TEST(RuntimeDeathTest, AReportThatCannotBeWrittenIsAMessage) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(useRuntime("GRIDSPAN_REPORT", "/no/such/folder/report.json"),
              testing::ExitedWithCode(2), "report.json: cannot write the file");
}

TEST(Runtime, WritesTheReportAsData) {
  const std::filesystem::path File =
      std::filesystem::temp_directory_path() /
      ("gridspan-report-" + std::to_string(getpid()) + ".json");
  Config C;
  C.Kind = DeviceKind::Cpu;
  C.NumCpuDevices = 3;
  C.ReportFile = File.string();
  std::string Message;
  Runtime(C, createBackend(C, Message)).writeReport();
  nlohmann::json J = nlohmann::json::parse(std::ifstream(File));
  EXPECT_EQ(J["version"], 1);
  EXPECT_EQ(J["devices"].size(), 3u);
  std::filesystem::remove(File);
}

TEST(Runtime, OnlyFaultsStay) {
  TestRuntime R(1);
  EXPECT_EQ(R->note(cudaErrorMemoryAllocation), cudaErrorMemoryAllocation);
  EXPECT_EQ(R->note(cudaErrorNotReady), cudaErrorNotReady);
  EXPECT_EQ(R->broken(), cudaSuccess);
  EXPECT_EQ(R->note(cudaErrorAssert), cudaErrorAssert);
  EXPECT_EQ(R->broken(), cudaErrorAssert);
}

namespace {
/// As CUDA at the end of the process, before the destructors of libraries.
class UnloadedBackend : public ForwardingBackend {
public:
  using ForwardingBackend::ForwardingBackend;
  cudaError_t synchronizeDevice(int) override {
    return cudaErrorCudartUnloading;
  }
};
} // namespace

TEST(Runtime, OnlyCallsOfTheProgramSayThatCudaHasBeenUnloaded) {
  TestRuntime R(1);
  R.wrapBackend<UnloadedBackend>();
  testing::internal::CaptureStderr();
  R->finishWork();
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  testing::internal::CaptureStderr();
  EXPECT_EQ(R->note(cudaErrorCudartUnloading), cudaErrorCudartUnloading);
  EXPECT_NE(testing::internal::GetCapturedStderr().find(
                "when CUDA has been unloaded"),
            std::string::npos);
  EXPECT_EQ(R->broken(), cudaSuccess);
}
