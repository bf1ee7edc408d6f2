//===- ExchangeGroups.h - Shuffles that share a barrier ---------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lanes that hand on a structure shuffle it word by word. These shuffles do not
// depend on each other, so one barrier serves all of them.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_PASSES_CPU_REGIONS_EXCHANGEGROUPS_H
#define GRIDSPAN_PASSES_CPU_REGIONS_EXCHANGEGROUPS_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace llvm {
class BasicBlock;
class CallBase;
class Value;
} // namespace llvm

namespace gridspan {

using ExchangeGroup = llvm::SmallVector<llvm::CallBase *, 4>;

/// Returns the warp operations of a function, which come in its order, in
/// groups: a shuffle and those behind it that can exchange values when it does,
/// or one operation. Moves what later ones of a group get, of which PresenceOf
/// gives a part or nothing, in front of the first.
llvm::SmallVector<ExchangeGroup, 0>
groupExchanges(llvm::ArrayRef<llvm::CallBase *> Operations,
               llvm::function_ref<llvm::Value *(llvm::CallBase &)> PresenceOf);

/// Returns true if the block may be executed again after itself.
bool mayRepeat(const llvm::BasicBlock &BB);

} // namespace gridspan

#endif // GRIDSPAN_PASSES_CPU_REGIONS_EXCHANGEGROUPS_H
