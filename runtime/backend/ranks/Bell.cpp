//===- Bell.cpp - Wakes the thread of a rank ------------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// futex(2), without FUTEX_PRIVATE_FLAG: the ringer may be another process.
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/ranks/Bell.h"
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace gridspan::ranks {

void Bell::ring() {
  ++std::atomic_ref(Rings);
  if (std::atomic_ref(Sleeps).load())
    (void)syscall(SYS_futex, &Rings, FUTEX_WAKE, 1, nullptr, nullptr, 0);
}

void Bell::sleep(uint32_t Known, std::chrono::nanoseconds Longest) {
  const timespec Time = {Longest.count() / 1000000000,
                         Longest.count() % 1000000000};
  std::atomic_ref(Sleeps).store(1);
  (void)syscall(SYS_futex, &Rings, FUTEX_WAIT, Known, &Time, nullptr, 0);
  std::atomic_ref(Sleeps).store(0);
}

} // namespace gridspan::ranks
