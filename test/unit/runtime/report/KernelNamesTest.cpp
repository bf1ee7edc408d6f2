//===- KernelNamesTest.cpp - Short names for the table --------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/report/KernelNames.h"
#include <gmock/gmock.h>
#include <random>

using namespace gridspan;
using testing::ElementsAre;

static const std::string Cub = "cub::CUB_300001_SM_900::detail::";
static const std::string Plus = "cuda::std::__4::plus<void>";

static std::string reduceKernel(const std::string &In, const std::string &Op) {
  return "void " + Cub + "reduce::DeviceReduceSingleTileKernel<" + Cub +
         "reduce::policy_hub<int, unsigned int, " + Op + " >::Policy1000, " +
         In + ", int*, int, " + Op +
         ", int, int, cuda::std::__4::__identity>(" + In + ", int*, int, " +
         Op + ", int, cuda::std::__4::__identity)";
}

TEST(KernelNames, LeavesWhatFits) {
  EXPECT_THAT(shortNames({"saxpy(int, float, float const*, float*)", "k", "k",
                          "void scale<float>(float*, int)"}),
              ElementsAre("saxpy(int, float, float const*, float*)", "k", "k",
                          "void scale<float>(float*, int)"));
  EXPECT_TRUE(shortNames({}).empty());
}

TEST(KernelNames, DropsNamespacesAndParameters) {
  EXPECT_THAT(shortNames({"void physics::detail::advance<physics::Particle, "
                          "physics::grid<double, 3> const&, (physics::mode)2>("
                          "physics::Particle*, int)"}),
              ElementsAre("advance<Particle, grid const&, 2>"));
}

TEST(KernelNames, KeepsWhatDiffers) {
  const std::string Max = "cuda::maximum<void>";
  EXPECT_THAT(
      shortNames({reduceKernel("int*", Plus), reduceKernel("float*", Plus),
                  reduceKernel("int*", Max)}),
      ElementsAre("DeviceReduceSingleTileKernel<.., int*, .., plus, ..>",
                  "DeviceReduceSingleTileKernel<.., float*, .., plus, ..>",
                  "DeviceReduceSingleTileKernel<.., int*, .., maximum, ..>"));
  EXPECT_THAT(shortNames({reduceKernel("int*", Plus)}),
              ElementsAre("DeviceReduceSingleTileKernel<..>"));
}

TEST(KernelNames, LooksIntoArgumentsWhereTheirLastWordsAreEqual) {
  auto Name = [](const std::string &T) {
    return "void library::apply_to_each_element<library::wrapped<library::" +
           T + ">::iterator, library::nothing>(int)";
  };
  EXPECT_THAT(shortNames({Name("one"), Name("two")}),
              ElementsAre("apply_to_each_element<wrapped<one>::iterator, ..>",
                          "apply_to_each_element<wrapped<two>::iterator, ..>"));
}

TEST(KernelNames, TellsLambdasApart) {
  auto Name = [](const std::string &T) {
    return "void library::for_each_element_of_it<main::{lambda(int)#" + T +
           "}>(main::{lambda(int)#" + T + "}, int)";
  };
  EXPECT_THAT(shortNames({Name("1"), Name("2")}),
              ElementsAre("for_each_element_of_it<{lambda(int)#1}>",
                          "for_each_element_of_it<{lambda(int)#2}>"));
}

TEST(KernelNames, TellsNamespacesAndOverloadsApart) {
  const std::string Long = "a_name_that_is_long_enough_to_be_shortened_here";
  EXPECT_THAT(shortNames({"one::" + Long + "(int)", "two::" + Long + "(int)"}),
              ElementsAre("one::" + Long + "(int)", "two::" + Long + "(int)"));
  EXPECT_THAT(shortNames({Long + "(int)", Long + "(float)"}),
              ElementsAre(Long + "(int)", Long + "(float)"));
  EXPECT_THAT(shortNames({"(anonymous namespace)::" + Long + "(int)"}),
              ElementsAre(Long));
}

// Whatever the names are, different ones stay different.
TEST(KernelNames, NeverMixesUpKernels) {
  std::mt19937 Random(20);
  const std::vector<std::string> Parts = {"a",
                                          "k",
                                          "::",
                                          "<",
                                          ">",
                                          "(",
                                          ")",
                                          ", ",
                                          "int",
                                          " ",
                                          "{",
                                          "}",
                                          "void ",
                                          "*",
                                          "operator->",
                                          "operator<",
                                          "(anonymous namespace)",
                                          "-",
                                          "0"};
  for (unsigned Round = 0; Round != 2000; ++Round) {
    std::vector<std::string> Names;
    for (unsigned I = 0; I != 6; ++I) {
      std::string Name(Random() % 2 ? 40 : 0, 'x');
      for (unsigned Count = Random() % 24; Count; --Count)
        Name += Parts[Random() % Parts.size()];
      Names.push_back(Name);
    }
    const std::vector<std::string> Short = shortNames(Names);
    ASSERT_EQ(Short.size(), Names.size());
    for (size_t I = 0; I != Names.size(); ++I)
      for (size_t J = 0; J != I; ++J)
        EXPECT_EQ(Names[I] == Names[J], Short[I] == Short[J])
            << Names[I] << "\n"
            << Names[J] << "\n"
            << Short[I];
  }
}
