//===- NoAliasClone.cpp - Kernels for distinct arguments ------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each pointer that the kernel receives is a scope (LLVM's alias.scope
// metadata) rather than a noalias parameter. So pointers in by-value structs
// count as well, and only accesses whose base is known claim anything. A site
// is in the scopes of its bases. It is apart from the scopes of other pointers
// if either is written: memory that is only read may be reached in many ways.
//
// Loads through pointers that nothing is written through are invariant, for
// which NVPTX has ld.global.nc.
//
//===----------------------------------------------------------------------===//

#include "passes/device/clones/NoAliasClone.h"
#include "analysis/nvptx/MemoryOps.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/ADT/Twine.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/MDBuilder.h"

#define DEBUG_TYPE "gridspan-noalias"

using namespace llvm;

STATISTIC(NumClones, "Kernels cloned for distinct arguments");

namespace gridspan {

static constexpr StringLiteral Suffix = "__noalias";

static void addScopes(Instruction &I, unsigned Kind,
                      ArrayRef<Metadata *> Scopes) {
  if (!Scopes.empty())
    I.setMetadata(Kind,
                  MDNode::concatenate(I.getMetadata(Kind),
                                      MDNode::get(I.getContext(), Scopes)));
}

static void mark(Function &F, const NoAliasFacts &Facts) {
  MDBuilder Builder(F.getContext());
  MDNode *Domain = Builder.createAnonymousAliasScopeDomain(F.getName());
  SmallVector<Metadata *, 8> Scopes;
  for (size_t P = 0, E = Facts.IsWritten.size(); P != E; ++P)
    Scopes.push_back(Builder.createAnonymousAliasScope(
        Domain, ("pointer " + Twine(P)).str()));
  for (Instruction &I : instructions(F)) {
    std::optional<uint32_t> Site = siteOf(I);
    auto It = Site ? Facts.Bases.find(*Site) : Facts.Bases.end();
    if (It == Facts.Bases.end())
      continue;
    ArrayRef<uint32_t> Bases = It->second;
    SmallVector<Metadata *, 8> Own, Others;
    for (uint32_t P = 0, E = Scopes.size(); P != E; ++P) {
      if (is_contained(Bases, P))
        Own.push_back(Scopes[P]);
      else if (I.mayWriteToMemory() || Facts.IsWritten[P])
        Others.push_back(Scopes[P]);
    }
    addScopes(I, LLVMContext::MD_alias_scope, Own);
    addScopes(I, LLVMContext::MD_noalias, Others);
    if (auto *Load = dyn_cast<LoadInst>(&I);
        Load && Facts.isInvariant(*Load, Bases))
      I.setMetadata(LLVMContext::MD_invariant_load,
                    MDNode::get(I.getContext(), {}));
  }
}

Function &cloneForNoAlias(Function &Kernel, const NoAliasFacts &Facts,
                          KernelDeclarer &Declarer) {
  assert(!Facts.Refusal && "the kernel does not profit from a clone");
  ++NumClones;
  Function &New = Declarer.declare(Kernel, Kernel.getFunctionType(),
                                   (Kernel.getName() + Suffix).str());
  copyCode(Kernel, New);
  New.setVisibility(Kernel.getVisibility());
  mark(New, Facts);
  return New;
}

} // namespace gridspan
