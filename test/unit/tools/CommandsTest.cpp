//===- CommandsTest.cpp - Tests of the commands for clang -----------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/gridspan++/Commands.h"
#include "llvm/Support/FileSystem.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace gridspan;
using testing::Contains;
using testing::ElementsAre;
using testing::IsSupersetOf;
using testing::Not;

namespace {

Setting exampleSetting() {
  Setting S;
  S.Gridspan = {"/g/plugin.so",  "/g/clang-plugin.so", "/g/runtime.a",
                "/g/runtime.so", "/g/ranges.a",        "/g/headers",
                "/g/fatbinary",  "/g/ptxas",           "/l/clang++",
                "/g/gridspan++", "/g/renamed.a",       "/g/names.a",
                "/g/boost.a"};
  S.Cuda = {"/cuda", 13000};
  S.Overlay = "/overlay";
  S.Architectures = {{"sm_90", true}};
  return S;
}

Job plan(std::vector<llvm::StringRef> Args) {
  Request R = parseOptions(Args);
  EXPECT_EQ(R.Error, "");
  return llvm::cantFail(planJob(R, exampleSetting()));
}

TEST(CommandsTest, OneCommandCompilesAndLinks) {
  Job J = plan({"-O3", "a.cu", "b.cpp", "-o", "prog"});
  ASSERT_EQ(J.Commands.size(), 1u);
  EXPECT_EQ(J.Commands[0].front(), "/l/clang++");
  EXPECT_THAT(
      J.Commands[0],
      IsSupersetOf({"--cuda-path=/overlay", "--offload-arch=sm_90",
                    "-fplugin=/g/plugin.so", "-fpass-plugin=/g/plugin.so",
                    "a.cu", "b.cpp", "/g/runtime.a", "-lcudart_static"}));
}

TEST(CommandsTest, NamesAreKeptForAdvice) {
  const std::string Keep = "-fno-discard-value-names";
  EXPECT_THAT(plan({"-c", "a.cu"}).Commands[0], Not(Contains(Keep)));
  EXPECT_THAT(plan({"-c", "a.cu", "-Rpass-analysis=gridspan"}).Commands[0],
              Contains(Keep));
  EXPECT_THAT(plan({"-c", "a.cu", "-mllvm", "-gridspan-advice=x/"}).Commands[0],
              Contains(Keep));
  EXPECT_THAT(plan({"-c", "a.cu", "-fno-gridspan", "-Rpass-analysis=gridspan"})
                  .Commands[0],
              Not(Contains(Keep)));
}

TEST(CommandsTest, BoostComesFromTheInstallation) {
  EXPECT_THAT(plan({"a.cu"}).Commands[0],
              IsSupersetOf({"/g/boost.a",
                            "-Wl,--exclude-libs,runtime.a:ranges.a:boost.a"}));
}

/// Returns where a part of a command is.
size_t placeOf(const CommandLine &Command, llvm::StringRef Part) {
  const auto At = llvm::find(Command, Part);
  EXPECT_NE(At, Command.end()) << Part.str();
  return At - Command.begin();
}

TEST(CommandsTest, LibrariesMayComeFirst) {
  const CommandLine Link =
      plan({"-L.", "-lb", "a.cu", "c.a", "-o", "prog"}).Commands[0];
  const size_t Begin = placeOf(Link, "-Wl,--start-group");
  const size_t End = placeOf(Link, "-Wl,--end-group");
  for (const char *Part : {"-lb", "a.cu", "c.a", "-lcudart_static"}) {
    EXPECT_LT(Begin, placeOf(Link, Part));
    EXPECT_LT(placeOf(Link, Part), End);
  }
  // Not every linker nests groups.
  for (const char *Own : {"--start-group", "-("})
    EXPECT_THAT(plan({"a.o", "-Xlinker", Own, "b.a"}).Commands[0],
                Not(Contains("-Wl,--start-group")));
}

TEST(CommandsTest, NothingIsLinkedWithC) {
  Job J = plan({"-c", "a.cu"});
  ASSERT_EQ(J.Commands.size(), 1u);
  EXPECT_THAT(J.Commands[0], Not(Contains("/g/runtime.a")));
}

TEST(CommandsTest, DeviceOutputsAreNamedAfterTheirSource) {
  for (const char *Language : {"-x=cu", "-xcu", "--x=cu"}) {
    EXPECT_THAT(plan({Language, "-ptx", "d/a.cu"}).Commands[0],
                IsSupersetOf({"-x", "cuda", "d/a.cu", "-o", "a.ptx"}));
    EXPECT_THAT(plan({Language, "-cubin", "a.cc"}).Commands[0],
                IsSupersetOf({"a.cc", "-o", "a.cubin"}));
  }
  EXPECT_THAT(plan({"-x", "cu", "-ptx", "a.cu", "b.cu"}).Commands[1],
              IsSupersetOf({"b.cu", "-o", "b.ptx"}));
}

TEST(CommandsTest, KernelsAreOptimizedByDefault) {
  EXPECT_THAT(plan({"-c", "a.cu"}).Commands[0], Contains("-O2"));
  EXPECT_THAT(plan({"-c", "-O3", "a.cu"}).Commands[0], Not(Contains("-O2")));
  EXPECT_THAT(plan({"-c", "-G", "a.cu"}).Commands[0], Not(Contains("-O2")));
  // Host code stays as -g alone leaves it.
  CommandLine Debug = plan({"-c", "-g", "a.cu"}).Commands[0];
  auto Level = std::find(Debug.begin(), Debug.end(), "-O3");
  ASSERT_NE(Level, Debug.end());
  EXPECT_EQ(Level[-1], "-Xarch_device");
}

TEST(CommandsTest, NumbersWrapInHostCode) {
  CommandLine Command = plan({"-c", "a.cu"}).Commands[0];
  auto Wraps = std::find(Command.begin(), Command.end(), "-fwrapv");
  ASSERT_NE(Wraps, Command.end());
  EXPECT_EQ(Wraps[-1], "-Xarch_host");
  EXPECT_THAT(
      plan({"-c", "-Xcompiler", "-fsanitize=address", "a.cu"}).Commands[0],
      Contains("-fwrapv"));
  // Some are to find those that do.
  for (const char *Option :
       {"-fsanitize=undefined", "-fsanitize=address\\,undefined", "-ftrapv"})
    EXPECT_THAT(plan({"-c", "-Xcompiler", Option, "a.cu"}).Commands[0],
                Not(Contains("-fwrapv")));
}

TEST(CommandsTest, CSourcesHaveTheirOwnCommand) {
  Job J = plan({"-std=c++20", "a.cu", "b.c", "-o", "prog"});
  ASSERT_EQ(J.Commands.size(), 2u);
  EXPECT_THAT(J.Commands[0], IsSupersetOf({"--driver-mode=gcc", "-c", "b.c"}));
  EXPECT_THAT(J.Commands[0], Not(Contains("-std=c++20")));
  EXPECT_THAT(J.Commands[0], Contains("-fwrapv"));
  EXPECT_THAT(J.Commands[0], Contains("-fpass-plugin=/g/plugin.so"));
  ASSERT_EQ(J.Commands[0][J.Commands[0].size() - 2], "-o");
  EXPECT_THAT(J.Commands[1], Contains(J.Commands[0].back()));
  EXPECT_THAT(J.Commands[1], Not(Contains("b.c")));
}

TEST(CommandsTest, TemporaryFilesGoWithTheJob) {
  std::string Object;
  {
    Job J = plan({"a.cu", "b.c"});
    Object = J.Commands[0].back();
    EXPECT_TRUE(llvm::sys::fs::exists(Object));
    Job Moved = std::move(J);
    EXPECT_TRUE(llvm::sys::fs::exists(Object));
  }
  EXPECT_FALSE(llvm::sys::fs::exists(Object));
}

TEST(CommandsTest, CppOfRelocatableCodeHasNoArchitecture) {
  // Beside -fopenmp an architecture means OpenMP's own offloading.
  EXPECT_THAT(plan({"-rdc=true", "-c", "-fopenmp", "a.cpp"}).Commands[0],
              Not(Contains("--offload-arch=sm_90")));
  EXPECT_THAT(plan({"-rdc=true", "-c", "a.cu"}).Commands[0],
              IsSupersetOf({"--offload-arch=sm_90", "-D__CUDACC_RDC__"}));
}

TEST(CommandsTest, DependenciesOfTemporaryObjectsStandBesideTheSource) {
  Job J = plan({"-rdc=true", "-MD", "dir/a.cu", "-o", "prog"});
  ASSERT_EQ(J.Commands.size(), 5u);
  EXPECT_THAT(J.Commands[2], IsSupersetOf({"-MF", "a.d", "-MT", "prog"}));
  EXPECT_THAT(plan({"-rdc=true", "-MD", "-c", "dir/a.cu"}).Commands[2],
              Not(Contains("-MF")));
}

TEST(CommandsTest, AnArchiveIsMadeAnew) {
  Job J = plan({"-lib", "a.o", "-o", "x.a"});
  ASSERT_EQ(J.Commands.size(), 2u);
  EXPECT_THAT(J.Commands[0], testing::Contains("x.a"));
  EXPECT_THAT(J.Commands[0], testing::Contains("-f"));
  EXPECT_THAT(J.Commands[1], IsSupersetOf({"rcs", "x.a", "a.o"}));
}

TEST(CommandsTest, PtxIsPlain) {
  Job J = plan({"-ptx", "dir/a.cu"});
  ASSERT_EQ(J.Commands.size(), 1u);
  EXPECT_THAT(J.Commands[0],
              IsSupersetOf({"--cuda-device-only", "-S", "a.ptx"}));
  EXPECT_THAT(J.Commands[0], Not(Contains("-fpass-plugin=/g/plugin.so")));
}

TEST(CommandsTest, PtxIsAssembledAsAsked) {
  Job J = plan({"-cubin", "-arch=sm_90", "-G", "-lineinfo", "-fmad=false",
                "-Xptxas", "-v", "-rdc=true", "a.ptx"});
  ASSERT_EQ(J.Commands.size(), 1u);
  EXPECT_THAT(J.Commands[0],
              IsSupersetOf({"--compile-only", "-g", "--dont-merge-basicblocks",
                            "--return-at-end", "--generate-line-info", "--fmad",
                            "false", "-v", "a.ptx"}));
  Job Wrapped = plan({"-fatbin", "-arch=sm_90", "a.cubin"});
  ASSERT_EQ(Wrapped.Commands.size(), 1u);
  EXPECT_THAT(Wrapped.Commands[0],
              IsSupersetOf({"/overlay/bin/fatbinary", "a.fatbin",
                            "--image=profile=sm_90,file=a.cubin"}));
  Job Plain = plan({"-cubin", "-arch=sm_90", "a.ptx"});
  EXPECT_THAT(Plain.Commands[0], Not(Contains("-g")));
}

TEST(CommandsTest, CSourcesWithoutGridspan) {
  Job J = plan({"-fno-gridspan", "-c", "b.c"});
  ASSERT_EQ(J.Commands.size(), 1u);
  EXPECT_THAT(J.Commands[0], Not(Contains("-fpass-plugin=/g/plugin.so")));
}

TEST(CommandsTest, WithoutGridspan) {
  Job J = plan({"-fno-gridspan", "a.cu"});
  EXPECT_THAT(J.Commands[0], Not(Contains("-fpass-plugin=/g/plugin.so")));
  EXPECT_THAT(J.Commands[0], Not(Contains("/g/runtime.a")));
  EXPECT_THAT(J.Commands[0], Contains("-lcudart_static"));
}

TEST(CommandsTest, SharedCudart) {
  Job J = plan({"-cudart=shared", "a.cu"});
  EXPECT_THAT(J.Commands[0], Contains("-lcudart"));
  EXPECT_THAT(J.Commands[0], Not(Contains("-lcudart_static")));
}

TEST(CommandsTest, TheRuntimeIsSharedWithTheCudaRuntime) {
  EXPECT_THAT(plan({"a.cu"}).Commands[0], Not(Contains("/g/runtime.so")));
  CommandLine Shared = plan({"-cudart=shared", "a.cu"}).Commands[0];
  EXPECT_THAT(Shared, IsSupersetOf({"/g/runtime.so", "-Wl,-rpath,/g"}));
  EXPECT_THAT(Shared, Not(Contains("/g/runtime.a")));
  EXPECT_THAT(plan({"-cudart=none", "a.cu"}).Commands[0],
              Contains("/g/runtime.a"));
}

TEST(CommandsTest, TheRuntimeIsAsAsked) {
  EXPECT_THAT(plan({"-gridspan-runtime=shared", "a.cu"}).Commands[0],
              IsSupersetOf({"/g/runtime.so", "-lcudart_static"}));
  EXPECT_THAT(plan({"--gridspan-runtime", "static", "-cudart=shared", "a.cu"})
                  .Commands[0],
              IsSupersetOf({"/g/runtime.a", "-lcudart"}));
  EXPECT_THAT(parseOptions({"-gridspan-runtime=dynamic"}).Error,
              testing::HasSubstr("-gridspan-runtime: expected"));
}

TEST(CommandsTest, TheStandardLibraryIsStaticWhenAsked) {
  EXPECT_THAT(plan({"a.cu"}).Commands[0], Contains("-lstdc++"));
  EXPECT_THAT(plan({"-static-libstdc++", "a.cu"}).Commands[0],
              Not(Contains("-lstdc++")));
}

TEST(CommandsTest, PrintedFlagsAreSingleWords) {
  // CMake drops repeated words of its option lists.
  Request R = parseOptions({"--print-flags"});
  CommandLine Flags = compileFlags(R, exampleSetting());
  for (const std::string &Flag : Flags)
    EXPECT_EQ(Flag.front(), '-') << Flag;
  EXPECT_THAT(Flags, Not(Contains("-O2")));
}

TEST(CommandsTest, PrintableQuotes) {
  EXPECT_EQ(printable({"a", "b c", "d"}), "a \"b c\" d");
}

TEST(CommandsTest, SourcesOfRelocatableCodeTakeSeveralCommands) {
  Job J =
      plan({"-dc", "-x", "cu", "-MD", "-MF", "a.d", "-Xptxas", "-v", "a.cu"});
  ASSERT_EQ(J.Commands.size(), 3u);
  EXPECT_THAT(J.Commands[0],
              IsSupersetOf({"--cuda-device-only", "-disable-llvm-passes",
                            "-fgpu-rdc", "a.cu"}));
  EXPECT_THAT(J.Commands[0], Not(Contains("-MD")));
  EXPECT_THAT(J.Commands[0], Not(Contains("a.d")));
  EXPECT_THAT(J.Commands[1].back(), testing::HasSubstr("gridspan=ptxas:-v|"));
  EXPECT_THAT(J.Commands[2],
              IsSupersetOf({"--cuda-host-only", "-MD", "a.d", "a.cu", "a.o"}));
}

TEST(CommandsTest, ObjectsOfTheJobAreDeviceLinked) {
  Job J = plan({"-rdc=true", "-x", "cu", "a.cu", "b.o", "-o", "prog"});
  ASSERT_EQ(J.Commands.size(), 5u);
  EXPECT_THAT(J.Commands[3], IsSupersetOf({"/g/gridspan++", "-dlink", "b.o"}));
  EXPECT_THAT(J.Commands[4], Not(Contains("a.cu")));
}

TEST(CommandsTest, TheOverlaysRuntimeIsForOtherDrivers) {
  Job J = plan({"a.o", "-L/overlay/lib64", "-L/overlay/lib64/stubs", "-L/lib",
                "/overlay/lib64/libcudart.so", "/overlay/lib64/libcufft.so"});
  ASSERT_EQ(J.Commands.size(), 1u);
  EXPECT_THAT(J.Commands[0], Not(Contains("-L/overlay/lib64")));
  EXPECT_THAT(J.Commands[0], Not(Contains("-L/overlay/lib64/stubs")));
  EXPECT_THAT(J.Commands[0], Not(Contains("/overlay/lib64/libcudart.so")));
  EXPECT_THAT(J.Commands[0],
              IsSupersetOf({"-L/lib", "/overlay/lib64/libcufft.so"}));
  // CMake learns from this link what others need.
  const Job Probe =
      plan({"-v", "dir/CMakeCUDACompilerABI.cu.o", "-o", "probe"});
  EXPECT_THAT(Probe.Commands[0],
              IsSupersetOf({"-L/overlay/lib64", "-lcudart_static"}));
  EXPECT_THAT(Probe.Commands[0], Not(Contains("/g/runtime.a")));
}

} // namespace
