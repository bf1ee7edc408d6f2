//===- CpuRegions.cpp - Code between barriers -----------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The outcomes of a place are the barriers, and the end, that a thread there
// may get to next. A branch that threads may take differently must not decide
// between two barriers; it may decide between a barrier and the end, as threads
// that have ended count as arrived. By induction over the barriers of a run,
// all threads that have not ended are then at the same barrier, the n-th time
// for all.
//
// It does not decide if threads that part there meet again first, in a block
// that none of them goes around on its way to a barrier, and in the same turns
// of all loops around both. What follows is up to other branches: which way a
// thread came is part of what makes values differ to the analysis of uniform
// ones.
//
// They must also be there in the same turns of all loops, which the analysis of
// uniform values takes for granted: threads that leave a loop early would wait
// for the others in it, and not go on to its barrier in the next turn of a loop
// around it. So threads that part must all begin another turn of a loop before
// the next barrier, or none of them. Loops without a barrier are no concern: a
// thread makes all their turns in one region, and what it leaves them with is
// its own to that analysis.
//
// The idea of running regions as loops over threads is that of MCUDA (Stratton
// et al., LCPC 2008) and pocl (Jaaskelainen et al., IJPP 43, 2015).
//
//===----------------------------------------------------------------------===//

#include "passes/cpu/regions/CpuRegions.h"
#include "passes/common/CpuNames.h"
#include "passes/cpu/regions/Reconvergence.h"
#include "passes/cpu/regions/Uniformity.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/Analysis/CycleAnalysis.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace gridspan;

StringRef gridspan::refusalName(RegionRefusal R) {
  switch (R) {
#define GRIDSPAN_REGION_REFUSAL(Kind, Name, Text)                              \
  case RegionRefusal::Kind:                                                    \
    return Name;
#include "passes/cpu/regions/CpuRegions.def"
  }
  llvm_unreachable("covered");
}

StringRef gridspan::refusalText(RegionRefusal R) {
  switch (R) {
#define GRIDSPAN_REGION_REFUSAL(Kind, Name, Text)                              \
  case RegionRefusal::Kind:                                                    \
    return Text;
#include "passes/cpu/regions/CpuRegions.def"
  }
  llvm_unreachable("covered");
}

//===--- Operations -----------------------------------------------------===//

static bool isBarrier(const Instruction &I) {
  StringRef Name = runtimeCall(I);
  return Name == "barrier" || Name == "barrier_reduce";
}

/// Returns true for a barrier of all threads, with the number 0.
static bool isOfBlock(const CallBase &Barrier) {
  auto IsZero = [&](unsigned I) {
    return match(Barrier.getArgOperand(I), PatternMatch::m_Zero());
  };
  return IsZero(1) &&
         (isBlockReduction(Barrier) ? isa<ConstantInt>(Barrier.getArgOperand(2))
                                    : IsZero(2));
}

static std::optional<RegionRefusal> whyNotBetweenBarriers(Instruction &I) {
  if (auto *Alloca = dyn_cast<AllocaInst>(&I))
    return Alloca->isStaticAlloca() && !Alloca->isArrayAllocation()
               ? std::nullopt
               : std::optional(RegionRefusal::DynamicAlloca);
  if (isBarrier(I))
    return isOfBlock(cast<CallBase>(I))
               ? std::nullopt
               : std::optional(RegionRefusal::NamedBarrier);
  StringRef Name = runtimeCall(I);
  if (Name == "barrier_arrive")
    return RegionRefusal::NamedBarrier;
  if (Name.starts_with("warp_") || Name == "active_mask")
    return RegionRefusal::WarpOperation;
  if (Name == "yield" || Name.starts_with("mbarrier_test"))
    return RegionRefusal::Spins;
  if (Name == "exit")
    return RegionRefusal::ThreadExit;
  return std::nullopt;
}

/// As many as fit onto the stack of a fiber.
static constexpr uint64_t MostVariables = 256 << 10;

static uint64_t bytesOfVariables(Function &F) {
  const DataLayout &DL = F.getParent()->getDataLayout();
  uint64_t Bytes = 0;
  for (Instruction &I : instructions(F))
    if (auto *Alloca = dyn_cast<AllocaInst>(&I))
      Bytes += DL.getTypeAllocSize(Alloca->getAllocatedType());
  return Bytes;
}

//===--- Outcomes -------------------------------------------------------===//

namespace {

class RegionFinder {
public:
  explicit RegionFinder(Function &F) : F(F) {}
  CpuRegions find();

private:
  /// The end of the kernel, among numbers of regions.
  static constexpr unsigned End = 0;
  using Outcomes = std::set<unsigned>;

  void number();
  void solve();
  Outcomes after(const BasicBlock &BB) const;
  bool checkBranches();
  bool mayTakeOtherTurns(const BasicBlock &BB, const CycleInfo &Cycles) const;
  using IsBlock = function_ref<bool(const BasicBlock &)>;
  bool hasBarrier(const BasicBlock &BB) const { return First.contains(&BB); }
  static bool maySplitTurns(const BasicBlock &BB, const Cycle &Of,
                            IsBlock IsTarget);
  const BasicBlock *meetingPoint(const BasicBlock &BB,
                                 const CycleInfo &Cycles) const;
  bool mayEndBefore(const BasicBlock &Meeting, const BasicBlock &BB) const;
  bool forEachEnd(const CpuRegion &R, IsBlock Visit) const;
  bool endsApart(const CpuRegion &R) const;
  bool isTooLarge() const;

  Function &F;
  CpuRegions Out;
  /// The first barrier of a block.
  DenseMap<const BasicBlock *, unsigned> First;
  /// Blocks at whose end some threads may turn to the end of the kernel.
  SmallPtrSet<const BasicBlock *, 4> Parting;
  /// By block, from its beginning.
  DenseMap<const BasicBlock *, Outcomes> From;
};

} // namespace

void RegionFinder::number() {
  Out.Regions.emplace_back();
  for (BasicBlock &BB : F)
    for (Instruction &I : BB)
      if (isBarrier(I)) {
        First.try_emplace(&BB, Out.Regions.size());
        Out.Regions.push_back({cast<CallBase>(&I), {}, false, false});
      }
}

/// Returns the outcomes behind the last barrier of BB.
RegionFinder::Outcomes RegionFinder::after(const BasicBlock &BB) const {
  if (isa<ReturnInst>(BB.getTerminator()))
    return {End};
  Outcomes Result;
  for (const BasicBlock *Next : successors(&BB)) {
    auto It = From.find(Next);
    if (It != From.end())
      Result.insert(It->second.begin(), It->second.end());
  }
  return Result;
}

void RegionFinder::solve() {
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (BasicBlock &BB : reverse(F)) {
      auto It = First.find(&BB);
      Outcomes New = It != First.end() ? Outcomes{It->second} : after(BB);
      Outcomes &Old = From[&BB];
      Changed |= Old != New;
      Old = std::move(New);
    }
  }
}

/// Returns true if a target is reached from the beginning of Begin by way of an
/// entry of the cycle, or, if not ByEntry, without passing one.
static bool reachesTarget(const BasicBlock &Begin, const Cycle &Of,
                          function_ref<bool(const BasicBlock &)> IsTarget,
                          bool ByEntry) {
  // Blocks, and whether an entry was passed on the way there.
  SmallVector<std::pair<const BasicBlock *, bool>> Work = {{&Begin, false}};
  SmallSet<std::pair<const BasicBlock *, bool>, 16> Seen;
  while (!Work.empty()) {
    auto [BB, Passed] = Work.pop_back_val();
    Passed |= Of.isEntry(const_cast<BasicBlock *>(BB));
    if (Passed && !ByEntry)
      continue;
    if (!Seen.insert({BB, Passed}).second)
      continue;
    if (IsTarget(*BB)) {
      if (Passed == ByEntry)
        return true;
      continue;
    }
    for (const BasicBlock *Next : successors(BB))
      Work.emplace_back(Next, Passed);
  }
  return false;
}

/// Returns true if some threads that part at the end of BB may begin another
/// turn of the cycle before they get to a target, and others not.
bool RegionFinder::maySplitTurns(const BasicBlock &BB, const Cycle &Of,
                                 IsBlock IsTarget) {
  const auto Reaches = [&](bool ByEntry) {
    return any_of(successors(&BB), [&](const BasicBlock *Next) {
      return reachesTarget(*Next, Of, IsTarget, ByEntry);
    });
  };
  return Reaches(true) && Reaches(false);
}

/// The same for the next barrier, and any loop with barriers around BB.
bool RegionFinder::mayTakeOtherTurns(const BasicBlock &BB,
                                     const CycleInfo &Cycles) const {
  const auto HasBarrier = [this](const BasicBlock &In) {
    return hasBarrier(In);
  };
  for (const Cycle *C = Cycles.getCycle(&BB); C; C = C->getParentCycle())
    if (any_of(C->blocks(),
               [this](const BasicBlock *In) { return hasBarrier(*In); }) &&
        maySplitTurns(BB, *C, HasBarrier))
      return true;
  return false;
}

/// Returns a block where all threads that part at the end of BB and get to a
/// barrier meet before it, in the same turns of all loops; else null.
const BasicBlock *RegionFinder::meetingPoint(const BasicBlock &BB,
                                             const CycleInfo &Cycles) const {
  for (const BasicBlock *Point : reconvergencePoints(
           BB, [this](const BasicBlock &In) { return hasBarrier(In); })) {
    const auto IsPoint = [&](const BasicBlock &In) { return &In == Point; };
    bool InOtherTurns = false;
    for (const Cycle *C = Cycles.getCycle(&BB); C; C = C->getParentCycle())
      InOtherTurns |= C->contains(Point) && maySplitTurns(BB, *C, IsPoint);
    if (!InOtherTurns)
      return Point;
  }
  return nullptr;
}

/// Returns true if a thread may leave BB and end without passing Meeting.
bool RegionFinder::mayEndBefore(const BasicBlock &Meeting,
                                const BasicBlock &BB) const {
  SmallVector<const BasicBlock *> Work(successors(&BB));
  SmallPtrSet<const BasicBlock *, 16> Seen = {&Meeting};
  while (!Work.empty()) {
    const BasicBlock *Next = Work.pop_back_val();
    if (!Seen.insert(Next).second)
      continue;
    if (isa<ReturnInst>(Next->getTerminator()))
      return true;
    Work.append(succ_begin(Next), succ_end(Next));
  }
  return false;
}

/// Returns false if threads may get to different barriers, or to one in
/// different turns of a loop.
bool RegionFinder::checkBranches() {
  Uniformity Uniform(F);
  CycleInfo Cycles;
  Cycles.compute(F);
  for (BasicBlock &BB : F) {
    if (succ_size(&BB) < 2 || Uniform.isUniformBranch(BB))
      continue;
    const Outcomes All = after(BB);
    const bool IsSame =
        All.size() - All.count(End) <= 1 && !mayTakeOtherTurns(BB, Cycles);
    // Where to meet takes long to find, and does not matter to most branches.
    if (IsSame && All.size() <= 1)
      continue;
    if (const BasicBlock *Meeting = meetingPoint(BB, Cycles)) {
      if (mayEndBefore(*Meeting, BB))
        Parting.insert(&BB);
      continue;
    }
    if (!IsSame)
      return false;
    Parting.insert(&BB);
  }
  return true;
}

/// Calls Visit for each block whose end threads may get to in the region.
/// Stops where it returns false; returns false then.
bool RegionFinder::forEachEnd(const CpuRegion &R, IsBlock Visit) const {
  SmallVector<const BasicBlock *> Work;
  SmallPtrSet<const BasicBlock *, 16> Seen;
  if (!R.Barrier) {
    if (!First.contains(&F.front()))
      Work.push_back(&F.front());
  } else if (none_of(make_range(std::next(R.Barrier->getIterator()),
                                R.Barrier->getParent()->end()),
                     isBarrier)) {
    Work.push_back(R.Barrier->getParent());
  }
  while (!Work.empty()) {
    const BasicBlock *BB = Work.pop_back_val();
    if (!Seen.insert(BB).second)
      continue;
    if (!Visit(*BB))
      return false;
    for (const BasicBlock *Next : successors(BB))
      if (!First.contains(Next))
        Work.push_back(Next);
  }
  return true;
}

bool RegionFinder::endsApart(const CpuRegion &R) const {
  return !forEachEnd(
      R, [&](const BasicBlock &BB) { return !Parting.contains(&BB); });
}

/// Returns true if the regions have too much code to be compiled. What two of
/// them share they have twice, as the end of a loop's turn and its beginning.
bool RegionFinder::isTooLarge() const {
  constexpr uint64_t MostCode = 200000;
  // Each is a copy of the kernel first (RegionFunctions.cpp).
  constexpr uint64_t MostCopied = 5 * MostCode;
  if (Out.Regions.size() * F.getInstructionCount() > MostCopied)
    return true;
  // A block with barriers is counted whole by those behind and in front of it.
  uint64_t Code = 0;
  for (const CpuRegion &R : Out.Regions)
    forEachEnd(R, [&](const BasicBlock &BB) {
      Code += BB.size();
      for (const BasicBlock *Next : successors(&BB))
        if (First.contains(Next))
          Code += Next->size();
      return true;
    });
  return Code > MostCode;
}

CpuRegions RegionFinder::find() {
  auto Refuse = [&](RegionRefusal R) {
    Out.Refusal = R;
    return Out;
  };
  if (F.hasFnAttribute(Attribute::OptimizeNone))
    return Refuse(RegionRefusal::Unoptimized);
  for (Instruction &I : instructions(F))
    if (std::optional<RegionRefusal> Why = whyNotBetweenBarriers(I))
      return Refuse(*Why);
  if (bytesOfVariables(F) > MostVariables)
    return Refuse(RegionRefusal::LargeVariables);
  number();
  if (isTooLarge())
    return Refuse(RegionRefusal::TooLarge);
  solve();
  if (!checkBranches())
    return Refuse(RegionRefusal::DivergentBarrier);
  for (auto [Number, R] : enumerate(Out.Regions)) {
    Outcomes Next;
    const BasicBlock &BB = R.Barrier ? *R.Barrier->getParent() : F.front();
    if (!R.Barrier)
      Next = From[&BB];
    else if (Number + 1 < Out.Regions.size() &&
             Out.Regions[Number + 1].Barrier->getParent() == &BB)
      Next = {static_cast<unsigned>(Number) + 1};
    else
      Next = after(BB);
    R.Ends = Next.erase(End) != 0;
    R.EndsApart = endsApart(R);
    Out.SomeEnd |= R.EndsApart;
    R.Next = std::move(Next);
  }
  return std::move(Out);
}

CpuRegions gridspan::findRegions(Function &Kernel) {
  assert(Kernel.arg_size() >= NumCpuParams && "no thread parameters");
  return RegionFinder(Kernel).find();
}

void gridspan::emitBarrier(Function &Kernel, IRBuilderBase &B) {
  FunctionCallee Barrier = Kernel.getParent()->getOrInsertFunction(
      "__gridspan_cpu_barrier",
      FunctionType::get(B.getVoidTy(),
                        {B.getPtrTy(), B.getInt32Ty(), B.getInt32Ty()}, false));
  B.CreateCall(Barrier, {Kernel.getArg(0), B.getInt32(0), B.getInt32(0)});
}

void gridspan::printRegions(raw_ostream &OS, StringRef Kernel, StringRef Form,
                            const CpuRegions &R) {
  OS << Kernel << ": ";
  if (R.Refusal) {
    OS << "fibers: " << refusalName(*R.Refusal) << ": "
       << refusalText(*R.Refusal) << '\n';
    return;
  }
  OS << R.Regions.size() << " regions" << Form
     << (R.SomeEnd ? ", some threads may end early" : "") << '\n';
  for (auto [Number, Region] : enumerate(R.Regions)) {
    OS << "  " << Number << " ->";
    for (unsigned Next : Region.Next)
      OS << ' ' << Next;
    OS << (Region.Ends ? " end\n" : "\n");
  }
}
