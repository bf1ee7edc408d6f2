//===- LaunchCache.cpp - Launches that were decided before ----------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//===----------------------------------------------------------------------===//

#include "LaunchCache.h"
#include <cstring>

namespace gridspan {

/// Programs whose arguments always change fill the cache with what is never
/// asked for again.
static constexpr size_t MaxEntries = 4096;

static std::vector<std::byte> &scratch() {
  thread_local std::vector<std::byte> Bytes;
  Bytes.clear();
  return Bytes;
}

/// Word-wise multiply and fold; keys are compared in full, so that collisions
/// only cost time.
static uint64_t hashOf(const std::byte *Data, size_t Size) {
  uint64_t Hash = 0x9e3779b97f4a7c15ULL ^ Size;
  auto Mix = [&](uint64_t Word) {
    Hash = (Hash ^ Word) * 0xff51afd7ed558ccdULL;
    Hash ^= Hash >> 32;
  };
  for (; Size >= 8; Data += 8, Size -= 8) {
    uint64_t Word;
    std::memcpy(&Word, Data, 8);
    Mix(Word);
  }
  uint64_t Rest = 0;
  std::memcpy(&Rest, Data, Size);
  Mix(Rest);
  return Hash;
}

void LaunchKey::append(const void *Data, size_t Size) {
  const auto *From = static_cast<const std::byte *>(Data);
  Bytes.insert(Bytes.end(), From, From + Size);
}

LaunchKey::LaunchKey(const GridspanKernel &Kernel, const LaunchShape &Shape,
                     void *const *Args)
    : Bytes(scratch()) {
  const GridspanKernel *Address = &Kernel;
  const size_t Shared = Shape.DynamicSharedBytes << 1 | Shape.Cooperative;
  append(&Address, sizeof(Address));
  append(&Shape.Grid, sizeof(Shape.Grid));
  append(&Shape.Block, sizeof(Shape.Block));
  append(&Shared, sizeof(Shared));
  for (uint32_t I = 0; Args && I < Kernel.NumParams; ++I)
    append(Args[I], Kernel.Params[I].Size);
  Hash = hashOf(Bytes.data(), Bytes.size());
}

std::shared_ptr<const Decision> LaunchCache::find(const LaunchKey &Key) {
  std::unique_lock Guard(Lock);
  auto It = Table.find(Key.hash());
  if (It == Table.end() || It->second.Key != Key.bytes())
    return nullptr;
  return It->second.What;
}

void LaunchCache::insert(const LaunchKey &Key,
                         std::shared_ptr<const Decision> D) {
  std::unique_lock Guard(Lock);
  if (Table.size() >= MaxEntries)
    Table.clear();
  Table.insert_or_assign(Key.hash(), Entry{Key.bytes(), std::move(D)});
}

void LaunchCache::clear() {
  std::unique_lock Guard(Lock);
  Table.clear();
}

} // namespace gridspan
