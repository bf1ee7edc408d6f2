//===- ProcessEnd.cpp - When the process is about to end ------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is registered with atexit() last runs first. The function that is
// registered here belongs to the copy of the runtime that serves the process,
// which is never unloaded, so that it does not run when some library is. The
// dynamic linker lists the program before all libraries.
//
//===----------------------------------------------------------------------===//

#include "runtime/support/ProcessEnd.h"
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <link.h>

namespace gridspan {

static std::atomic<bool> Ending{false};

bool isProcessEnding() { return Ending.load(std::memory_order_relaxed); }

void noteProcessEnd() {
  // Without memory for it modules are taken for unloaded, as they may be.
  (void)std::atexit([] { Ending.store(true, std::memory_order_relaxed); });
}

bool isOfProgram(const void *Address) {
  struct Question {
    uintptr_t Address;
    bool Answer;
  } Q = {reinterpret_cast<uintptr_t>(Address), false};
  dl_iterate_phdr(
      [](dl_phdr_info *Info, size_t, void *Data) {
        auto &Q = *static_cast<Question *>(Data);
        for (unsigned I = 0; I != Info->dlpi_phnum; ++I) {
          const ElfW(Phdr) &Segment = Info->dlpi_phdr[I];
          if (Segment.p_type == PT_LOAD &&
              Q.Address - (Info->dlpi_addr + Segment.p_vaddr) < Segment.p_memsz)
            Q.Answer = true;
        }
        return 1;
      },
      &Q);
  return Q.Answer;
}

} // namespace gridspan
