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

#include "runtime/launch/LaunchCache.h"
#include "runtime/plan/ByteInterval.h"
#include "runtime/plan/LaunchArguments.h"
#include <algorithm>
#include <cstring>
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace gridspan {

/// The number of replaced entries that is worth taking the placement lock for.
static constexpr size_t ReclaimAt = 4096;

//===--- Keys -----------------------------------------------------------===//

/// What begin() appends.
static constexpr size_t WordsOfShape = 5;

void LaunchKey::append(const void *Data, size_t Bytes) {
  if (!Bytes)
    return;
  const size_t At = Words.size();
  Words.resize(At + (Bytes + 7) / 8, boost::container::default_init);
  Words.back() = 0;
  std::memcpy(Words.data() + At, Data, Bytes);
}

void LaunchKey::finish() {
  Hash = XXH3_64bits(Words.data(), Words.size() * sizeof(uint64_t));
}

void LaunchKey::begin(const GridspanKernel &Kernel, const LaunchShape &Shape,
                      Kind K) {
  const dim3 &G = Shape.Grid, &Bl = Shape.Block;
  append(reinterpret_cast<uintptr_t>(&Kernel));
  append(Shape.DynamicSharedBytes << 3 | unsigned(K) << 1 |
         unsigned(Shape.Cooperative));
  append(uint64_t(G.x) << 32 | G.y);
  append(uint64_t(G.z) << 32 | Bl.x);
  append(uint64_t(Bl.y) << 32 | Bl.z);
}

LaunchKey::LaunchKey(const GridspanKernel &Kernel, const LaunchShape &Shape) {
  begin(Kernel, Shape, ShapeOnly);
  finish();
}

LaunchKey::LaunchKey(const GridspanKernel &Kernel, const LaunchShape &Shape,
                     void *const *Args) {
  // Structs of kilobytes are copied once, not at every doubling.
  size_t NumWords = WordsOfShape;
  for (uint32_t I = 0; I < Kernel.NumParams; ++I)
    NumWords += (Kernel.Params[I].Size + 7) / 8;
  Words.reserve(NumWords);
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
    // Whether arguments are distinct depends on that too; see
    // ArgumentOverlap.h.
    const bool IsFirst = A && Pointer == A->base();
    // A pointer there may be for what is behind it.
    const bool IsLast =
        A && isAtEnd(static_cast<const std::byte *>(Pointer) - A->base(),
                     A->bytes());
    append(A ? reinterpret_cast<uintptr_t>(A) +
                   (Kernel.NoAliasStub && !IsFirst) + 2 * IsLast
             : uintptr_t(Pointer != nullptr));
  }
  finish();
}

LaunchKey LaunchKey::ofPointers(const GridspanKernel &Kernel,
                                const LaunchShape &Shape, void *const *Args) {
  LaunchKey Out;
  Out.begin(Kernel, Shape, Pointers);
  for (uint32_t I = 0; I < Kernel.NumPointers; ++I)
    Out.append(reinterpret_cast<uintptr_t>(
        pointerArgument(Kernel, Kernel.Pointers[I], Args)));
  Out.finish();
  return Out;
}

//===--- The table ------------------------------------------------------===//

LaunchCache::LaunchCache() : Table(std::make_unique<Set[]>(Sets)) {}

LaunchCache::~LaunchCache() { clear(); }

bool LaunchCache::matches(const Entry &E, const LaunchKey &Key) {
  return E.Hash == Key.hash() && std::ranges::equal(E.Key, Key.words());
}

const Decision *LaunchCache::find(const LaunchKey &Key) const {
  for (const std::atomic<const Entry *> &Way : setOf(Key.hash())) {
    const Entry *E = Way.load(std::memory_order_acquire);
    if (E && matches(*E, Key))
      return E->Value.get();
  }
  return nullptr;
}

void LaunchCache::insert(const LaunchKey &Key,
                         std::shared_ptr<const Decision> D) {
  auto New = std::make_unique<const Entry>(Entry{
      Key.hash(), {Key.words().begin(), Key.words().end()}, std::move(D)});
  MutexLock Guard(Lock);
  std::atomic<const Entry *> *Place = nullptr;
  for (std::atomic<const Entry *> &Way : setOf(Key.hash())) {
    const Entry *E = Way.load(std::memory_order_relaxed);
    if (E && matches(*E, Key)) {
      Place = &Way;
      break;
    }
    if (!E && !Place)
      Place = &Way;
  }
  if (!Place)
    Place = &setOf(Key.hash())[NextVictim++ % Ways];
  if (const Entry *Old = Place->exchange(New.release()))
    Replaced.emplace_back(Old);
  NumReplaced.store(Replaced.size(), std::memory_order_relaxed);
}

void LaunchCache::clear() {
  MutexLock Guard(Lock);
  for (size_t S = 0; S < Sets; ++S)
    for (std::atomic<const Entry *> &Way : Table[S])
      if (const Entry *Old = Way.exchange(nullptr))
        Replaced.emplace_back(Old);
  NumReplaced.store(Replaced.size(), std::memory_order_relaxed);
}

bool LaunchCache::wantsReclaim() const {
  return NumReplaced.load(std::memory_order_relaxed) >= ReclaimAt;
}

void LaunchCache::reclaim() {
  std::vector<std::unique_ptr<const Entry>> Free;
  MutexLock Guard(Lock);
  Free.swap(Replaced);
  NumReplaced.store(0, std::memory_order_relaxed);
}

} // namespace gridspan
