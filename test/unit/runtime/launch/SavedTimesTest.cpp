//===- SavedTimesTest.cpp - Histories of launches on disk -----------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/launch/SavedTimes.h"
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

using namespace gridspan;
namespace fs = std::filesystem;

namespace {

class SavedTimesTest : public testing::Test {
protected:
  void SetUp() override {
    Directory = fs::path(testing::TempDir()) /
                ("gridspan-saved-times-test-" + std::to_string(getpid()));
    fs::remove_all(Directory);
    for (int I = 0; I != 2; ++I) {
      Learned.add({}, {0.25, 1});
      Learned.add({2, 1, false}, {0.5, 1, {0.5, 0.25}, {0.5, 0.5}});
    }
  }
  void TearDown() override { fs::remove_all(Directory); }

  SavedTimes store(const char *Machine = "two GPUs") const {
    return {Directory, Machine, 2};
  }
  void write() const {
    SavedTimes S = store();
    S.note(Code, Class, Learned);
    S.write();
  }
  /// Changes the one file.
  template <typename Fn> void change(Fn Spoil) const {
    for (const auto &Entry : fs::directory_iterator(Directory)) {
      nlohmann::json J;
      std::ifstream(Entry.path()) >> J;
      Spoil(J);
      std::ofstream(Entry.path()) << J;
    }
  }
  size_t found(SavedTimes S) const {
    return S.find(Code, Class).Records.size();
  }

  /// Something of this program.
  const void *const Code = &typeid(SavedTimesTest);
  const SavedTimes::ClassName Class = {"kernel", 256, 10, 20};
  fs::path Directory;
  LaunchHistory Learned;
};

TEST_F(SavedTimesTest, TheNextProcessFindsWhatWasNoted) {
  write();
  SavedTimes S = store();
  const LaunchHistory H = S.find(Code, Class);
  ASSERT_NE(H.measured({}), nullptr);
  EXPECT_EQ(H.measured({})->seconds(), 0.25);
  ASSERT_NE(H.measured({2, 1, false}), nullptr);
  EXPECT_EQ(H.measured({2, 1, false})->Last.ByDevice,
            (std::vector<double>{0.5, 0.25}));
  for (const SavedTimes::ClassName &Other :
       {SavedTimes::ClassName{"other", 256, 10, 20},
        SavedTimes::ClassName{"kernel", 128, 10, 20},
        SavedTimes::ClassName{"kernel", 256, 11, 20},
        SavedTimes::ClassName{"kernel", 256, 10, 21},
        SavedTimes::ClassName{"kernel", 256, 10, 20, 7}})
    EXPECT_TRUE(S.find(Code, Other).Records.empty());
}

TEST_F(SavedTimesTest, OtherClassesOfTheFileStay) {
  write();
  SavedTimes S = store();
  S.note(Code, {"another", 64, 1, 1}, Learned);
  S.write();
  EXPECT_EQ(found(store()), 2U);
}

TEST_F(SavedTimesTest, AnotherMachineOrFileStartsWithoutTimes) {
  write();
  EXPECT_EQ(found(store("one GPU")), 0U);
  SavedTimes S = store();
  EXPECT_TRUE(
      S.find(reinterpret_cast<const void *>(&getpid), Class).Records.empty());
}

TEST_F(SavedTimesTest, NothingIsWrittenWhereNothingWasLearned) {
  SavedTimes S = store();
  S.note(Code, Class, LaunchHistory());
  S.write();
  EXPECT_FALSE(fs::exists(Directory));
}

TEST_F(SavedTimesTest, BrokenEntriesAreLeftOut) {
  using nlohmann::json;
  write();
  change([](json &J) {
    J["classes"].push_back("text");
    J["classes"].push_back({{"kernel", 7}});
  });
  EXPECT_EQ(found(store()), 2U) << "the others stay";
  change([](json &J) { J["classes"][0]["divisions"][0].erase("seconds"); });
  EXPECT_EQ(found(store()), 0U);
  write();
  change([](json &J) { J["classes"] = 3; });
  EXPECT_EQ(found(store()), 0U);
  change([](json &J) { J = json::array({1}); });
  EXPECT_EQ(found(store()), 0U);
  for (const auto &Entry : fs::directory_iterator(Directory))
    std::ofstream(Entry.path()) << "{ \"classes";
  EXPECT_EQ(found(store()), 0U);
}

TEST_F(SavedTimesTest, WithoutACacheNothingIsKept) {
  SavedTimes S({}, "two GPUs", 2);
  S.note(Code, Class, Learned);
  S.write();
  EXPECT_EQ(found({{}, "two GPUs", 2}), 0U);
}

} // namespace
