//===- Reconvergence.cpp - Where threads that part meet again -------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All such blocks lie on any one way to a target. Along one, the search goes on
// from each of its blocks on other ways, and notes how far along they come back
// to it: a block is passed by all if none came back behind it. Each block is
// visited once.
//
//===----------------------------------------------------------------------===//

#include "passes/cpu/regions/Reconvergence.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/CFG.h"

using namespace llvm;
using namespace gridspan;

using IsBlock = function_ref<bool(const BasicBlock &)>;

/// Returns the blocks of a shortest way from the end of From to a target.
static SmallVector<const BasicBlock *> findWay(const BasicBlock &From,
                                               IsBlock IsTarget) {
  // Where blocks were come from; null for From's end.
  DenseMap<const BasicBlock *, const BasicBlock *> Before;
  SmallVector<const BasicBlock *> Queue;
  auto Visit = [&](const BasicBlock *BB, const BasicBlock *Last) {
    if (Before.try_emplace(BB, Last).second)
      Queue.push_back(BB);
  };
  for (const BasicBlock *Next : successors(&From))
    Visit(Next, nullptr);
  for (unsigned I = 0; I != Queue.size(); ++I) {
    const BasicBlock *BB = Queue[I];
    if (!IsTarget(*BB)) {
      for (const BasicBlock *Next : successors(BB))
        Visit(Next, BB);
      continue;
    }
    SmallVector<const BasicBlock *> Way;
    for (; BB; BB = Before.lookup(BB))
      Way.push_back(BB);
    std::reverse(Way.begin(), Way.end());
    return Way;
  }
  return {};
}

SmallVector<const BasicBlock *>
gridspan::reconvergencePoints(const BasicBlock &From, IsBlock IsTarget) {
  const SmallVector<const BasicBlock *> Way = findWay(From, IsTarget);
  DenseMap<const BasicBlock *, unsigned> Position;
  for (auto [I, BB] : enumerate(Way))
    Position[BB] = I;
  SmallVector<const BasicBlock *> Out, Work(successors(&From));
  SmallPtrSet<const BasicBlock *, 16> Seen;
  // How far along Way the ways from what is in front of Place come back to it.
  unsigned Furthest = 0;
  for (auto [Place, BB] : enumerate(Way)) {
    while (!Work.empty()) {
      const BasicBlock *Next = Work.pop_back_val();
      if (auto It = Position.find(Next); It != Position.end()) {
        Furthest = std::max(Furthest, It->second);
        continue;
      }
      if (!Seen.insert(Next).second)
        continue;
      if (IsTarget(*Next))
        return Out;
      Work.append(succ_begin(Next), succ_end(Next));
    }
    if (Furthest == Place)
      Out.push_back(BB);
    Work.append(succ_begin(BB), succ_end(BB));
  }
  return Out;
}
