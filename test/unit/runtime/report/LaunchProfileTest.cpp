//===- LaunchProfileTest.cpp - What a program launched, and its times -----===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//===----------------------------------------------------------------------===//

#include "runtime/report/LaunchProfile.h"
#include "runtime/backend/LaunchTarget.h"
#include "runtime/report/ProfilePrinter.h"
#include "test/unit/runtime/FakeKernels.h"
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace gridspan;

namespace {

/// Launches of saxpy, which can be recorded, counted by a profile.
class ProfileTest : public testing::Test {
protected:
  ProfileTest() : Kernel(fake::saxpy()) { Kernel.Recording = &Recording; }

  ProfiledLaunch launch(unsigned Blocks, int N,
                        ProfileReason Why = ProfileReason::None) {
    float A = 2;
    void *X = nullptr, *Y = nullptr;
    void *Args[] = {&A, &X, &Y, &N};
    LaunchShape Shape;
    Shape.Grid = dim3(Blocks);
    Shape.Block = dim3(256);
    return Profile.count(Kernel, Shape, Args, Why);
  }

  /// Returns the record of the only kernel.
  ProfileKernelRecord record() {
    ProfileRecord All = Profile.record();
    EXPECT_EQ(All.Kernels.size(), 1u);
    return All.Kernels.at(0);
  }

  GridspanKernel Recording = {};
  GridspanKernel Kernel;
  LaunchProfile Profile;
};

std::map<uint32_t, RequestSums> requests(double Count) {
  RequestSums S;
  S.Requests = Count;
  return {{3, S}};
}

} // namespace

TEST_F(ProfileTest, JoinsLaunchesOfAboutOneSize) {
  // 8 to 15 blocks and 2048 to 4095 elements are one class.
  for (unsigned Blocks = 8; Blocks != 16; ++Blocks)
    launch(Blocks, static_cast<int>(256 * Blocks));
  launch(9, 9 * 256);
  launch(64, 64 * 256);
  const ProfileKernelRecord K = record();
  EXPECT_EQ(K.Name, "saxpy(float, float const*, float*, int)");
  EXPECT_EQ(K.Launches, 10u);
  ASSERT_EQ(K.Classes.size(), 2u);
  const ProfileClassRecord &Small = K.Classes[0];
  EXPECT_EQ(Small.Launches, 9u);
  // The commonest launch stands for them.
  EXPECT_EQ(Small.Common.Launches, 2u);
  EXPECT_EQ(Small.Common.Grid[0], 9u);
  EXPECT_EQ(Small.Common.Block[0], 256u);
  ASSERT_EQ(Small.Common.Arguments.size(), 2u);
  int N = 0;
  std::memcpy(&N, Small.Common.Arguments[1].Bytes.data(), sizeof(N));
  EXPECT_EQ(N, 9 * 256);
}

TEST_F(ProfileTest, HasNoMoreClassesThanThereIsRoomFor) {
  uint64_t Launches = 0;
  for (unsigned Blocks = 1; Blocks < 1u << 20; Blocks *= 2)
    for (int N = 1; N < 1 << 20; N *= 2, ++Launches)
      launch(Blocks, N);
  const ProfileKernelRecord K = record();
  EXPECT_EQ(K.Launches, Launches);
  EXPECT_LE(K.Classes.size(), 65u);
  uint64_t Sum = 0;
  for (const ProfileClassRecord &C : K.Classes)
    Sum += C.Launches;
  EXPECT_EQ(Sum, Launches);
  // The last one is of what is left, and has no one launch.
  EXPECT_EQ(K.Classes.back().Common.Launches, 0u);
}

TEST_F(ProfileTest, KeepsTimesOfRecordedLaunchesApart) {
  ProfileEntry &E = *launch(8, 2048).Entry;
  Profile.addTime(E, 3e-3, true);
  launch(8, 2048);
  Profile.addTime(E, 1e-3, false);
  Profile.addTime(E, 2e-3, false);
  ProfileEntry &Other = *launch(9, 2049).Entry;
  Profile.addTime(Other, 6e-3, false);
  const ProfileClassRecord C = record().Classes.at(0);
  EXPECT_EQ(C.Plain.Times, 2u);
  EXPECT_DOUBLE_EQ(C.Plain.Sum, 3e-3);
  EXPECT_DOUBLE_EQ(C.Plain.Least, 1e-3);
  EXPECT_DOUBLE_EQ(C.Plain.Most, 2e-3);
  EXPECT_EQ(C.Recorded.Times, 1u);
  EXPECT_DOUBLE_EQ(C.Recorded.Sum, 3e-3);
  EXPECT_EQ(C.All.Times, 3u);
}

TEST_F(ProfileTest, TimesTheFirstLaunchesAndThenSome) {
  unsigned Timed = 0;
  for (unsigned I = 0; I != 1032; ++I)
    Timed += launch(8, 2048).IsTimed;
  EXPECT_EQ(Timed, 32u + 1000u / 8);
}

TEST_F(ProfileTest, RecordsLaunchesThatDouble) {
  std::vector<uint64_t> Recorded;
  for (unsigned I = 1; I != 200; ++I) {
    const ProfiledLaunch L = launch(8, 2048);
    if (!L.RecordAs)
      continue;
    EXPECT_EQ(L.RecordAs, I);
    Recorded.push_back(I);
    Profile.addSample(*L.Entry, L.RecordAs, requests(1), 1, 1);
    Profile.addTime(*L.Entry, 1e-5, true);
  }
  EXPECT_EQ(Recorded, (std::vector<uint64_t>{1, 2, 4, 8, 16, 32}));
  EXPECT_EQ(record().Classes.at(0).Recordings, 6u);
}

// Of a CPU device, where that takes long.
TEST_F(ProfileTest, RecordsFewLaunchesWhereLimited) {
  Profile.limit(CpuRecordingLimits);
  std::vector<uint64_t> Recorded;
  for (unsigned I = 1; I != 40000; ++I)
    if (const ProfiledLaunch L = launch(8, 2048); L.RecordAs) {
      Recorded.push_back(I);
      Profile.addTime(*L.Entry, 1e-5, true);
    }
  EXPECT_EQ(Recorded, (std::vector<uint64_t>{1, 32, 1024}));
}

// A launch that found no buffer is made up for by the next one.
TEST_F(ProfileTest, TriesAgainAfterABusyLaunch) {
  const ProfiledLaunch First = launch(8, 2048);
  EXPECT_EQ(First.RecordAs, 1u);
  Profile.noteNotRecorded(*First.Entry, ProfileReason::Busy);
  EXPECT_EQ(launch(8, 2048).RecordAs, 2u);
  Profile.addTime(*First.Entry, 1e-5, true);
  EXPECT_EQ(launch(8, 2048).RecordAs, 0u);
  EXPECT_EQ(launch(8, 2048).RecordAs, 4u);
}

// Samples that are on their way count.
TEST_F(ProfileTest, RecordsNoMoreThanItShould) {
  unsigned Recorded = 0;
  for (unsigned I = 0; I != 1000; ++I) {
    const ProfiledLaunch L = launch(8, 2048);
    Recorded += L.RecordAs != 0;
    Profile.addTime(*L.Entry, 1e-5, L.RecordAs != 0);
  }
  EXPECT_EQ(Recorded, 6u);
}

// The first recording takes 4.93 launches' time. The next one would make that
// 9.86, a twentieth of 197.2 launches.
TEST_F(ProfileTest, WaitsWhereRecordingTakesLong) {
  std::vector<uint64_t> Recorded;
  for (unsigned I = 1; I != 1000; ++I) {
    const ProfiledLaunch L = launch(8, 2048);
    if (L.RecordAs)
      Recorded.push_back(I);
    Profile.addTime(*L.Entry, L.RecordAs ? 5.93e-3 : 1e-3, L.RecordAs != 0);
  }
  EXPECT_EQ(Recorded, (std::vector<uint64_t>{1, 198, 396, 792}));
}

// It is timed whatever its number is; and if that fails, others are recorded
// now and then.
TEST_F(ProfileTest, TimesWhatIsRecorded) {
  for (unsigned I = 0; I != 40; ++I)
    launch(8, 2048, ProfileReason::Capturing);
  const ProfiledLaunch First = launch(8, 2048);
  EXPECT_EQ(First.RecordAs, 41u);
  EXPECT_TRUE(First.IsTimed);
  unsigned Recorded = 0;
  for (unsigned I = 0; I != 1000; ++I)
    Recorded += launch(8, 2048).RecordAs != 0;
  EXPECT_EQ(Recorded, 2u);
}

// Nobody knows what one takes until the first one's time has come.
TEST_F(ProfileTest, RecordsNoOtherLaunchBeforeTheFirstIsTimed) {
  const ProfiledLaunch First = launch(8, 2048);
  EXPECT_EQ(First.RecordAs, 1u);
  for (unsigned I = 2; I != 10; ++I)
    EXPECT_EQ(launch(8, 2048).RecordAs, 0u);
  Profile.addTime(*First.Entry, 1e-5, true);
  EXPECT_EQ(launch(8, 2048).RecordAs, 10u);
}

// A recording stands for the launches up to the next one, and its warps for all.
TEST_F(ProfileTest, WeighsRecordings) {
  ProfileEntry *E = nullptr;
  for (unsigned I = 0; I != 10; ++I)
    E = launch(8, 2048).Entry;
  Profile.addSample(*E, 1, requests(10), 2, 8);
  Profile.addSample(*E, 4, requests(30), 1, 4);
  Profile.addSample(*E, 4, requests(50), 1, 4); // of another device
  const ProfileClassRecord C = record().Classes.at(0);
  EXPECT_EQ(C.Recordings, 2u);
  // Launches 1 to 3: 10 * 8 / 2; launches 4 to 10: 80 * 8 / 2.
  EXPECT_DOUBLE_EQ(C.Sites.at(3).Requests, (3 * 40 + 7 * 320) / 10.0);
}

TEST_F(ProfileTest, SaysWhyNothingIsRecorded) {
  EXPECT_EQ(launch(8, 2048, ProfileReason::Cooperative).RecordAs, 0u);
  EXPECT_EQ(record().Classes.at(0).WhyNotRecorded, ProfileReason::Cooperative);
  Kernel.Recording = nullptr;
  EXPECT_EQ(launch(8, 2048).RecordAs, 0u);
  EXPECT_EQ(record().Classes.at(0).WhyNotRecorded,
            ProfileReason::NothingToRecord);
}

TEST_F(ProfileTest, AModuleThatIsUnloadedKeepsItsLines) {
  GridspanModule Module = {"own.cu", &Kernel, nullptr, GRIDSPAN_ABI_VERSION,
                           1,        {},      {}};
  launch(8, 2048);
  Profile.forget(Module);
  launch(8, 2048);
  EXPECT_EQ(Profile.record().Kernels.size(), 2u);
}

TEST_F(ProfileTest, PrintsData) {
  ProfileEntry &E = *launch(8, -5).Entry;
  Profile.addTime(E, 0.25, false);
  Profile.addSample(E, 1, requests(7), 1, 2);
  const nlohmann::ordered_json Out =
      profileJson(Profile.record(), "cuda", {{"GPU", 1024}});
  EXPECT_EQ(Out.at("kind"), "profile");
  EXPECT_EQ(Out.at("version"), ProfileVersion);
  EXPECT_EQ(Out.at("devices").at(0).at("name"), "GPU");
  const auto &Class = Out.at("kernels").at(0).at("classes").at(0);
  EXPECT_EQ(Class.at("launches"), 1);
  EXPECT_EQ(Class.at("common").at("grid").at(0), 8);
  EXPECT_EQ(Class.at("common").at("arguments").at(1).at("value"), -5);
  EXPECT_EQ(Class.at("common").at("time").at("mean_seconds"), 0.25);
  EXPECT_TRUE(Class.at("common").at("recorded_time").is_null());
  EXPECT_EQ(Class.at("sites").at(0).at("site"), 3);
  EXPECT_EQ(Class.at("sites").at(0).at("requests"), 14);
  EXPECT_TRUE(Class.at("why_not_recorded").is_null());
}
