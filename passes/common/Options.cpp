//===- Options.cpp - Options of the plugin --------------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Defaults and descriptions; clang takes the options with -mllvm.
//
//===----------------------------------------------------------------------===//

#include "passes/common/Options.h"

using namespace llvm;

namespace gridspan {

cl::opt<bool> SplitOption("gridspan-split", cl::init(true),
                          cl::desc("Make grids splittable over devices"));
cl::opt<bool> NoAliasOption(
    "gridspan-noalias", cl::init(true),
    cl::desc("Compile kernels for arguments that do not overlap as well"));
cl::opt<bool> CpuOption("gridspan-cpu", cl::init(true),
                        cl::desc("Compile kernels for the CPU device too"));
cl::opt<bool> CpuNoAliasOption(
    "gridspan-cpu-noalias", cl::init(false),
    cl::desc("Compile clones for distinct arguments for the CPU device too"));
cl::opt<bool> CpuTraceOption(
    "gridspan-cpu-trace", cl::init(true),
    cl::desc("Compile kernels that record their accesses for the CPU device"));
cl::opt<bool> CpuAvx512Option(
    "gridspan-cpu-avx512", cl::init(false),
    cl::desc("Compile kernels for CPU devices with AVX-512 too"));
cl::opt<unsigned> CpuLimitOption(
    "gridspan-cpu-limit", cl::init(250000),
    cl::desc("Instructions of a file's kernels, smallest first, that are "
             "optimized for the CPU device"));
cl::opt<unsigned> CpuWideLimitOption(
    "gridspan-cpu-wide-limit", cl::init(2000),
    cl::desc("Instructions from which on kernels for the CPU device have code "
             "for wider vectors only if many are floating point operations"));

cl::opt<LayoutUse> LayoutOption(
    "gridspan-layout", cl::init(LayoutUse::Keep),
    cl::desc("What becomes of arrays of structs in device memory"),
    cl::values(clEnumValN(LayoutUse::Keep, "keep", "They stay as they are"),
               clEnumValN(LayoutUse::Apply, "apply",
                          "Launches that gain keep an array for each field"),
               clEnumValN(LayoutUse::Auto, "auto",
                          "The same, where launches save what it takes")));

} // namespace gridspan
