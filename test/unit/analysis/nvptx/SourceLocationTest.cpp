//===- SourceLocationTest.cpp - Where the user wrote it -------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/nvptx/SourceLocation.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"
#include <gtest/gtest.h>

using namespace llvm;
using namespace gridspan;

TEST(SourceLocationTest, TellsFilesOfTheSystemByTheirPaths) {
  for (StringRef Path :
       {"/usr/include/math.h", "/usr/local/include/cuda_fp16.hpp",
        "/usr/lib/llvm-19/lib/clang/19/include/__clang_cuda_intrinsics.h",
        "/home/me/llvm/lib/clang/19/include/__clang_cuda_math.h",
        "/opt/nvidia/13.0/include/curand_kernel.h",
        "/home/me/cuda-13.0/include/cccl/cub/block/block_reduce.cuh",
        "/home/me/cuda/targets/x86_64-linux/include/cuda_fp16.hpp",
        "/home/me/gridspan/lib/gridspan/include/gridspan/algorithm.h"})
    EXPECT_TRUE(isSystemFile(Path)) << Path.str();
  for (StringRef Path :
       {"a.cu", "include/cuda_helpers.h", "../usr/include/a.h",
        "/home/me/include/a.h", "/home/me/cuda-app/include/a.h",
        "/home/me/cudart/include/a.h", "/usr/src/app/a.cu",
        "/home/me/cuda/a.cu"})
    EXPECT_FALSE(isSystemFile(Path)) << Path.str();
}

namespace {

/// A kernel with five loads: in the kernel, in a function of the user's that
/// was inlined, in one of the compiler's that the latter calls, in one of the
/// compiler's only, and in a line that was merged of several of that function.
constexpr char Text[] = R"(
define void @k(ptr %p) !dbg !4 {
  %a = load i32, ptr %p, !dbg !10
  %b = load i32, ptr %p, !dbg !11
  %c = load i32, ptr %p, !dbg !12
  %d = load i32, ptr %p, !dbg !14
  %e = load i32, ptr %p, !dbg !15
  %f = load i32, ptr %p
  ret void, !dbg !10
}
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!20}
!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus_14, file: !1,
     producer: "", isOptimized: true, runtimeVersion: 0,
     emissionKind: LineTablesOnly)
!1 = !DIFile(filename: "a.cu", directory: "/home/me")
!2 = !DIFile(filename: "b.h", directory: "/home/me")
!3 = !DIFile(filename: "/usr/lib/clang/19/include/c.h", directory: "")
!4 = distinct !DISubprogram(name: "k", file: !1, line: 1, type: !8, unit: !0,
     spFlags: DISPFlagDefinition)
!5 = distinct !DISubprogram(name: "f", file: !2, line: 1, type: !8, unit: !0,
     spFlags: DISPFlagDefinition)
!6 = distinct !DISubprogram(name: "g", file: !3, line: 1, type: !8, unit: !0,
     spFlags: DISPFlagDefinition)
!7 = distinct !DISubprogram(name: "h", file: !3, line: 30, type: !8, unit: !0,
     spFlags: DISPFlagDefinition)
!8 = !DISubroutineType(types: !9)
!9 = !{}
!10 = !DILocation(line: 5, column: 1, scope: !4)
!11 = !DILocation(line: 6, column: 2, scope: !5, inlinedAt: !10)
!12 = !DILocation(line: 7, column: 3, scope: !6, inlinedAt: !11)
!13 = distinct !DILocation(line: 8, column: 4, scope: !4)
!14 = !DILocation(line: 9, column: 5, scope: !7, inlinedAt: !13)
!15 = !DILocation(line: 0, scope: !5, inlinedAt: !13)
!20 = !{i32 2, !"Debug Info Version", i32 3}
)";

} // namespace

TEST(SourceLocationTest, IsTheInnermostOfTheUsers) {
  LLVMContext Context;
  SMDiagnostic Error;
  const std::unique_ptr<Module> M = parseAssemblyString(Text, Error, Context);
  ASSERT_TRUE(M) << Error.getMessage().str();
  std::vector<std::string> Places;
  for (const Instruction &I : instructions(*M->getFunction("k")))
    Places.push_back(sourceLocation(I));
  EXPECT_EQ(Places,
            (std::vector<std::string>{"a.cu:5:1", "b.h:6:2", "b.h:6:2",
                                      "a.cu:8:4", "a.cu:8:4", "", "a.cu:5:1"}));
}
