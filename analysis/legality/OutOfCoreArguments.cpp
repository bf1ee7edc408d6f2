//===- OutOfCoreArguments.cpp - Arguments out of core ---------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Looks at the summary only. The order of the checks is that in which a launch
// makes its own: memory without a base, pointers that are more than addresses,
// atomics, ranges.
//
//===----------------------------------------------------------------------===//

#include "analysis/legality/OutOfCoreArguments.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace gridspan {

static constexpr struct {
  StringLiteral Name, Text;
} Refusals[] = {
#define GRIDSPAN_OUT_OF_CORE_REFUSAL(Kind, Name, Text) {Name, Text},
#include "analysis/legality/OutOfCoreArguments.def"
};

StringRef outOfCoreRefusalName(OutOfCoreRefusal R) {
  return Refusals[unsigned(R)].Name;
}

StringRef outOfCoreRefusalText(OutOfCoreRefusal R) {
  return Refusals[unsigned(R)].Text;
}

/// Returns true if no launch knows where the access is.
static bool isUnknown(const AccessSummary &A) {
  return !A.Why.empty() && A.Inspected == NoExpr;
}

SmallVector<NotOutOfCore, 4> findNotOutOfCore(const KernelSummary &K) {
  SmallVector<NotOutOfCore, 4> Out;
  const uint32_t NumAccesses = K.Accesses.size();
  auto First = [&](auto Is) {
    return uint32_t(find_if(K.Accesses, Is) - K.Accesses.begin());
  };
  const uint32_t Anywhere =
      First([](const AccessSummary &A) { return A.Pointer < 0; });
  if (Anywhere != NumAccesses)
    Out.push_back({OutOfCoreRefusal::UnknownPointer, -1, Anywhere});
  for (int I = 0, E = K.Pointers.size(); I != E; ++I) {
    const PointerSummary &P = K.Pointers[I];
    if (P.Modes == 0)
      continue;
    if (!P.Redirectable && !P.Replicable) {
      Out.push_back({OutOfCoreRefusal::PointerEscapes, I, NumAccesses});
      continue;
    }
    const uint32_t Atomic = First([&](const AccessSummary &A) {
      return A.Pointer == I && A.Mode == GridspanAtomic && isUnknown(A);
    });
    if (Atomic != NumAccesses) {
      Out.push_back({OutOfCoreRefusal::UnknownAtomics, I, Atomic});
      continue;
    }
    const uint32_t Unknown = First(
        [&](const AccessSummary &A) { return A.Pointer == I && isUnknown(A); });
    if (Unknown != NumAccesses)
      Out.push_back({OutOfCoreRefusal::UnknownRange, I, Unknown});
  }
  return Out;
}

} // namespace gridspan
