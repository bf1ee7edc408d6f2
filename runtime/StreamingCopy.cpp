//===- StreamingCopy.cpp - memcpy past the caches -------------------------===//
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
//===----------------------------------------------------------------------===//

#include "StreamingCopy.h"
#include <algorithm>
#include <cstdint>
#include <cstring>

namespace gridspan {

using Vector = long long __attribute__((vector_size(16)));
static constexpr size_t Line = 64;
static constexpr size_t VectorsPerLine = Line / sizeof(Vector);

void streamingCopy(std::byte *Dst, const std::byte *Src, size_t Bytes) {
  const size_t Head =
      std::min<size_t>(Bytes, -reinterpret_cast<uintptr_t>(Dst) % Line);
  std::memcpy(Dst, Src, Head);
  size_t At = Head;
  for (; At + Line <= Bytes; At += Line) {
    Vector V[VectorsPerLine];
    std::memcpy(V, Src + At, Line);
    auto *To = reinterpret_cast<Vector *>(Dst + At);
    for (size_t I = 0; I < VectorsPerLine; ++I)
      __builtin_nontemporal_store(V[I], To + I);
  }
  std::memcpy(Dst + At, Src + At, Bytes - At);
#if defined(__x86_64__)
  __builtin_ia32_sfence();
#endif
}

} // namespace gridspan
