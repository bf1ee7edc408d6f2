//===- CodePages.h - Code that is in memory before it runs ------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The first launch of a program runs hundreds of pages of the runtime's code
// for the first time, and each is a page fault by itself. Mapped at once, while
// the runtime starts, they take a fraction of that.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_SUPPORT_CODEPAGES_H
#define GRIDSPAN_RUNTIME_SUPPORT_CODEPAGES_H

namespace gridspan {

/// Maps the pages of the runtime's code, if the kernel can do that at once.
void mapOwnCode();

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_SUPPORT_CODEPAGES_H
