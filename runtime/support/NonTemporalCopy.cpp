//===- NonTemporalCopy.cpp - memcpy past the caches -----------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Non-temporal stores are not ordered with others on x86: the fence at the end
// makes them so (Intel 64 and IA-32 Architectures Software Developer's Manual,
// volume 1, 10.4.6.2).
//
// Four pages are copied at once, a line or two of each in turn: the processor
// then follows four sequences of reads, which one thread alone gains a third
// from, and sixteen an eighth; with vectors of 64 bytes, a quarter
// (bench/results).
//
//===----------------------------------------------------------------------===//

#include "runtime/support/NonTemporalCopy.h"
#include <algorithm>
#include <cstdint>
#include <cstring>

namespace gridspan {

static constexpr size_t Line = 64;
static constexpr size_t Page = 4096;
static constexpr size_t PagesAtOnce = 4;

using Vector16 = long long __attribute__((vector_size(16)));
using Vector64 = long long __attribute__((vector_size(64)));

/// Copies Step bytes to whole lines.
template <typename Vector, size_t Step>
[[gnu::always_inline]] static inline void copyStep(std::byte *Dst,
                                                   const std::byte *Src) {
  Vector V[Step / sizeof(Vector)];
  std::memcpy(V, Src, Step);
  auto *To = reinterpret_cast<Vector *>(Dst);
  for (size_t I = 0; I < Step / sizeof(Vector); ++I)
    __builtin_nontemporal_store(V[I], To + I);
}

/// Copies whole lines to whole lines.
template <typename Vector, size_t Step>
[[gnu::always_inline]] static inline void
copyLines(std::byte *Dst, const std::byte *Src, size_t Bytes) {
  size_t At = 0;
  for (; At + PagesAtOnce * Page <= Bytes; At += PagesAtOnce * Page)
    for (size_t In = 0; In < Page; In += Step)
      for (size_t P = 0; P < PagesAtOnce; ++P)
        copyStep<Vector, Step>(Dst + At + P * Page + In,
                               Src + At + P * Page + In);
  for (; At < Bytes; At += Line)
    copyStep<Vector, Line>(Dst + At, Src + At);
}

static void copyNarrow(std::byte *Dst, const std::byte *Src, size_t Bytes) {
  copyLines<Vector16, Line>(Dst, Src, Bytes);
}

#if defined(__x86_64__)
[[gnu::target("avx512f")]] static void
copyWide(std::byte *Dst, const std::byte *Src, size_t Bytes) {
  copyLines<Vector64, 2 * Line>(Dst, Src, Bytes);
}
#endif

void nonTemporalCopy(std::byte *Dst, const std::byte *Src, size_t Bytes) {
  const size_t Head =
      std::min<size_t>(Bytes, -reinterpret_cast<uintptr_t>(Dst) % Line);
  std::memcpy(Dst, Src, Head);
  const size_t Lines = (Bytes - Head) / Line * Line;
#if defined(__x86_64__)
  static const bool Wide = __builtin_cpu_supports("avx512f");
  (Wide ? copyWide : copyNarrow)(Dst + Head, Src + Head, Lines);
  __builtin_ia32_sfence();
#else
  copyNarrow(Dst + Head, Src + Head, Lines);
#endif
  std::memcpy(Dst + Head + Lines, Src + Head + Lines, Bytes - Head - Lines);
}

} // namespace gridspan
