//===- MeasuredSites.cpp - What a run has shown of accesses ---------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Accesses keep their number when code is copied, as by unrolling. Those that
// become one lose it; their place in the source says what they were.
//
//===----------------------------------------------------------------------===//

#include "analysis/advice/sites/MeasuredSites.h"

using namespace llvm;

namespace gridspan {

MeasuredSites::MeasuredSites(const MeasuredKernel &Of,
                             const KernelSites &Written)
    : Of(Of) {
  for (const MemorySite &Site : Written.Sites) {
    auto It = Of.find(Site.Site);
    if (It == Of.end() || Site.Where.empty())
      continue;
    const MeasuredSite *&Most = ByPlace[{Site.Where, Site.Kind}];
    if (!Most || It->second.Sectors > Most->Sectors)
      Most = &It->second;
  }
}

const MeasuredSite *MeasuredSites::of(const MemorySite &Site) const {
  if (Site.Space != MemorySpace::Global)
    return nullptr;
  if (Site.Site != NoSite) {
    auto It = Of.find(Site.Site);
    return It == Of.end() ? nullptr : &It->second;
  }
  auto It = ByPlace.find({Site.Where, Site.Kind});
  return It == ByPlace.end() ? nullptr : It->second;
}

} // namespace gridspan
