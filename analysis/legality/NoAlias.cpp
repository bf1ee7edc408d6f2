//===- NoAlias.cpp - Facts for distinct arguments -------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The bases of a site are those of its accesses in the summary. Two sites are
// told apart only if both have known bases and these have none in common; so
// nothing has to be known of other pointers, of variables, or of where a
// pointer escapes to: they may be the same memory as anything, as before.
//
// It changes code only where a store through one argument can come before a
// load through another in some thread, and alias analysis (types, __restrict__)
// does not know better.
//
// Loads may be taken to be invariant during the launch (ld.global.nc) if every
// write of the kernel has a known base. Nor may the kernel wait for others to
// write, by volatile accesses, atomic loads or fences.
//
// Alias analysis has ordered atomics, which clang makes of all of CUDA's,
// change all memory; only invariant loads need not wait for them.
//
//===----------------------------------------------------------------------===//

#include "analysis/legality/NoAlias.h"
#include "analysis/nvptx/Kernels.h"
#include "analysis/nvptx/MemoryOps.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Support/ErrorHandling.h"

using namespace llvm;

namespace gridspan {

/// Beyond so many pairs of a store and a load that may come after it, one is
/// taken to be in the way.
static constexpr size_t MaxPairs = 1 << 14;

static constexpr struct {
  StringLiteral Name, Text;
} Refusals[] = {
#define GRIDSPAN_NOALIAS_REFUSAL(Kind, Name, Text) {Name, Text},
#include "analysis/legality/NoAlias.def"
};

StringRef noAliasRefusalName(NoAliasRefusal Refusal) {
  return Refusals[unsigned(Refusal)].Name;
}

StringRef noAliasRefusalText(NoAliasRefusal Refusal) {
  return Refusals[unsigned(Refusal)].Text;
}

static void collectBases(const KernelSummary &Summary, NoAliasFacts &Out) {
  Out.IsWritten.resize(Summary.Pointers.size());
  DenseSet<uint32_t> Unknown;
  for (const AccessSummary &Access : Summary.Accesses) {
    if (Access.Pointer < 0) {
      Unknown.insert(Access.Site);
      continue;
    }
    auto &Bases = Out.Bases[Access.Site];
    if (!is_contained(Bases, uint32_t(Access.Pointer)))
      Bases.push_back(Access.Pointer);
    if (Access.Mode != GridspanRead)
      Out.IsWritten[Access.Pointer] = true;
  }
  for (uint32_t Site : Unknown)
    Out.Bases.erase(Site);
  for (auto &[Site, Bases] : Out.Bases)
    sort(Bases);
}

/// Returns true if I may make the thread see what others write meanwhile.
static bool mayObserveOthers(const Instruction &I) {
  if (isa<FenceInst>(I) || I.isVolatile())
    return true;
  // Read-modify-writes of CUDA are relaxed, whatever clang writes.
  if (I.isAtomic())
    return isa<LoadInst>(I);
  const auto *Call = dyn_cast<CallBase>(&I);
  if (!Call)
    return false;
  if (Call->isInlineAsm())
    return !Call->doesNotAccessMemory();
  const Function *Callee = Call->getCalledFunction();
  if (!Callee)
    return true;
  StringRef Name = Callee->getName();
  if (Callee->isIntrinsic())
    return Name.starts_with("llvm.nvvm.membar") ||
           Name.starts_with("llvm.nvvm.fence");
  return !Callee->isDeclaration() && !Call->doesNotAccessMemory();
}

static bool haveCommon(ArrayRef<uint32_t> A, ArrayRef<uint32_t> B) {
  return any_of(A, [&](uint32_t Base) { return is_contained(B, Base); });
}

bool NoAliasFacts::isInvariant(const LoadInst &Load,
                               ArrayRef<uint32_t> BasesOfLoad) const {
  return Load.isSimple() && AreReadsInvariant &&
         none_of(BasesOfLoad, [&](uint32_t B) { return IsWritten[B]; });
}

namespace {
/// An instruction with what it may be based on; null: anything.
struct BasedAccess {
  Instruction *I;
  const SmallVector<uint32_t, 2> *Bases;
};
} // namespace

/// Returns the blocks that a thread may come to after BB: BB itself in a loop.
/// LLVM's own search gives up after a few blocks, and unrolled loops have many.
static SmallPtrSet<const BasicBlock *, 32> blocksBehind(const BasicBlock &BB) {
  SmallPtrSet<const BasicBlock *, 32> Behind;
  SmallVector<const BasicBlock *, 32> Work(successors(&BB));
  while (!Work.empty()) {
    const BasicBlock *Next = Work.pop_back_val();
    if (Behind.insert(Next).second)
      append_range(Work, successors(Next));
  }
  return Behind;
}

namespace {
/// Tells for the writes of a kernel, in order, which loads may come after them.
class LaterLoads {
public:
  bool contains(const Instruction &Write, const Instruction &Load) {
    if (Write.getParent() != From) {
      From = Write.getParent();
      Behind = blocksBehind(*From);
    }
    return Behind.contains(Load.getParent()) ||
           (From == Load.getParent() && Write.comesBefore(&Load));
  }

private:
  const BasicBlock *From = nullptr;
  SmallPtrSet<const BasicBlock *, 32> Behind;
};
} // namespace

static std::optional<NoAliasRefusal> findGain(Function &Kernel,
                                              const NoAliasFacts &Facts,
                                              FunctionAnalysisManager &FAM) {
  auto &AA = FAM.getResult<AAManager>(Kernel);
  auto &DT = FAM.getResult<DominatorTreeAnalysis>(Kernel);
  SmallVector<BasedAccess, 16> Loads, Writes;
  for (Instruction &I : instructions(Kernel)) {
    std::optional<uint32_t> Site = siteOf(I);
    if (!Site || !DT.isReachableFromEntry(I.getParent()))
      continue;
    auto It = Facts.Bases.find(*Site);
    BasedAccess Access = {&I, It == Facts.Bases.end() ? nullptr : &It->second};
    if (auto *Load = dyn_cast<LoadInst>(&I); Load && Load->isSimple())
      Loads.push_back(Access);
    else if (I.mayWriteToMemory())
      Writes.push_back(Access);
  }
  bool IsUnknown = false;
  size_t Pairs = 0;
  LaterLoads Later;
  for (const BasedAccess &Write : Writes)
    for (const BasedAccess &Load : Loads) {
      if (Load.Bases && Write.Bases && haveCommon(*Load.Bases, *Write.Bases))
        continue;
      if (!Later.contains(*Write.I, *Load.I))
        continue;
      if (++Pairs > MaxPairs)
        return std::nullopt;
      if (!isModSet(AA.getModRefInfo(Write.I, MemoryLocation::get(Load.I))))
        continue;
      if (!Load.Bases || !Write.Bases)
        IsUnknown = true;
      else if (!Write.I->isAtomic() ||
               Facts.isInvariant(*cast<LoadInst>(Load.I), *Load.Bases))
        return std::nullopt;
    }
  return IsUnknown ? NoAliasRefusal::UnknownOrigin
                   : NoAliasRefusal::NoClobberedLoad;
}

NoAliasFacts findNoAlias(Function &Kernel, const KernelSummary &Summary,
                         FunctionAnalysisManager &FAM) {
  assert(all_of(instructions(Kernel),
                [](const Instruction &I) {
                  return memoryOpsOf(I).empty() || siteOf(I);
                }) &&
         "accesses are not numbered");
  NoAliasFacts Out;
  collectBases(Summary, Out);
  Out.AreReadsInvariant = !(Summary.Flags & GridspanUnknownWrite) &&
                          none_of(instructions(Kernel), mayObserveOthers);
  Out.Refusal = findGain(Kernel, Out, FAM);
  return Out;
}

} // namespace gridspan
