//===- cuda.h - The toolkit's, or the program's -----------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// clang's first header includes "cuda.h" and would take a program's own header
// of that name. gridspan++ names this folder by -iquote, so this file comes
// before those in folders named by -I. While clang's header is read it stands
// for the toolkit's, which has been included; later it gives way to the next.
//
//===----------------------------------------------------------------------===//

#ifndef __GRIDSPAN_CLANGS_HEADER
#include_next "cuda.h"
#endif
