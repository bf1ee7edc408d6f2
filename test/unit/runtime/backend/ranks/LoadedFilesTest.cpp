//===- LoadedFilesTest.cpp - Places in libraries --------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A place in a library leads back to the same address; the program's own have
// none, and another file is refused.
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/ranks/LoadedFiles.h"
#include <dlfcn.h>
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
