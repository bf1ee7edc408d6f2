//===- DeviceBarriers.cpp - mbarriers of lowered device code --------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The C functions behind passes/cpu/CpuMbarrier.cpp. The threads of a block are
// on one host thread, so a barrier's word needs no atomic access.
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/cpu/BlockScheduler.h"
#include "runtime/backend/cpu/calls/MemoryBarrier.h"
#include <cassert>

using namespace gridspan;

// Visible, so that programs may take them from libgridspan.so.
#define GRIDSPAN_DEVICE_FUNCTION                                               \
  extern "C" __attribute__((visibility("default")))
#define GRIDSPAN_DEVICE_CALL extern "C" __attribute__((visibility("hidden")))

GRIDSPAN_DEVICE_FUNCTION void __gridspan_cpu_mbarrier_init(uint64_t *Word,
                                                           uint32_t Count) {
  *Word = makeMemoryBarrier(Count);
}

GRIDSPAN_DEVICE_FUNCTION uint64_t __gridspan_cpu_mbarrier_arrive(
    uint64_t *Word, uint32_t Count, int32_t Bytes, uint32_t Drops) {
  const uint64_t Before = *Word;
  MemoryBarrier Barrier = MemoryBarrier::unpack(Before);
  Barrier.arrive(Count, Bytes, Drops != 0);
  *Word = Barrier.pack();
  return Before;
}

GRIDSPAN_DEVICE_FUNCTION void __gridspan_cpu_mbarrier_transfer(uint64_t *Word,
                                                               int32_t Bytes) {
  MemoryBarrier Barrier = MemoryBarrier::unpack(*Word);
  Barrier.transfer(Bytes);
  *Word = Barrier.pack();
}

/// Returns IsDone() at once if it holds, else after the other threads of the
/// block have had a turn.
template <typename Fn>
static uint32_t test(const GridspanCpuBlock *B, Fn IsDone) {
  if (IsDone())
    return 1;
  ScheduledBlock *Scheduled = BlockState::of(B).Scheduled;
  assert(Scheduled && "code that tests is never run in a loop");
  Scheduled->yield();
  return IsDone();
}

GRIDSPAN_DEVICE_CALL uint32_t __gridspan_own_cpu_mbarrier_test(
    const GridspanCpuBlock *B, const uint64_t *Word, uint64_t Before) {
  return test(B, [&] { return isPhaseComplete(*Word, Before); });
}

GRIDSPAN_DEVICE_CALL uint32_t __gridspan_own_cpu_mbarrier_test_parity(
    const GridspanCpuBlock *B, const uint64_t *Word, uint32_t Parity) {
  return test(B, [&] { return isParityComplete(*Word, Parity); });
}
