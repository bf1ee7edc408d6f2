//===- SystemCacheTest.cpp - Measurements on disk -------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/SystemCache.h"
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

using namespace gridspan;
namespace fs = std::filesystem;

namespace {

class SystemCacheTest : public testing::Test {
protected:
  void SetUp() override {
    // Of its own, as tests may run at the same time in several processes.
    Directory = fs::path(testing::TempDir()) /
                ("gridspan-system-cache-test-" + std::to_string(getpid()));
    fs::remove_all(Directory);
    Measured.Devices.resize(2);
    Measured.Devices[0].MemoryBandwidth = 4.4e12;
    Measured.Devices[0].InstructionRate = 3.3e13;
    Measured.Devices[1].HostToDevice = 55e9;
    Measured.Devices[1].DeviceToHost = 54e9;
    Measured.PeerBandwidth = {{4.4e12, 370e9}, {371e9, 4.4e12}};
    Measured.FanOutSeconds = {0, 0, 5e-6};
    Measured.PageMoveSeconds = 2e-5;
  }
  void TearDown() override { fs::remove_all(Directory); }

  static SystemInfo unmeasured(unsigned Devices) {
    SystemInfo Info;
    Info.Devices.resize(Devices);
    for (DeviceInfo &D : Info.Devices)
      D.Name = "kept";
    return Info;
  }

  fs::path Directory;
  SystemInfo Measured;
};

TEST_F(SystemCacheTest, GivesBackWhatWasStored) {
  storeMeasurements(Directory, "key", Measured);
  SystemInfo Info = unmeasured(2);
  ASSERT_TRUE(loadMeasurements(Directory, "key", Info));
  EXPECT_EQ(Info.Devices[0].MemoryBandwidth, 4.4e12);
  EXPECT_EQ(Info.Devices[0].InstructionRate, 3.3e13);
  EXPECT_EQ(Info.Devices[1].HostToDevice, 55e9);
  EXPECT_EQ(Info.Devices[1].DeviceToHost, 54e9);
  EXPECT_EQ(Info.PeerBandwidth, Measured.PeerBandwidth);
  EXPECT_EQ(Info.FanOutSeconds, Measured.FanOutSeconds);
  EXPECT_EQ(Info.PageMoveSeconds, Measured.PageMoveSeconds);
  EXPECT_EQ(Info.Devices[0].Name, "kept");
}

TEST_F(SystemCacheTest, AnotherKeyIsNotFound) {
  storeMeasurements(Directory, "key", Measured);
  SystemInfo Info = unmeasured(2);
  EXPECT_FALSE(loadMeasurements(Directory, "other", Info));
}

TEST_F(SystemCacheTest, AnotherNumberOfDevicesDoesNotFit) {
  storeMeasurements(Directory, "key", Measured);
  SystemInfo Info = unmeasured(3);
  EXPECT_FALSE(loadMeasurements(Directory, "key", Info));
  EXPECT_TRUE(Info.PeerBandwidth.empty());
}

TEST_F(SystemCacheTest, ABrokenFileIsLikeNone) {
  storeMeasurements(Directory, "key", Measured);
  for (const auto &Entry : fs::directory_iterator(Directory))
    std::ofstream(Entry.path()) << "{\"format\": 1, \"key\": \"key\"}";
  SystemInfo Info = unmeasured(2);
  EXPECT_FALSE(loadMeasurements(Directory, "key", Info));
}

TEST_F(SystemCacheTest, APlaceThatCannotBeWrittenIsNoError) {
  fs::create_directories(Directory);
  fs::path NotADirectory = Directory / "file";
  std::ofstream(NotADirectory) << "x";
  storeMeasurements(NotADirectory, "key", Measured);
  SystemInfo Info = unmeasured(2);
  EXPECT_FALSE(loadMeasurements(NotADirectory, "key", Info));
}

} // namespace
