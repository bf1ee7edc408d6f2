//===- RegionFunctions.cpp - Regions as functions of a thread -------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A region's function is a copy of the kernel that starts behind the region's
// barrier and returns at the next ones. It loads the variables that the region
// may read before it writes them, and stores those that a later region may
// read; in between they are values again. Blocks that the region does not get
// to are not copied, as most regions are small parts of large kernels.
//
//===----------------------------------------------------------------------===//

#include "passes/cpu/regions/RegionFunctions.h"
#include "gridspan/CpuCodes.h"
#include "passes/common/CpuNames.h"
#include "passes/cpu/regions/ParameterCopies.h"
#include "llvm/ADT/DepthFirstIterator.h"
#include "llvm/Analysis/CaptureTracking.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"

using namespace llvm;
using namespace gridspan;

//===--- Functions ------------------------------------------------------===//

namespace {

class RegionOutliner {
public:
  explicit RegionOutliner(Function &K) : K(K), Context(K.getContext()) {}
  RegionFunctions run();

private:
  using Variables = SmallPtrSet<const AllocaInst *, 8>;

  void splitAtBarriers();
  void replaceReductions();
  void findLiveVariables();
  SmallPtrSet<const BasicBlock *, 16> blocksOf(unsigned Region);
  void clone(Function &F, unsigned Region, ValueToValueMapTy &Map);
  Function *declare(unsigned Region);
  Function *outline(unsigned Region);
  Argument *count(Function &F) { return F.getArg(K.arg_size() + Kept.size()); }
  Argument *linear(Function &F) {
    return F.getArg(K.arg_size() + Kept.size() + 1);
  }
  Value *addressOf(unsigned Variable, Function &F, IRBuilder<> &B);
  void enter(Function &F, unsigned Region, ValueToValueMapTy &Map);
  void leaveAtBarriers(Function &F, ValueToValueMapTy &Map);
  void dropUnchanged();
  void annotate(Function &F);

  BasicBlock *entryOf(unsigned Region) {
    return Region == 0 ? &K.getEntryBlock() : Entries[Region - 1];
  }

  Function &K;
  LLVMContext &Context;
  RegionFunctions Out;
  SmallVector<BasicBlock *> Entries; ///< behind barriers
  SmallVector<RegionVariable> Kept;
  SmallVector<AllocaInst *> Results; ///< of the reduction before a region
  DenseMap<const BasicBlock *, Variables> LiveIn;
  /// Of the function that is made: its entry; the values of variables before
  /// the region, and the stores of those behind it.
  BasicBlock *Enter = nullptr;
  DenseMap<uint64_t, Value *> Offsets; ///< of the thread's elements, by stride
  DenseMap<unsigned, Value *> Before;
  SmallVector<std::pair<unsigned, StoreInst *>> After;
};

} // namespace

void RegionOutliner::splitAtBarriers() {
  for (unsigned I = 1, E = Out.Regions.Regions.size(); I != E; ++I) {
    CallBase *Barrier = Out.Regions.Regions[I].Barrier;
    Entries.push_back(SplitBlock(Barrier->getParent(), Barrier->getNextNode()));
  }
}

/// A region reads the result of the reduction before it from a variable.
void RegionOutliner::replaceReductions() {
  Out.Reductions.resize(Out.Regions.Regions.size());
  Results.resize(Out.Regions.Regions.size());
  for (unsigned I = 1, E = Out.Regions.Regions.size(); I != E; ++I) {
    CallBase *Barrier = Out.Regions.Regions[I].Barrier;
    if (!isBlockReduction(*Barrier))
      continue;
    auto *Kind = cast<ConstantInt>(Barrier->getArgOperand(2));
    Out.Reductions[I] = {Kind->getZExtValue(), std::nullopt};
    if (Barrier->use_empty())
      continue;
    IRBuilder<> B(&K.getEntryBlock(), K.getEntryBlock().begin());
    Results[I] = B.CreateAlloca(Barrier->getType());
    B.SetInsertPoint(Entries[I - 1], Entries[I - 1]->getFirstInsertionPt());
    Barrier->replaceAllUsesWith(B.CreateLoad(Barrier->getType(), Results[I]));
  }
}

/// Finds the variables that are read before they are written, by block.
void RegionOutliner::findLiveVariables() {
  Variables All;
  for (const RegionVariable &V : Kept)
    if (!V.IsMemory)
      All.insert(V.Variable);
  auto Compute = [&](const BasicBlock &BB) {
    Variables Live;
    for (const BasicBlock *Next : successors(&BB)) {
      const Variables &More = LiveIn[Next];
      Live.insert(More.begin(), More.end());
    }
    for (const Instruction &I : reverse(BB)) {
      auto *A = dyn_cast_or_null<AllocaInst>(getLoadStorePointerOperand(&I));
      if (!A || !All.contains(A))
        continue;
      if (isa<StoreInst>(I))
        Live.erase(A);
      else
        Live.insert(A);
    }
    return Live;
  };
  for (const BasicBlock &BB : K)
    LiveIn[&BB];
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (const BasicBlock &BB : reverse(K)) {
      Variables New = Compute(BB);
      Variables &Old = LiveIn[&BB];
      Changed |= New.size() != Old.size();
      Old = std::move(New);
    }
  }
}

Function *RegionOutliner::declare(unsigned Region) {
  SmallVector<Type *> Params(K.getFunctionType()->params());
  Params.append(Kept.size() + 1, PointerType::get(Context, 0));
  Params.push_back(Type::getInt64Ty(Context));
  for (const RegionVariable &V : Kept)
    if (V.IsUniform)
      Params.push_back(V.Variable->getAllocatedType());
  auto *Type = FunctionType::get(Type::getInt32Ty(Context), Params, false);
  return Function::Create(Type, GlobalValue::InternalLinkage,
                          K.getName() + ".region." + Twine(Region),
                          K.getParent());
}

/// Returns the address of the thread's variable.
Value *RegionOutliner::addressOf(unsigned Variable, Function &F,
                                 IRBuilder<> &B) {
  Argument *Base = F.getArg(K.arg_size() + Variable);
  if (Kept[Variable].IsUniform)
    return Base;
  const uint64_t Stride = Out.Variables[Variable].Stride;
  Value *&Offset = Offsets[Stride];
  if (!Offset)
    Offset = IRBuilder<>(Enter, Enter->begin())
                 .CreateMul(linear(F), B.getInt64(Stride), "", true, true);
  return B.CreateInBoundsGEP(B.getInt8Ty(), Base, Offset);
}

void RegionOutliner::enter(Function &F, unsigned Region,
                           ValueToValueMapTy &Map) {
  auto *First = cast<BasicBlock>(Map[&K.getEntryBlock()]);
  IRBuilder<> B(Enter);
  for (Instruction &I : make_early_inc_range(*First))
    if (isa<AllocaInst>(I))
      I.moveBefore(*Enter, Enter->end());
  const Variables &Live = LiveIn[entryOf(Region)];
  unsigned NextUniform = linear(F)->getArgNo() + 1;
  for (auto [Number, V] : enumerate(Kept)) {
    auto *Own = cast<AllocaInst>(Map[V.Variable]);
    B.SetInsertPoint(Enter);
    if (!V.IsMemory) {
      Value *Old = V.IsUniform ? F.getArg(NextUniform++) : nullptr;
      if (!Live.contains(V.Variable))
        continue;
      if (!Old)
        Old = B.CreateLoad(Own->getAllocatedType(), addressOf(Number, F, B));
      B.CreateStore(Old, Own);
      Before[Number] = Old;
      continue;
    }
    for (User *U : make_early_inc_range(Own->users()))
      if (cast<Instruction>(U)->isLifetimeStartOrEnd())
        cast<Instruction>(U)->eraseFromParent();
    if (!Own->use_empty())
      Own->replaceAllUsesWith(B.CreatePointerBitCastOrAddrSpaceCast(
          addressOf(Number, F, B), Own->getType()));
    Own->eraseFromParent();
  }
  B.SetInsertPoint(Enter);
  B.CreateBr(cast<BasicBlock>(Map[entryOf(Region)]));
}

/// Ends the function where the thread gets to a barrier, or ends.
void RegionOutliner::leaveAtBarriers(Function &F, ValueToValueMapTy &Map) {
  Argument *Count = count(F);
  for (unsigned I = 1, E = Out.Regions.Regions.size(); I != E; ++I) {
    auto *Barrier =
        dyn_cast_or_null<CallBase>(Map.lookup(Out.Regions.Regions[I].Barrier));
    if (!Barrier)
      continue;
    BasicBlock *BB = Barrier->getParent();
    IRBuilder<> B(Barrier);
    if (const auto &Reduction = Out.Reductions[I]) {
      Value *Condition = B.CreateIsNotNull(Barrier->getArgOperand(3));
      if (Reduction->Kind == unsigned(BarrierReduction::And))
        Condition = B.CreateNot(Condition);
      Value *Old = B.CreateLoad(B.getInt32Ty(), Count);
      B.CreateStore(B.CreateAdd(Old, B.CreateZExt(Condition, B.getInt32Ty())),
                    Count);
    }
    const Variables &Live = LiveIn[Entries[I - 1]];
    for (auto [Number, V] : enumerate(Kept))
      if (!V.IsMemory && Live.contains(V.Variable)) {
        auto *Own = cast<AllocaInst>(Map[V.Variable]);
        After.push_back(
            {Number, B.CreateStore(B.CreateLoad(Own->getAllocatedType(), Own),
                                   addressOf(Number, F, B))});
      }
    BB->getTerminator()->eraseFromParent();
    Barrier->eraseFromParent();
    IRBuilder<>(BB).CreateRet(B.getInt32(I));
  }
}

static bool isOfThread(const Value *V) { return isa<AllocaInst>(V); }

/// Puts the accesses of memory that the threads share, or have apart from each
/// other, into a group, which the function has as metadata "gridspan.accesses".
void RegionOutliner::annotate(Function &F) {
  for (Instruction &I : instructions(F))
    if (isa<AllocaInst>(I) && PointerMayBeCaptured(&I, true, true))
      return;
  MDNode *Group = MDNode::getDistinct(Context, {});
  F.setMetadata("gridspan.accesses", Group);
  for (Instruction &I : instructions(F)) {
    const Value *Address = getLoadStorePointerOperand(&I);
    if (!Address || I.isVolatile() || I.isAtomic())
      continue;
    SmallVector<const Value *> Objects;
    getUnderlyingObjects(Address, Objects);
    if (none_of(Objects, isOfThread))
      I.setMetadata(LLVMContext::MD_access_group, Group);
  }
}

/// Removes the stores of what a variable has already, and what only these need:
/// most values pass most regions.
void RegionOutliner::dropUnchanged() {
  for (auto [Number, Store] : After) {
    if (Store->getValueOperand() != Before.lookup(Number))
      continue;
    Value *Address = Store->getPointerOperand();
    Store->eraseFromParent();
    RecursivelyDeleteTriviallyDeadInstructions(Address);
  }
  for (auto [Number, Old] : Before)
    RecursivelyDeleteTriviallyDeadInstructions(Old);
}

static df_iterator_default_set<BasicBlock *> reachedBlocks(Function &F) {
  df_iterator_default_set<BasicBlock *> Out;
  for (BasicBlock *BB : depth_first_ext(&F, Out))
    (void)BB;
  return Out;
}

/// Returns what the region gets to, and the kernel's first block, where the
/// variables are.
SmallPtrSet<const BasicBlock *, 16> RegionOutliner::blocksOf(unsigned Region) {
  SmallPtrSet<const BasicBlock *, 16> Barriers, Result;
  for (const CpuRegion &R : Out.Regions.Regions)
    if (R.Barrier)
      Barriers.insert(R.Barrier->getParent());
  SmallVector<const BasicBlock *> Work = {entryOf(Region)};
  while (!Work.empty()) {
    const BasicBlock *BB = Work.pop_back_val();
    if (Result.insert(BB).second && !Barriers.contains(BB))
      Work.append(succ_begin(BB), succ_end(BB));
  }
  Result.insert(&K.getEntryBlock());
  return Result;
}

/// Copies the region's blocks to F. The others leave the kernel meanwhile; in
/// their place there is a block that nothing leads to in the end.
void RegionOutliner::clone(Function &F, unsigned Region,
                           ValueToValueMapTy &Map) {
  const SmallPtrSet<const BasicBlock *, 16> Kept = blocksOf(Region);
  BasicBlock *Elsewhere = BasicBlock::Create(Context, "elsewhere");
  const auto PlaceElsewhere = [&](Value *V) {
    if (auto *BB = dyn_cast<BasicBlock>(V); BB && !Kept.contains(BB))
      Map[BB] = Elsewhere;
    if (auto *I = dyn_cast<Instruction>(V); I && !Kept.contains(I->getParent()))
      Map[I] = PoisonValue::get(I->getType());
  };
  SmallVector<BasicBlock *> All(make_pointer_range(K));
  for (BasicBlock *BB : All) {
    if (!Kept.contains(BB))
      continue;
    for (PHINode &Phi : BB->phis())
      for_each(Phi.blocks(), PlaceElsewhere);
    for (Instruction &I : *BB)
      for_each(I.operand_values(), PlaceElsewhere);
  }
  for (BasicBlock *BB : All)
    if (!Kept.contains(BB))
      BB->removeFromParent();
  SmallVector<ReturnInst *> Returns;
  CloneFunctionInto(&F, &K, Map, CloneFunctionChangeType::LocalChangesOnly,
                    Returns);
  BasicBlock *Next = nullptr;
  for (BasicBlock *BB : reverse(All)) {
    if (!BB->getParent())
      BB->insertInto(&K, Next);
    Next = BB;
  }
  Elsewhere->insertInto(&F);
  new UnreachableInst(Context, Elsewhere);
  for (BasicBlock &BB : F)
    for (PHINode &Phi : BB.phis())
      Phi.removeIncomingValueIf(
          [&](unsigned I) { return Phi.getIncomingBlock(I) == Elsewhere; },
          /*DeletePHIIfEmpty=*/false);
  for (ReturnInst *Return : Returns) {
    IRBuilder<>(Return).CreateRet(
        ConstantInt::get(Type::getInt32Ty(Context), 0));
    Return->eraseFromParent();
  }
}

Function *RegionOutliner::outline(unsigned Region) {
  Function *F = declare(Region);
  ValueToValueMapTy Map;
  for (Argument &A : K.args()) {
    Argument *New = F->getArg(A.getArgNo());
    New->setName(A.getName());
    Map[&A] = New;
  }
  clone(*F, Region, Map);
  F->removeFnAttr(Attribute::NoInline);
  F->addFnAttr(Attribute::AlwaysInline);
  Enter = BasicBlock::Create(Context, "enter", F, &F->getEntryBlock());
  Offsets.clear();
  Before.clear();
  After.clear();
  leaveAtBarriers(*F, Map);
  enter(*F, Region, Map);
  const df_iterator_default_set<BasicBlock *> Reached = reachedBlocks(*F);
  erase_if(After, [&](const auto &Store) {
    return !Reached.contains(Store.second->getParent());
  });
  EliminateUnreachableBlocks(*F);
  SmallVector<AllocaInst *> Own;
  for (Instruction &I : F->getEntryBlock())
    if (auto *A = dyn_cast<AllocaInst>(&I); A && isAllocaPromotable(A))
      Own.push_back(A);
  DominatorTree Tree(*F);
  PromoteMemToReg(Own, Tree);
  dropUnchanged();
  annotate(*F);
  return F;
}

RegionFunctions RegionOutliner::run() {
  const DataLayout &DL = K.getParent()->getDataLayout();
  shareParameters(K);
  Out.Regions = findRegions(K);
  if (Out.Regions.Refusal)
    report_fatal_error("a kernel for the CPU device has lost its regions");
  splitAtBarriers();
  replaceReductions();
  Kept = spillValues(K, Entries);
  // Before the first result gets its number: removal moves what is behind.
  erase_if(Kept, [&](auto &V) { return is_contained(Results, V.Variable); });
  for (auto [I, Result] : enumerate(Results))
    if (Result) {
      Out.Reductions[I]->Result = Kept.size();
      Kept.push_back({Result, true, false});
    }
  findLiveVariables();
  for (const RegionVariable &V : Kept)
    Out.Variables.push_back(
        {V.Variable->getAllocatedType(), V.Variable->getAlign(),
         alignTo(DL.getTypeAllocSize(V.Variable->getAllocatedType()),
                 V.Variable->getAlign()),
         V.IsUniform});
  for (unsigned I = 0, E = Out.Regions.Regions.size(); I != E; ++I)
    Out.Functions.push_back(outline(I));
  for (CpuRegion &R : Out.Regions.Regions)
    R.Barrier = nullptr;
  K.eraseFromParent();
  return std::move(Out);
}

bool gridspan::isForBlock(const RegionFunctions &R, unsigned Region) {
  if (R.Regions.Regions[Region].EndsApart)
    return false;
  const unsigned First = R.firstVariable(Region);
  const Function &F = *R.Functions[Region];
  for (unsigned Tid : {1U, 2U, 3U})
    if (!F.getArg(Tid)->use_empty())
      return false;
  // The linear index, by which variables of threads are found, is behind Count.
  if (!F.getArg(First + R.Variables.size() + 1)->use_empty())
    return false;
  return all_of(instructions(F), [&](const Instruction &I) {
    auto *Store = dyn_cast<StoreInst>(&I);
    if (!Store || !Store->isSimple())
      return !I.mayHaveSideEffects();
    auto *To = dyn_cast<Argument>(Store->getPointerOperand());
    return To && To->getArgNo() >= First &&
           To->getArgNo() < First + R.Variables.size() &&
           R.Variables[To->getArgNo() - First].IsUniform;
  });
}

RegionFunctions gridspan::makeRegionFunctions(Function &Kernel) {
  return RegionOutliner(Kernel).run();
}
