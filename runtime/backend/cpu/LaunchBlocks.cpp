//===- LaunchBlocks.cpp - Blocks that workers share -----------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A range is a quarter of a worker's share of what is left. So neighbouring
// blocks mostly run on one thread, one after the other, and no thread has much
// left to do when the others have ended.
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/cpu/LaunchBlocks.h"
#include <algorithm>
#include <cstdio>

namespace gridspan {

LaunchBlocks::Range LaunchBlocks::take() {
  uint64_t Begin = Next.load();
  while (Begin < End) {
    const uint64_t Count =
        Workers == 1 ? End - Begin
                     : std::max<uint64_t>(1, (End - Begin) / (4ULL * Workers));
    if (Next.compare_exchange_weak(Begin, Begin + Count))
      return {Begin, Begin + Count};
  }
  return {};
}

void LaunchBlocks::fail(uint64_t Block) {
  uint64_t First = FirstFailed.load();
  while (Block < First && !FirstFailed.compare_exchange_weak(First, Block)) {
  }
}

void LaunchBlocks::print(uint64_t Block, std::string_view Text) {
  constexpr size_t WriteAt = 16 << 20;
  MutexLock Guard(Lock);
  Bytes += Text.size();
  Output[Block] += Text;
  if (Bytes > WriteAt)
    write();
}

void LaunchBlocks::flush() {
  MutexLock Guard(Lock);
  write();
}

void LaunchBlocks::write() {
  if (Output.empty())
    return;
  for (const auto &[Block, Text] : Output)
    std::fwrite(Text.data(), 1, Text.size(), stdout);
  std::fflush(stdout);
  Output.clear();
  Bytes = 0;
}

} // namespace gridspan
