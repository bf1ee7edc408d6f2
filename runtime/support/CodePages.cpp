//===- CodePages.cpp - Code that is in memory before it runs --------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The code is the executable segment that this function is in. Of a large
// program it is what is near: an archive's members are linked side by side.
//
//===----------------------------------------------------------------------===//

#include "runtime/support/CodePages.h"
#include <algorithm>
#include <cstdint>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22 // Linux 5.14
#endif

namespace gridspan {

/// On either side of this function.
static constexpr uintptr_t MostBytes = uintptr_t(4) << 20;

static int mapSegment(dl_phdr_info *Module, size_t, void *Code) {
  const auto At = reinterpret_cast<uintptr_t>(Code);
  for (unsigned I = 0; I != Module->dlpi_phnum; ++I) {
    const ElfW(Phdr) &Segment = Module->dlpi_phdr[I];
    const uintptr_t Lo = Module->dlpi_addr + Segment.p_vaddr;
    const uintptr_t Hi = Lo + Segment.p_memsz;
    if (Segment.p_type != PT_LOAD || !(Segment.p_flags & PF_X) || At < Lo ||
        At >= Hi)
      continue;
    const auto Page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
    const uintptr_t First = std::max(Lo, At - std::min(At, MostBytes));
    const uintptr_t Begin = First / Page * Page;
    // An older kernel refuses, and each page is mapped when it is used.
    (void)madvise(reinterpret_cast<void *>(Begin),
                  std::min(Hi, At + MostBytes) - Begin, MADV_POPULATE_READ);
    return 1;
  }
  return 0;
}

void mapOwnCode() {
  dl_iterate_phdr(mapSegment, reinterpret_cast<void *>(&mapOwnCode));
}

} // namespace gridspan
