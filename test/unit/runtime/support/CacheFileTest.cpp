//===- CacheFileTest.cpp - What later processes may use -------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/support/CacheFile.h"
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

using namespace gridspan;
namespace fs = std::filesystem;

namespace {

class CacheFileTest : public testing::Test {
protected:
  void SetUp() override {
    Directory = fs::path(testing::TempDir()) /
                ("gridspan-cache-file-test-" + std::to_string(getpid()));
    fs::remove_all(Directory);
    File = {Directory / "below", "kind", "key", 2};
  }
  void TearDown() override { fs::remove_all(Directory); }

  fs::path Directory;
  CacheFile File;
};

TEST_F(CacheFileTest, GivesBackWhatWasStored) {
  EXPECT_TRUE(File.load().is_null());
  File.store({{"value", 7}});
  EXPECT_EQ(File.load()["value"], 7);
  File.store({{"value", 8}});
  EXPECT_EQ(File.load()["value"], 8);
  EXPECT_EQ(std::distance(fs::directory_iterator(File.Directory), {}), 1)
      << "no temporary file is left";
}

TEST_F(CacheFileTest, AnotherKeyKindOrFormatIsNotFound) {
  File.store({{"value", 7}});
  CacheFile Other = File;
  Other.Key = "other";
  EXPECT_TRUE(Other.load().is_null());
  fs::copy(File.path(), Other.path());
  EXPECT_TRUE(Other.load().is_null()) << "as if hashes were equal";
  Other = File;
  Other.Kind = "other";
  EXPECT_TRUE(Other.load().is_null());
  Other = File;
  Other.Format = 3;
  EXPECT_TRUE(Other.load().is_null());
}

TEST_F(CacheFileTest, ABrokenFileIsLikeNone) {
  for (const char *Text : {"", "{", "[1]", "7", "{}", "{\"format\": 2}"}) {
    File.store({});
    std::ofstream(File.path()) << Text;
    EXPECT_TRUE(File.load().is_null()) << Text;
  }
}

TEST_F(CacheFileTest, AKeyMayHaveAnyBytes) {
  File.Key = "\xff\xfe";
  File.store({});
  EXPECT_TRUE(File.load().is_null() || File.load().is_object());
}

TEST_F(CacheFileTest, APlaceThatCannotBeWrittenIsNoError) {
  fs::create_directories(Directory);
  std::ofstream(Directory / "file") << "x";
  File.Directory = Directory / "file";
  File.store({});
  EXPECT_TRUE(File.load().is_null());
  File.Directory.clear();
  File.store({});
  EXPECT_TRUE(File.load().is_null());
}

TEST_F(CacheFileTest, ItsOwnVariableNamesThePlace) {
  ASSERT_EQ(setenv("GRIDSPAN_CACHE_DIR", "/some/place", 1), 0);
  EXPECT_EQ(cacheDirectory(), fs::path("/some/place"));
  ASSERT_EQ(unsetenv("GRIDSPAN_CACHE_DIR"), 0);
  ASSERT_EQ(setenv("XDG_CACHE_HOME", "/cache", 1), 0);
  EXPECT_EQ(cacheDirectory(), fs::path("/cache/gridspan"));
  ASSERT_EQ(unsetenv("XDG_CACHE_HOME"), 0);
}

} // namespace
