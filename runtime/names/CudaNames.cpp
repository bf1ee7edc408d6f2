//===- CudaNames.cpp - CUDA's names for Gridspan's functions --------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Defines each function of CudaApi.def under CUDA's name, as a jump to
// Gridspan's. A linker that is not run by gridspan++ gets these before the CUDA
// runtime, so that objects of any compiler reach Gridspan. The runtime and the
// CUDA runtime that go with them know the real functions as
// __gridspan_real_<name> (tools/gridspan++/ToolkitLibraries.h).
//
// Weak, because a program may define a function of such a name; hidden, because
// a shared library must not give its own to others.
//
//===----------------------------------------------------------------------===//

#define GRIDSPAN_JUMP(Name)                                                    \
  asm(".pushsection .text." Name ",\"ax\",@progbits\n"                         \
      ".weak " Name "\n"                                                       \
      ".hidden " Name "\n"                                                     \
      ".type " Name ",@function\n" Name ":\n"                                  \
      "jmp __gridspan_" Name "@PLT\n"                                          \
      ".size " Name ", . - " Name "\n"                                         \
      ".popsection\n");
#define GRIDSPAN_API(Name) GRIDSPAN_JUMP(#Name)
#define GRIDSPAN_API_PT(Name, Suffix) GRIDSPAN_JUMP(#Name #Suffix)
#include "gridspan/CudaApi.def"
