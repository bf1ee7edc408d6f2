//===- LoadedFilesTest.cpp - Places in libraries --------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A place in a library leads back to the same address, whatever folder the
// program is in since; the program's own have none, and another file is
// refused.
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/ranks/LoadedFiles.h"
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <gtest/gtest.h>

namespace gridspan::ranks {
namespace {

void loadNothing(const std::function<void()> &) {
  ADD_FAILURE() << "the library is loaded";
}

/// Returns something in a library that every process has. The handle keeps
/// tools from giving functions of their own.
const void *inLibrary() {
  void *Library = dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD);
  return dlsym(Library, "getpid");
}

TEST(LoadedFilesTest, PlacesLeadBack) {
  const FilePlace Place = placeOf(inLibrary());
  EXPECT_FALSE(Place.File.empty());
  EXPECT_NE(Place.Checksum, 0U);
  std::string Message;
  EXPECT_EQ(addressOf(Place, loadNothing, Message), inLibrary());
  EXPECT_EQ(Message, "");
}

/// A library of a folder of its own, loaded by a relative path. The program has
/// left that folder.
class FromAFolder : public ::testing::Test {
protected:
  void SetUp() override {
    Dl_info Info;
    ASSERT_TRUE(dladdr(dlsym(dlopen("libm.so.6", RTLD_NOW), "cos"), &Info));
    std::string Name = (Home / "gridspan-XXXXXX").string();
    ASSERT_TRUE(mkdtemp(Name.data()));
    Folder = std::filesystem::canonical(Name);
    std::filesystem::copy_file(std::filesystem::canonical(Info.dli_fname),
                               Folder / "lib.so");
    const std::filesystem::path Before = std::filesystem::current_path();
    std::filesystem::current_path(Folder);
    Library = dlopen("./lib.so", RTLD_NOW | RTLD_LOCAL);
    std::filesystem::current_path(Before);
    ASSERT_TRUE(Library);
  }
  void TearDown() override {
    if (Library)
      dlclose(Library);
    std::filesystem::remove_all(Folder);
  }
  const void *inside() const { return dlsym(Library, "cos"); }

  const std::filesystem::path Home = std::filesystem::temp_directory_path();
  std::filesystem::path Folder;
  void *Library = nullptr;
};

TEST_F(FromAFolder, IsFoundBehindChdir) {
  const FilePlace Place = placeOf(inside());
  EXPECT_EQ(Place.File, (Folder / "lib.so").string());
  EXPECT_NE(Place.Checksum, 0U);
  std::string Message;
  EXPECT_EQ(addressOf(Place, loadNothing, Message), inside());
  EXPECT_TRUE(addressesOf(Place.File).contains(inside()));
}

TEST_F(FromAFolder, IsGone) {
  std::filesystem::remove(Folder / "lib.so");
  const FilePlace Place = placeOf(inside());
  EXPECT_EQ(Place.File, (Folder / "lib.so").string());
  EXPECT_EQ(Place.Checksum, 0U);
  std::string Message;
  EXPECT_EQ(addressOf(Place, loadNothing, Message), nullptr);
  EXPECT_NE(Message.find("no library"), std::string::npos);
  EXPECT_TRUE(addressesOf(Place.File).contains(inside()));
}

TEST(LoadedFilesTest, ThePrograms) {
  static int Variable;
  const int Local = 0;
  EXPECT_EQ(placeOf(&Variable).File, "");
  EXPECT_EQ(placeOf(&Local).File, "");
}

TEST(LoadedFilesTest, OthersAreRefused) {
  FilePlace Place = placeOf(inLibrary());
  std::string Message;
  FilePlace Other = Place;
  ++Other.Checksum;
  EXPECT_EQ(addressOf(Other, loadNothing, Message), nullptr);
  EXPECT_NE(Message.find("another one"), std::string::npos);
  Other = Place;
  Other.Offset = uint64_t(1) << 40;
  EXPECT_EQ(addressOf(Other, loadNothing, Message), nullptr);
  EXPECT_NE(Message.find("no such place"), std::string::npos);
  Other.File = "/nowhere/library.so";
  EXPECT_EQ(addressOf(Other, loadNothing, Message), nullptr);
  EXPECT_NE(Message.find("no library"), std::string::npos);
}

} // namespace
} // namespace gridspan::ranks
