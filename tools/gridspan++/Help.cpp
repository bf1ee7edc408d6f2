//===- Help.cpp - The text of --help --------------------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Names the options that most users need, in 80 columns; the guide has all.
//
//===----------------------------------------------------------------------===//

#include "tools/gridspan++/Options.h"

using namespace llvm;

StringRef gridspan::helpText() {
  return R"(Usage: gridspan++ [options] file...

Compiles CUDA programs with clang and Gridspan. Takes the options of clang++ and
the common ones of nvcc. Without -O, -O2 is meant (with -g: for kernels only).

  -arch=sm_90, -gencode arch=..,code=..   architectures; default: the GPUs of
                       this machine, else sm_90 (also: native, all, all-major)
  -lineinfo, -G        line numbers / debugging of device code
  -Xcompiler x[,y]     options for host code
  -Xptxas x, -Xlinker x, -maxrregcount n, --use_fast_math, -cudart static|shared
  -gridspan-runtime static|shared   Gridspan's runtime; default: as -cudart
  -dc, -rdc=true, -dlink, -lib   relocatable device code, its link, archives
  -ptx, -cubin         device code only, without Gridspan
  -fno-gridspan        plain CUDA: no analysis, no runtime
  -fno-gridspan-pch    no precompiled headers
  -fno-gridspan-primitives
                       calls of CUB and Thrust stay as they are
  -Rpass=gridspan      say which kernels may be split over several devices
  -Rpass-missed=gridspan   say which may not, and why
  --cuda-path=dir      the CUDA Toolkit to use
  --print-flags        print the clang flags that compile a .cu file, and stop
  --print-link-flags   print the flags that link a program, and stop
  --print-compile-inputs   print the files that compilations depend on beside
                       their sources, for ccache's extra_files_to_hash
  --print-toolkit      print a folder like the CUDA Toolkit's, for makefiles:
                       its nvcc is gridspan++, its CUDA runtime Gridspan's
  -v, --dryrun         print the commands / print them only
  --help, --version

Environment: GRIDSPAN_CLANG (the clang++ to use), GRIDSPAN_CACHE_DIR, CUDA_PATH.
)";
}
