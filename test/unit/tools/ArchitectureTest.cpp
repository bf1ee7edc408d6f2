//===- ArchitectureTest.cpp - Tests of architecture options ---------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/gridspan++/Architecture.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace gridspan;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

std::vector<std::string> flagsOf(const ArchitectureSet &Set,
                                 std::vector<unsigned> Gpus = {}) {
  std::vector<std::string> Notes;
  std::vector<std::string> Flags =
      ArchitectureSet::flags(Set.targets(Gpus, Notes));
  EXPECT_THAT(Notes, IsEmpty());
  return Flags;
}

TEST(ArchitectureTest, DefaultIsSm90WithoutGpu) {
  EXPECT_THAT(flagsOf({}), ElementsAre("--offload-arch=sm_90"));
}

TEST(ArchitectureTest, DefaultAndNativeAreTheGpusPresent) {
  EXPECT_THAT(flagsOf({}, {80, 90}),
              ElementsAre("--offload-arch=sm_80", "--offload-arch=sm_90"));
  ArchitectureSet Native;
  EXPECT_EQ(Native.addArch("native"), "");
  EXPECT_THAT(flagsOf(Native, {86}), ElementsAre("--offload-arch=sm_86"));
}

TEST(ArchitectureTest, ArchNamesOne) {
  ArchitectureSet Set;
  EXPECT_EQ(Set.addArch("sm_80"), "");
  EXPECT_THAT(flagsOf(Set, {90}), ElementsAre("--offload-arch=sm_80"));
  ArchitectureSet Virtual;
  EXPECT_EQ(Virtual.addArch("compute_86"), "");
  EXPECT_THAT(flagsOf(Virtual), ElementsAre("--offload-arch=sm_86"));
}

TEST(ArchitectureTest, CodeRefinesArch) {
  ArchitectureSet Set;
  EXPECT_EQ(Set.addArch("compute_75"), "");
  EXPECT_EQ(Set.addCode("sm_80,sm_86"), "");
  EXPECT_THAT(flagsOf(Set),
              ElementsAre("--offload-arch=sm_80", "--no-cuda-include-ptx=sm_80",
                          "--offload-arch=sm_86",
                          "--no-cuda-include-ptx=sm_86"));
}

TEST(ArchitectureTest, GencodeCollects) {
  ArchitectureSet Set;
  EXPECT_EQ(Set.addGencode("arch=compute_80,code=sm_80"), "");
  EXPECT_EQ(Set.addGencode("arch=compute_90,code=[sm_90,compute_90]"), "");
  EXPECT_THAT(flagsOf(Set),
              ElementsAre("--offload-arch=sm_80", "--no-cuda-include-ptx=sm_80",
                          "--offload-arch=sm_90"));
}

TEST(ArchitectureTest, MajorArchitecturesCarryPtxOfTheNewest) {
  ArchitectureSet Set;
  EXPECT_EQ(Set.addArch("all-major"), "");
  EXPECT_THAT(flagsOf(Set),
              ElementsAre("--offload-arch=sm_75", "--no-cuda-include-ptx=sm_75",
                          "--offload-arch=sm_80", "--no-cuda-include-ptx=sm_80",
                          "--offload-arch=sm_90"));
}

TEST(ArchitectureTest, NewerThanClangBecomesPtx) {
  ArchitectureSet Set;
  EXPECT_EQ(Set.addArch("sm_100"), "");
  std::vector<std::string> Notes;
  EXPECT_THAT(ArchitectureSet::flags(Set.targets({}, Notes)),
              ElementsAre("--offload-arch=sm_90"));
  EXPECT_THAT(Notes, ElementsAre(HasSubstr("sm_100 is newer than clang")));
}

TEST(ArchitectureTest, ErrorsNameTheValue) {
  ArchitectureSet Set;
  EXPECT_THAT(Set.addArch("sm_60"), HasSubstr("sm_60 is not supported"));
  EXPECT_THAT(Set.addArch("hopper"), HasSubstr("'hopper'"));
  EXPECT_THAT(Set.addCode("90"), HasSubstr("'90'"));
  EXPECT_THAT(Set.addGencode("sm_90"), HasSubstr("'sm_90'"));
}

} // namespace
