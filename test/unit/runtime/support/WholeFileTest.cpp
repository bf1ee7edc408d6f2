//===- WholeFileTest.cpp - Files that are there whole or not at all -------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//===----------------------------------------------------------------------===//

#include "runtime/support/WholeFile.h"
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <unistd.h>

using namespace gridspan;
namespace fs = std::filesystem;

namespace {

class WholeFileTest : public testing::Test {
protected:
  WholeFileTest()
      : Folder(fs::temp_directory_path() /
               ("gridspan-whole-" + std::to_string(getpid()))) {
    fs::create_directories(Folder);
  }
  ~WholeFileTest() override { fs::remove_all(Folder); }

  static std::string contents(const fs::path &File) {
    std::ifstream In(File);
    return {std::istreambuf_iterator<char>(In), {}};
  }
  size_t files() const {
    return static_cast<size_t>(std::distance(fs::directory_iterator(Folder),
                                             fs::directory_iterator()));
  }

  const fs::path Folder;
};

} // namespace

TEST_F(WholeFileTest, ReplacesAFile) {
  const fs::path File = Folder / "a.json";
  EXPECT_TRUE(writeWhole(File, "first, which is longer"));
  EXPECT_TRUE(writeWhole(File, "second"));
  EXPECT_EQ(contents(File), "second");
  EXPECT_EQ(files(), 1u);
}

TEST_F(WholeFileTest, LeavesNothingWhereItFails) {
  EXPECT_FALSE(writeWhole(Folder / "no" / "a.json", "text"));
  fs::create_directories(Folder / "taken" / "inside");
  EXPECT_FALSE(writeWhole(Folder / "taken", "text"));
  EXPECT_EQ(files(), 1u);
}
