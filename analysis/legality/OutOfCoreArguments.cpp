//===- OutOfCoreArguments.cpp - Which arguments can be streamed -----------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//===----------------------------------------------------------------------===//

#include "analysis/legality/OutOfCoreArguments.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace gridspan {

StringRef streamingRefusalName(StreamingRefusal R) {
  static const char *const Names[] = {
#define GRIDSPAN_STREAMING_REFUSAL(Kind, Name, Text) Name,
#include "analysis/legality/OutOfCoreArguments.def"
  };
  return Names[static_cast<unsigned>(R)];
}

StringRef streamingRefusalText(StreamingRefusal R) {
  static const char *const Texts[] = {
#define GRIDSPAN_STREAMING_REFUSAL(Kind, Name, Text) Text,
#include "analysis/legality/OutOfCoreArguments.def"
  };
  return Texts[static_cast<unsigned>(R)];
}

/// Whether no launch knows where the access is.
static bool isUnknown(const AccessSummary &A) {
  return !A.Why.empty() && A.Inspected == NoExpr;
}

SmallVector<NotStreamed, 4> findNotStreamed(const KernelSummary &K) {
  SmallVector<NotStreamed, 4> Out;
  const uint32_t NumAccesses = K.Accesses.size();
  auto First = [&](auto Is) {
    return uint32_t(find_if(K.Accesses, Is) - K.Accesses.begin());
  };
  const uint32_t Anywhere =
      First([](const AccessSummary &A) { return A.Pointer < 0; });
  if (Anywhere != NumAccesses)
    Out.push_back({StreamingRefusal::UnknownPointer, -1, Anywhere});
  for (int I = 0, E = K.Pointers.size(); I != E; ++I) {
    const PointerSummary &P = K.Pointers[I];
    if (P.Modes == 0)
      continue;
    if (!P.Redirectable && !P.Replicable) {
      Out.push_back({StreamingRefusal::PointerEscapes, I, NumAccesses});
      continue;
    }
    const uint32_t Atomic = First([&](const AccessSummary &A) {
      return A.Pointer == I && A.Mode == GridspanAtomic && isUnknown(A);
    });
    if (Atomic != NumAccesses) {
      Out.push_back({StreamingRefusal::UnknownAtomics, I, Atomic});
      continue;
    }
    const uint32_t Unknown = First(
        [&](const AccessSummary &A) { return A.Pointer == I && isUnknown(A); });
    if (Unknown != NumAccesses)
      Out.push_back({StreamingRefusal::UnknownRange, I, Unknown});
  }
  return Out;
}

} // namespace gridspan
