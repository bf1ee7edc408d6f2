//===- CodePagesTest.cpp - Code that is in memory before it runs ----------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// /proc/self/pagemap says which pages are mapped (proc_pid_pagemap(5)).
//
//===----------------------------------------------------------------------===//

#include "runtime/support/CodePages.h"
#include "runtime/support/FileDescriptor.h"
#include "gtest/gtest.h"
#include <cstdint>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace gridspan;

TEST(CodePages, AreMapped) {
  const auto Page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const uintptr_t Code = reinterpret_cast<uintptr_t>(&mapOwnCode) / Page * Page;
  if (madvise(reinterpret_cast<void *>(Code), Page, 22 /*MADV_POPULATE_READ*/))
    GTEST_SKIP() << "the kernel cannot map pages at once";
  mapOwnCode();
  const FileDescriptor Map(open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC));
  ASSERT_GE(Map.get(), 0);
  for (uintptr_t At = Code - 16 * Page; At != Code + 16 * Page; At += Page) {
    uint64_t Entry = 0;
    ASSERT_EQ(pread(Map.get(), &Entry, sizeof(Entry),
                    static_cast<off_t>(At / Page * sizeof(Entry))),
              static_cast<ssize_t>(sizeof(Entry)));
    EXPECT_TRUE(Entry >> 63) << "page " << At;
  }
}
