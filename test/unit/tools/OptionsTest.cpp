//===- OptionsTest.cpp - Tests of option translation ----------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/gridspan++/Options.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace gridspan;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

Request parse(std::vector<llvm::StringRef> Args) { return parseOptions(Args); }

/// Texts of all arguments, after checking that there was no error.
std::vector<std::string> textsOf(std::vector<llvm::StringRef> Args) {
  Request R = parse(Args);
  EXPECT_EQ(R.Error, "");
  std::vector<std::string> Texts;
  for (const Argument &A : R.Args)
    Texts.push_back(A.Text);
  return Texts;
}

TEST(OptionsTest, UnknownOptionsAreClangs) {
  EXPECT_THAT(
      textsOf({"-Wall", "-I", "inc", "-DX=1", "a.cu", "-ferror-limit=3"}),
      ElementsAre("-Wall", "-Iinc", "-DX=1", "a.cu", "-ferror-limit=3"));
}

TEST(OptionsTest, ListsAreSplit) {
  EXPECT_THAT(textsOf({"-I", "a,b", "-I=c", "-DX=1,Y", "-D=Z", "-U", "V,W",
                       "-isystem=d,e", "--pre-include", "f.h,g.h"}),
              ElementsAre("-Ia", "-Ib", "-Ic", "-DX=1", "-DY", "-DZ", "-UV",
                          "-UW", "-isystem", "d", "-isystem", "e", "-include",
                          "f.h", "-include", "g.h"));
  EXPECT_THAT(textsOf({"-L=a,b", "-lm,dl", "--library=rt"}),
              ElementsAre("-La", "-Lb", "-lm", "-ldl", "-lrt"));
  // What protects a comma.
  EXPECT_THAT(
      textsOf({"-DF(x,y)=x", "-DS=\"a,b\"", "-DP=1\\,2", "-DQ=\\\"q\\\""}),
      ElementsAre("-DF(x,y)=x", "-DS=\"a,b\"", "-DP=1,2", "-DQ=\"q\""));
  EXPECT_THAT(
      textsOf({"-DX={1,2},Y", "-DA=B<1,2>,C(a)=a", "-DV={a,b}", "-DL={1,Z=2"}),
      ElementsAre("-DX={1,2}", "-DY", "-DA=B<1,2>", "-DC(a)=a", "-DV={a,b}",
                  "-DL={1", "-DZ=2"));
  EXPECT_THAT(textsOf({"-Xcompiler", "\"-Wl,-z\",-fPIC"}),
              ElementsAre("-Wl,-z", "-Xarch_host", "-fPIC"));
  EXPECT_THAT(parse({"-I"}).Error, HasSubstr("-I: "));
}

TEST(OptionsTest, OptionsOfPassesAreForTheFrontEnd) {
  EXPECT_THAT(textsOf({"-mllvm", "-gridspan-a=1", "-mllvm=-gridspan-b",
                       "-mllvm", "-unroll-count=2", "a.cu"}),
              ElementsAre("-Xclang", "-mllvm", "-Xclang", "-gridspan-a=1",
                          "-Xclang", "-mllvm", "-Xclang", "-gridspan-b",
                          "-mllvm", "-unroll-count=2", "a.cu"));
  const Request R = parse({"-ptx", "-mllvm", "-gridspan-a=1", "a.cu"});
  EXPECT_THAT(R.Notes, Contains(HasSubstr("-gridspan-a=1: ignored")));
  for (const Argument &A : R.Args)
    EXPECT_THAT(A.Text, testing::Not(HasSubstr("gridspan")));
}

TEST(OptionsTest, ProgramsAreRun) {
  Request R = parse({"a.cu", "-run", "--run-args", "1,2", "-odir", "out"});
  EXPECT_TRUE(R.Run);
  EXPECT_THAT(R.RunArguments, ElementsAre("1", "2"));
  EXPECT_EQ(R.Output, "out/a.out");
  EXPECT_THAT(parse({"a.cu", "-c", "--run"}).Error, HasSubstr("-run: "));
}

TEST(OptionsTest, InputsAreToldApart) {
  Request R = parse({"a.cu", "b.cpp", "c.c", "d.o", "-lm", "-Wl,-x", "-O2"});
  std::vector<Argument::ArgumentKind> Kinds;
  for (const Argument &A : R.Args)
    Kinds.push_back(A.Kind);
  EXPECT_THAT(Kinds,
              ElementsAre(Argument::Source, Argument::Source, Argument::CSource,
                          Argument::LinkInput, Argument::LinkInput,
                          Argument::LinkInput, Argument::Option));
}

TEST(OptionsTest, ValuesOfOptionsAreNoInputs) {
  Request R = parse({"-o", "x.cu", "-MF", "y.cu", "-include", "z.cu"});
  EXPECT_FALSE(R.hasInputs());
  EXPECT_EQ(R.Output, "x.cu");
}

TEST(OptionsTest, AttachedOutput) {
  EXPECT_EQ(parse({"-oprog", "a.cu"}).Output, "prog");
  EXPECT_EQ(parse({"--output-file=prog", "a.cu"}).Output, "prog");
  EXPECT_EQ(parse({"-o=prog", "a.cu"}).Output, "prog");
}

TEST(OptionsTest, LineInfoIsForTheDevice) {
  EXPECT_THAT(textsOf({"-lineinfo"}),
              ElementsAre("-Xarch_device", "-gline-tables-only"));
}

TEST(OptionsTest, CompilerOptionsAreForTheHost) {
  EXPECT_THAT(textsOf({"-Xcompiler", "-Wall,-O2"}),
              ElementsAre("-Xarch_host", "-Wall", "-Xarch_host",
                          "-Wno-unknown-warning-option", "-Xarch_host", "-O3"));
  EXPECT_THAT(textsOf({"--compiler-options=-g0 -fopenmp"}),
              ElementsAre("-Xarch_host", "-g0", "-fopenmp"));
  EXPECT_THAT(textsOf({"-Xcompiler", "-fopenmp-simd"}),
              ElementsAre("-Xarch_host", "-fopenmp-simd"));
  // A program that is without gcc's warnings may have clang's.
  EXPECT_THAT(textsOf({"-Xcompiler", "-Werror"}), testing::IsEmpty());
  EXPECT_THAT(parse({"-Xcompiler", "-Werror,-Werror"}).Notes,
              ElementsAre(HasSubstr("-Werror: warnings stay warnings")));
  // A warning of gcc's own that is switched off.
  EXPECT_THAT(textsOf({"-Xcompiler", "-Wno-class-memaccess"}),
              ElementsAre("-Xarch_host", "-Wno-class-memaccess", "-Xarch_host",
                          "-Wno-unknown-warning-option"));
  EXPECT_THAT(textsOf({"-Xcompiler", "-include,x.h"}),
              ElementsAre("-include", "x.h"));
  EXPECT_THAT(textsOf({"-Xcompiler=-Wl,-rpath,/x"}),
              ElementsAre("-Wl,-rpath,/x"));
  // The host's preprocessor sees device code as well.
  EXPECT_THAT(textsOf({"-Xcompiler", "-DN=3,-isystem/inc,-UM"}),
              ElementsAre("-DN=3", "-isystem/inc", "-UM"));
}

TEST(OptionsTest, PtxasAndLinkerOptions) {
  EXPECT_THAT(textsOf({"-Xptxas", "-v,-O3", "-maxrregcount=32"}),
              ElementsAre("-Xcuda-ptxas", "-v", "-Xcuda-ptxas", "-O3",
                          "-Xcuda-ptxas", "--maxrregcount=32"));
  EXPECT_THAT(textsOf({"-Xlinker", "-rpath,/x"}),
              ElementsAre("-Xlinker", "-rpath", "-Xlinker", "/x"));
}

TEST(OptionsTest, FastMathIsNvccs) {
  EXPECT_THAT(textsOf({"--use_fast_math"}),
              ElementsAre("-fgpu-approx-transcendentals",
                          "-fgpu-flush-denormals-to-zero", "-Xarch_device",
                          "-mllvm=--nvptx-prec-divf32=0", "-Xarch_device",
                          "-mllvm=--nvptx-prec-sqrtf32=0", "-Xarch_device",
                          "-ffp-contract=fast"));
  EXPECT_EQ(textsOf({"-use_fast_math"}), textsOf({"--use_fast_math"}));
}

TEST(OptionsTest, LongNamesAreRenamed) {
  EXPECT_THAT(textsOf({"--include-path", "inc", "--define-macro=X", "--compile",
                       "--std", "c++20", "--optimize", "3"}),
              ElementsAre("-Iinc", "-DX", "-c", "-std=c++20", "-O3"));
}

TEST(OptionsTest, TheRuntimeIsNotDoubled) {
  EXPECT_THAT(textsOf({"-lcudart", "-l", "cudart_static", "-lcublas"}),
              ElementsAre("-lcublas"));
  EXPECT_THAT(textsOf({"--library=cudart", "--library", "cublas"}),
              ElementsAre("-lcublas"));
  EXPECT_EQ(parse({"-cudart", "shared"}).Cudart, CudartKind::Shared);
  EXPECT_EQ(parse({"--cudart=none"}).Cudart, CudartKind::None);
  // What names the runtime itself.
  EXPECT_EQ(parse({"-cudart", "none", "-lcudart"}).Cudart, CudartKind::Shared);
  EXPECT_EQ(parse({"-lcudart_static", "--cudart=none"}).Cudart,
            CudartKind::Static);
  EXPECT_EQ(parse({"-lcudart"}).Cudart, CudartKind::Static);
}

TEST(OptionsTest, LanguageCu) {
  EXPECT_THAT(
      textsOf({"-x", "cu", "a.cpp", "b.o"}),
      ElementsAre("-x", "cuda", "a.cpp", "-x", "none", "b.o", "-x", "cuda"));
  EXPECT_THAT(
      textsOf({"-xcuda", "a.cpp", "b.o"}),
      ElementsAre("-x", "cuda", "a.cpp", "-x", "none", "b.o", "-x", "cuda"));
  EXPECT_TRUE(parse({"-xcuda", "a.cpp"}).hasCudaSources());
}

TEST(OptionsTest, PerThreadDefaultStream) {
  EXPECT_THAT(textsOf({"--default-stream", "per-thread"}),
              ElementsAre("-DCUDA_API_PER_THREAD_DEFAULT_STREAM=1", "-Xclang",
                          "-fgpu-default-stream=per-thread"));
  EXPECT_THAT(textsOf({"--default-stream=legacy"}), IsEmpty());
}

TEST(OptionsTest, IgnoredOptionsAreSaidOnce) {
  Request R = parse({"-ccbin", "g++", "-ccbin=g++", "a.cu", "-diag-suppress",
                     "177", "-Wno-deprecated-gpu-targets", "-t4", "-m64"});
  EXPECT_THAT(R.Notes, ElementsAre(HasSubstr("-ccbin has no meaning"),
                                   HasSubstr("-diag-suppress has no meaning")));
  ASSERT_EQ(R.Args.size(), 1u);
  EXPECT_EQ(R.Args[0].Text, "a.cu");
}

TEST(OptionsTest, LambdasAndConstexprAreMacros) {
  EXPECT_THAT(textsOf({"--extended-lambda", "-expt-relaxed-constexpr"}),
              ElementsAre("-D__CUDACC_EXTENDED_LAMBDA__",
                          "-D__CUDACC_RELAXED_CONSTEXPR__"));
}

TEST(OptionsTest, CudaSourcesAreToldFromOthers) {
  EXPECT_TRUE(parse({"a.cpp", "b.cu"}).hasCudaSources());
  EXPECT_TRUE(parse({"-x", "cu", "a.cpp"}).hasCudaSources());
  EXPECT_FALSE(parse({"a.cpp", "b.o"}).hasCudaSources());
}

TEST(OptionsTest, OptimizationLevels) {
  EXPECT_FALSE(parse({"a.cu"}).OptimizationGiven);
  EXPECT_TRUE(parse({"a.cu"}).DeviceOptimized);
  EXPECT_FALSE(parse({"-O0", "a.cu"}).DeviceOptimized);
  EXPECT_TRUE(parse({"-O0", "-O3", "a.cu"}).DeviceOptimized);
  EXPECT_FALSE(parse({"-O3", "-G", "a.cu"}).DeviceOptimized);
  EXPECT_FALSE(parse({"-G", "-O3", "a.cu"}).DeviceOptimized);
}

TEST(OptionsTest, StopsBeforeLink) {
  for (llvm::StringRef Option : {"-c", "-E", "-S", "-M", "-MM", "-ptx",
                                 "-cubin", "--compile", "-fsyntax-only"})
    EXPECT_TRUE(parse({Option, "a.cu"}).StopsBeforeLink) << Option.str();
  for (llvm::StringRef Option : {"-MD", "-MMD", "-g", "-v"})
    EXPECT_FALSE(parse({Option, "a.cu"}).StopsBeforeLink) << Option.str();
}

TEST(OptionsTest, ErrorKindsOfNvcc) {
  EXPECT_THAT(textsOf({"-Werror", "all-warnings", "a.cu"}),
              ElementsAre("-Werror", "a.cu"));
  EXPECT_THAT(textsOf({"-Werror", "a.cu"}), ElementsAre("-Werror", "a.cu"));
  EXPECT_THAT(textsOf({"-Werror=all-warnings"}), ElementsAre("-Werror"));
  EXPECT_THAT(
      textsOf({"--Werror", "cross-execution-space-call,reorder", "a.cu"}),
      ElementsAre("-Xclang", "-plugin-arg-gridspan-host-calls", "-Xclang",
                  "error", "-Werror=reorder", "a.cu"));
  EXPECT_THAT(textsOf({"-Werror", "reorder,cross-execution-space-call"}),
              ElementsAre("-Werror=reorder", "-Xclang",
                          "-plugin-arg-gridspan-host-calls", "-Xclang",
                          "error"));
  EXPECT_THAT(textsOf({"-Werror=default-stream-launch"}), ElementsAre());
  EXPECT_THAT(textsOf({"-Werror=format"}), ElementsAre("-Werror=format"));
}

TEST(OptionsTest, SuppressedWarningsOfNvcc) {
  Request R = parse({"-diag-suppress", "20011,20014"});
  EXPECT_TRUE(R.Notes.empty());
  EXPECT_THAT(textsOf({"-diag-suppress=20011,20014"}),
              ElementsAre("-Xclang", "-plugin-arg-gridspan-host-calls",
                          "-Xclang", "silent"));
  EXPECT_THAT(textsOf({"--diag-suppress", "20011"}), ElementsAre());
}

TEST(OptionsTest, RelocatableDeviceCode) {
  for (const char *Spelling : {"-dc", "--device-c"}) {
    Request R = parse({Spelling, "a.cu"});
    EXPECT_TRUE(R.Relocatable && R.ObjectsOnly && R.StopsBeforeLink);
  }
  for (const char *Spelling : {"-dw", "--device-w"}) {
    Request R = parse({"-rdc=true", Spelling, "a.cu"});
    EXPECT_TRUE(!R.Relocatable && R.ObjectsOnly && R.StopsBeforeLink);
  }
  EXPECT_TRUE(parse({"-ewp", "a.cu"}).Relocatable);
  for (const char *Spelling :
       {"-rdc=true", "--relocatable-device-code=true", "-fgpu-rdc"})
    EXPECT_TRUE(parse({Spelling, "a.cu"}).Relocatable);
  EXPECT_FALSE(parse({"-rdc=false", "a.cu"}).Relocatable);
  EXPECT_TRUE(parse({"-lib", "a.cu", "-o", "x.a"}).Library);
  EXPECT_EQ(parse({"-lib", "-odir", "f", "b.cu"}).Output, "f/a.a");
  Request Link = parse({"-dlink", "a.o"});
  EXPECT_TRUE(Link.DeviceLink);
  EXPECT_EQ(Link.Output, "a_dlink.o");
  EXPECT_EQ(parse({"-dlink", "a.o", "-o", "x.o"}).Output, "x.o");
}

TEST(OptionsTest, ErrorsNameTheOption) {
  EXPECT_THAT(parse({"-arch"}).Error, HasSubstr("-arch: expects a value"));
  EXPECT_THAT(parse({"-arch=sm_60"}).Error, HasSubstr("-arch: sm_60"));
  EXPECT_THAT(parse({"-lib", "-dlink", "a.o"}).Error, HasSubstr("-dlink: "));
  for (const char *Code : {"b.ptx", "b.cubin", "b.fatbin"})
    EXPECT_THAT(parse({"-dlink", "a.o", Code}).Error, HasSubstr(Code));
  EXPECT_THAT(parse({"-rdc=maybe"}).Error, HasSubstr("-rdc: expected true"));
  EXPECT_THAT(parse({"-cudart=dynamic"}).Error, HasSubstr("-cudart: expected"));
  EXPECT_THAT(parse({"-ftz=maybe"}).Error, HasSubstr("-ftz: expected true"));
}

} // namespace
