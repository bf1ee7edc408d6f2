//===- LowMemory.cpp - Memory at addresses of 32 bits ---------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Linux finds a low address by itself with MAP_32BIT on x86-64, within a part
// of the 4 GiB. Elsewhere, and where that part is full, addresses are tried in
// ascending order: MAP_FIXED_NOREPLACE takes one only if nothing is there.
//
//===----------------------------------------------------------------------===//

#include "runtime/support/LowMemory.h"
#include "runtime/support/ThreadSafety.h"
#include <cstdint>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>
#include <unordered_map>
#include <vector>

using namespace gridspan;

constexpr uint64_t End = uint64_t(1) << 32;
/// Programs that are not position-independent are below this.
constexpr uint64_t FirstTried = 64 << 20;
constexpr uint64_t TriedEvery = 1 << 20;

static char *mapAt(uint64_t Address, size_t Bytes, int Flags) {
  void *Out =
      mmap(reinterpret_cast<void *>(Address), Bytes, PROT_READ | PROT_WRITE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | Flags, -1, 0);
  if (Out == MAP_FAILED)
    return nullptr;
  if (reinterpret_cast<uintptr_t>(Out) + Bytes <= End)
    return static_cast<char *>(Out);
  // A kernel that does not know the flag takes the address for a hint.
  munmap(Out, Bytes);
  return nullptr;
}

/// Returns whole pages of zeros; null if there are none.
static char *mapLow(size_t Bytes) {
  if (Bytes > End - FirstTried)
    return nullptr;
#ifdef MAP_32BIT
  if (char *Out = mapAt(0, Bytes, MAP_32BIT))
    return Out;
#endif
  for (uint64_t At = FirstTried; At + Bytes <= End; At += TriedEvery)
    if (char *Out = mapAt(At, Bytes, MAP_FIXED_NOREPLACE))
      return Out;
  return nullptr;
}

namespace {

/// Memory that was given back, by its size.
class FreedMemory {
public:
  static FreedMemory &get() {
    // Never destroyed: threads may run while the process ends.
    static auto &Freed = *new FreedMemory;
    return Freed;
  }

  char *take(size_t Bytes) {
    MutexLock Guard(Lock);
    auto It = BySize.find(Bytes);
    if (It == BySize.end() || It->second.empty())
      return nullptr;
    char *Out = It->second.back();
    It->second.pop_back();
    Kept -= Bytes;
    return Out;
  }
  void put(char *Begin, size_t Bytes) {
    {
      MutexLock Guard(Lock);
      if (Kept + Bytes <= MostKept) {
        BySize[Bytes].push_back(Begin);
        Kept += Bytes;
        return;
      }
    }
    munmap(Begin, Bytes);
  }

private:
  static constexpr size_t MostKept = 64 << 20;

  Mutex Lock;
  std::unordered_map<size_t, std::vector<char *>> BySize GUARDED_BY(Lock);
  size_t Kept GUARDED_BY(Lock) = 0;
};

} // namespace

LowMemory::LowMemory(size_t Wanted) {
  static const size_t Page = sysconf(_SC_PAGESIZE);
  if (Wanted >= End)
    return;
  const size_t Whole = (Wanted + Page - 1) / Page * Page;
  Begin = FreedMemory::get().take(Whole);
  if (Begin)
    std::memset(Begin, 0, Whole);
  else
    Begin = mapLow(Whole);
  if (Begin)
    Bytes = Whole;
}

LowMemory::~LowMemory() {
  if (Begin)
    FreedMemory::get().put(Begin, Bytes);
}
