//===- LaunchCache.cpp - Launches that were decided before ----------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A set-associative table of pointers to entries that never change. Programs
// whose arguments always change fill it with what is never asked for again;
// then the entries of a set replace each other in turn.
//
//===----------------------------------------------------------------------===//

#include "LaunchCache.h"
#include "LaunchArguments.h"
#include <cstring>

namespace gridspan {

/// Replaced entries are worth taking the placement for when they are so many.
static constexpr size_t ReclaimAt = 4096;

//===--- Keys -----------------------------------------------------------===//

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

void LaunchKey::begin(const GridspanKernel &Kernel, const LaunchShape &Shape,
                      Kind K) {
  struct {
    const GridspanKernel *Kernel;
    size_t Shared;
    dim3 Grid;
    dim3 Block;
  } const Fixed = {&Kernel,
                   Shape.DynamicSharedBytes << 3 | unsigned(K) << 1 |
                       unsigned(Shape.Cooperative),
                   Shape.Grid, Shape.Block};
  static_assert(sizeof(Fixed) == 16 + 2 * sizeof(dim3), "no padding");
  append(&Fixed, sizeof(Fixed));
}

void LaunchKey::finish() { Hash = hashOf(Bytes.data(), Bytes.size()); }

LaunchKey::LaunchKey(const GridspanKernel &Kernel, const LaunchShape &Shape) {
  begin(Kernel, Shape, ShapeOnly);
  finish();
}

LaunchKey::LaunchKey(const GridspanKernel &Kernel, const LaunchShape &Shape,
                     void *const *Args) {
  begin(Kernel, Shape, AllArguments);
  for (uint32_t I = 0; I < Kernel.NumParams; ++I)
    append(Args[I], Kernel.Params[I].Size);
  finish();
}

LaunchKey::LaunchKey(const GridspanKernel &Kernel, const LaunchShape &Shape,
                     void *const *Args, const MemoryManager &Memory) {
  begin(Kernel, Shape, Allocations);
  for (uint32_t I = 0; I < Kernel.NumPointers; ++I) {
    const void *Pointer = pointerArgument(Kernel, Kernel.Pointers[I], Args);
    // Memory that is not ours is all the same to a plan; null is not.
    const auto *A = Pointer ? Memory.peek(Pointer) : nullptr;
    const uintptr_t Word =
        A ? reinterpret_cast<uintptr_t>(A) : uintptr_t(Pointer != nullptr);
    append(&Word, sizeof(Word));
  }
  finish();
}

//===--- The table ------------------------------------------------------===//

LaunchCache::LaunchCache() : Table(std::make_unique<Set[]>(Sets)) {}

LaunchCache::~LaunchCache() { clear(); }

bool LaunchCache::matches(const Entry &E, const LaunchKey &Key) {
  return E.Hash == Key.hash() && E.Key.size() == Key.size() &&
         std::memcmp(E.Key.data(), Key.data(), Key.size()) == 0;
}

const Decision *LaunchCache::find(const LaunchKey &Key) const {
  for (const std::atomic<const Entry *> &Slot : setOf(Key.hash())) {
    const Entry *E = Slot.load(std::memory_order_acquire);
    if (E && matches(*E, Key))
      return E->What.get();
  }
  return nullptr;
}

void LaunchCache::insert(const LaunchKey &Key,
                         std::shared_ptr<const Decision> D) {
  auto New = std::make_unique<const Entry>(
      Entry{Key.hash(), {Key.data(), Key.data() + Key.size()}, std::move(D)});
  std::unique_lock Guard(Lock);
  std::atomic<const Entry *> *Place = nullptr;
  for (std::atomic<const Entry *> &Slot : setOf(Key.hash())) {
    const Entry *E = Slot.load(std::memory_order_relaxed);
    if (E && matches(*E, Key)) {
      Place = &Slot;
      break;
    }
    if (!E && !Place)
      Place = &Slot;
  }
  if (!Place)
    Place = &setOf(Key.hash())[NextVictim++ % Ways];
  if (const Entry *Old = Place->exchange(New.release()))
    Replaced.emplace_back(Old);
  NumReplaced.store(Replaced.size(), std::memory_order_relaxed);
}

void LaunchCache::clear() {
  std::unique_lock Guard(Lock);
  for (size_t S = 0; S < Sets; ++S)
    for (std::atomic<const Entry *> &Slot : Table[S])
      if (const Entry *Old = Slot.exchange(nullptr))
        Replaced.emplace_back(Old);
  NumReplaced.store(Replaced.size(), std::memory_order_relaxed);
}

bool LaunchCache::wantsReclaim() const {
  return NumReplaced.load(std::memory_order_relaxed) >= ReclaimAt;
}

void LaunchCache::reclaim() {
  std::vector<std::unique_ptr<const Entry>> Free;
  std::unique_lock Guard(Lock);
  Free.swap(Replaced);
  NumReplaced.store(0, std::memory_order_relaxed);
}

} // namespace gridspan
