//===- WarpExchange.cpp - Warp operations as barriers ---------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A lane stores its value in a variable, of which each thread has an element of
// an array once the kernel is cut (RegionLoop.cpp): the variable of the lane
// d further is d elements further.
//
// Barriers must be where all threads of the block come. An operation under a
// condition that threads may answer differently is therefore lifted out of it:
//
//     if (c) { A; op; B }   becomes   if (c) A; op; if (c) B
//
// where threads that do not satisfy c take part with a value that changes
// nothing, and are not present for shuffles. So each thread does what it did,
// and gets to further barriers only. This also concerns threads that return
// early, and then the kernel's own barriers: a thread that has ended counts as
// arrived.
//
// Shuffles that do not depend on each other share a barrier (ExchangeGroups.h).
//
// An element is written again only behind a barrier that follows its reads: an
// operation has a variable of its own and, if it is in a cycle, a second
// barrier; of those in one block only the last needs it.
//
// Where all lanes get the same result, as votes and reductions over whole warps
// give, the first lane computes it between two barriers, and not each for
// itself. Lanes that are not there take part with their neutral value, so that
// it does not matter which are.
//
//===----------------------------------------------------------------------===//

#include "passes/cpu/regions/WarpExchange.h"
#include "gridspan/ABI.h"
#include "gridspan/CpuCodes.h"
#include "passes/common/CpuNames.h"
#include "passes/cpu/regions/ExchangeGroups.h"
#include "passes/cpu/regions/RepairDominance.h"
#include "passes/cpu/regions/Uniformity.h"
#include "passes/cpu/regions/WarpFold.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;
using namespace gridspan;

static constexpr unsigned WarpSize = 32;

//===--- Which operations -----------------------------------------------===//

/// Returns argument I if it is a constant.
static std::optional<uint64_t> constantArgument(const CallBase &Call,
                                                unsigned I) {
  auto *C = dyn_cast<ConstantInt>(Call.getArgOperand(I));
  return C ? std::optional(C->getZExtValue()) : std::nullopt;
}

static bool isMatch(const CallBase &Call) {
  return runtimeCall(Call).starts_with("warp_match_");
}

static bool isReplaceable(const CallBase &Call) {
  const StringRef Name = runtimeCall(Call);
  if (Name == "warp_sync" || isMatch(Call))
    return true;
  return Name == "warp_shuffle" ? constantArgument(Call, 2).has_value()
                                : WarpFold::of(Call).has_value();
}

static bool isWarpOperation(const Instruction &I) {
  const StringRef Name = runtimeCall(I);
  return Name.starts_with("warp_") || Name == "active_mask";
}

static bool isBlockBarrier(const Instruction &I) {
  return runtimeCall(I) == "barrier";
}

//===--- Replacement ----------------------------------------------------===//

namespace {

class WarpExchange {
public:
  explicit WarpExchange(Function &F) : F(F), B(F.getContext()) {}
  bool run();

private:
  /// Where Operation may be lifted out of a condition: a branch to Inside, from
  /// which all ways lead to the operation.
  struct Condition {
    BasicBlock *Head = nullptr, *Inside = nullptr;
  };
  bool liftOne();
  void lift(CallBase &Operation, const Condition &Out);
  /// Where lanes put their values and, if some may be absent, that they are
  /// there.
  struct Offer {
    AllocaInst *Slot = nullptr, *Flags = nullptr;
  };
  Offer offer(CallBase &Call, Value *V, ConstantInt *Neutral);
  void replace(const ExchangeGroup &Group);
  Value *shuffle(CallBase &Call, const Offer &Payload);
  Value *match(CallBase &Call, const Offer &Key);
  Value *fold(ConstantInt *Neutral, Value *Mask,
              function_ref<Value *(Value *, Value *, Value *)> Combine);
  Value *foldOnce(function_ref<Value *()> Fold);
  /// Returns the value's element of the lane From, if it Is there; else the
  /// thread's own.
  Value *load(AllocaInst *Slot, Value *From, Value *Is) {
    Type *Ty = Slot->getAllocatedType();
    Value *Distance = B.CreateSelect(Is, B.CreateSub(From, Lane), zero());
    return B.CreateLoad(Ty, B.CreateGEP(Ty, Slot, Distance));
  }
  /// Stores V in a variable.
  AllocaInst *put(Value *V) {
    AllocaInst *Slot = newSlot(V->getType());
    B.CreateStore(V, Slot);
    return Slot;
  }
  AllocaInst *newSlot(Type *Ty) {
    IRBuilder<> AtEntry(&F.getEntryBlock(), F.getEntryBlock().begin());
    return AtEntry.CreateAlloca(Ty);
  }
  /// Narrows Is to lanes that are at the operation.
  Value *isThere(const Offer &O, Value *From, Value *Is) {
    return O.Flags ? B.CreateAnd(Is, B.CreateIsNotNull(load(O.Flags, From, Is)))
                   : Is;
  }
  Value *isPresent(CallBase &Operation) const {
    auto It = Present.find(&Operation);
    return It == Present.end() ? nullptr : It->second;
  }
  void waitForAll() {
    FunctionCallee Barrier = F.getParent()->getOrInsertFunction(
        "__gridspan_cpu_barrier",
        FunctionType::get(B.getVoidTy(),
                          {B.getPtrTy(), B.getInt32Ty(), B.getInt32Ty()},
                          false));
    B.CreateCall(Barrier, {F.getArg(0), zero(), zero()});
  }
  Value *dimension(uint64_t Offset);
  void findThread();
  ConstantInt *zero() { return B.getInt32(0); }

  Function &F;
  IRBuilder<> B;
  SmallVector<CallBase *> Operations; ///< and the kernel's own barriers
  /// Of operations that were lifted: whether the thread is at it.
  DenseMap<CallBase *, Value *> Present;
  Value *Linear = nullptr, *Lane = nullptr, *NumThreads = nullptr;
};

} // namespace

//===--- Lifting --------------------------------------------------------===//

void WarpExchange::lift(CallBase &Operation, const Condition &Out) {
  auto *Branch = cast<BranchInst>(Out.Head->getTerminator());
  const bool IsFirst = Branch->getSuccessor(0) == Out.Inside;
  BasicBlock *Outside = Branch->getSuccessor(IsFirst ? 1 : 0);
  BasicBlock *Join = SplitBlock(Operation.getParent(), &Operation);
  BasicBlock *Rest = SplitBlock(Join, Operation.getNextNode());
  Branch->setSuccessor(IsFirst ? 1 : 0, Join);
  Outside->replacePhiUsesWith(Out.Head, Join);
  Join->getTerminator()->eraseFromParent();
  Value *Answer = Branch->getCondition();
  BranchInst::Create(IsFirst ? Rest : Outside, IsFirst ? Outside : Rest, Answer,
                     Join);
  if (!isBlockBarrier(Operation)) {
    B.SetInsertPoint(&Operation);
    Value *Satisfied = IsFirst ? Answer : B.CreateNot(Answer);
    Value *Old = isPresent(Operation);
    Present[&Operation] = Old ? B.CreateLogicalAnd(Satisfied, Old) : Satisfied;
  }
  repairDominance(F);
}

/// Returns false if nothing is left to lift.
bool WarpExchange::liftOne() {
  DominatorTree Tree(F);
  PostDominatorTree After(F);
  Uniformity Uniform(F);
  auto ConditionOf = [&](BasicBlock *At) -> std::optional<Condition> {
    for (DomTreeNode *Node = Tree.getNode(At); Node; Node = Node->getIDom()) {
      BasicBlock *Inside = Node->getBlock();
      BasicBlock *Head = Inside->getSinglePredecessor();
      auto *Branch =
          Head ? dyn_cast<BranchInst>(Head->getTerminator()) : nullptr;
      if (!Branch || !Branch->isConditional() || Uniform.isUniformBranch(*Head))
        continue;
      if (!After.dominates(At, Inside))
        return std::nullopt;
      return Condition{Head, Inside};
    }
    return std::nullopt;
  };
  for (CallBase *Operation : Operations)
    if (std::optional<Condition> Out = ConditionOf(Operation->getParent())) {
      lift(*Operation, *Out);
      return true;
    }
  return false;
}

//===--- Exchanges ------------------------------------------------------===//

/// The lanes that PTX names (ISA, "shfl.sync"); the result is that of
/// __gridspan_cpu_warp_shuffle.
Value *WarpExchange::shuffle(CallBase &Call, const Offer &Payload) {
  Value *Mask = Call.getArgOperand(1);
  auto Low = [&](Value *V) { return B.CreateAnd(V, WarpSize - 1); };
  Value *Offset = Low(Call.getArgOperand(4));
  Value *Segment = Low(B.CreateLShr(Call.getArgOperand(5), 8));
  Value *First = B.CreateAnd(Lane, Segment);
  Value *Inner = B.CreateXor(Segment, B.getInt32(WarpSize - 1));
  Value *Last = B.CreateOr(First, B.CreateAnd(Call.getArgOperand(5), Inner));
  Value *Source = nullptr;
  auto Limit = CmpInst::ICMP_SLE;
  switch (WarpShuffle(*constantArgument(Call, 2))) {
  case WarpShuffle::Up:
    Source = B.CreateSub(Lane, Offset);
    Limit = CmpInst::ICMP_SGE;
    break;
  case WarpShuffle::Down:
    Source = B.CreateAdd(Lane, Offset);
    break;
  case WarpShuffle::Butterfly:
    Source = B.CreateXor(Lane, Offset);
    break;
  case WarpShuffle::Index:
    Source = B.CreateOr(First, B.CreateAnd(Offset, Inner));
    break;
  }
  Value *InRange = B.CreateICmp(Limit, Source, Last);
  Value *Other = B.CreateAdd(Linear, B.CreateSub(Source, Lane));
  Value *Is = B.CreateAnd(InRange, B.CreateICmpULT(Other, NumThreads));
  Is = B.CreateAnd(
      Is, B.CreateTrunc(B.CreateLShr(Mask, Low(Source)), B.getInt1Ty()));
  Is = isThere(Payload, Source, Is);
  Value *Result = B.CreateZExt(load(Payload.Slot, Source, Is), B.getInt64Ty());
  Value *Bit = B.CreateShl(B.CreateZExt(InRange, B.getInt64Ty()), WarpSize);
  return B.CreateOr(Result, Bit);
}

/// Of each lane, the bits that tell that it is there, in the low half, and that
/// its key is this lane's, in the high half; the result is that of
/// __gridspan_cpu_warp_match_any or _all.
Value *WarpExchange::match(CallBase &Call, const Offer &Key) {
  const bool IsAll = runtimeCall(Call) == "warp_match_all";
  Value *Own = load(Key.Slot, zero(), B.getFalse());
  Value *Mask = Call.getArgOperand(1);
  Value *Lanes =
      fold(B.getInt64(0), Mask, [&](Value *Sum, Value *From, Value *Is) {
        Is = isThere(Key, From, Is);
        Value *Same =
            B.CreateAnd(Is, B.CreateICmpEQ(load(Key.Slot, From, Is), Own));
        Value *There = B.CreateZExt(Is, B.getInt64Ty());
        Value *Bits = B.CreateOr(
            There, B.CreateShl(B.CreateZExt(Same, B.getInt64Ty()), WarpSize));
        Value *Distance = B.CreateZExt(From, B.getInt64Ty());
        return B.CreateOr(Sum, B.CreateShl(Bits, Distance));
      });
  Value *Same = B.CreateLShr(Lanes, WarpSize);
  if (!IsAll)
    return Same;
  Value *There = B.CreateAnd(Lanes, UINT32_MAX);
  Value *Predicate = B.getInt64(uint64_t(1) << WarpSize);
  return B.CreateSelect(B.CreateICmpEQ(Same, There),
                        B.CreateOr(There, Predicate), B.getInt64(0));
}

/// Combines what the lanes of Mask give; Combine gets the result so far, a
/// lane, and whether the warp has it and it is in Mask.
Value *
WarpExchange::fold(ConstantInt *Neutral, Value *Mask,
                   function_ref<Value *(Value *, Value *, Value *)> Combine) {
  BasicBlock *Before = B.GetInsertBlock();
  BasicBlock *After = SplitBlock(Before, &*B.GetInsertPoint());
  BasicBlock *Turn = BasicBlock::Create(F.getContext(), "lanes", &F, After);
  Before->getTerminator()->setSuccessor(0, Turn);
  B.SetInsertPoint(Turn);
  PHINode *From = B.CreatePHI(B.getInt32Ty(), 2),
          *Sum = B.CreatePHI(Neutral->getType(), 2);
  Value *Other = B.CreateAdd(Linear, B.CreateSub(From, Lane));
  Value *Is =
      B.CreateAnd(B.CreateTrunc(B.CreateLShr(Mask, From), B.getInt1Ty()),
                  B.CreateICmpULT(Other, NumThreads));
  Value *More = Combine(Sum, From, Is);
  Value *Next = B.CreateAdd(From, B.getInt32(1), "", true, true);
  B.CreateCondBr(B.CreateICmpEQ(Next, B.getInt32(WarpSize)), After, Turn);
  From->addIncoming(zero(), Before);
  From->addIncoming(Next, Turn);
  Sum->addIncoming(Neutral, Before);
  Sum->addIncoming(More, Turn);
  B.SetInsertPoint(After, After->begin());
  return More;
}

/// Returns what Fold emits, which only the first lane of each warp computes.
Value *WarpExchange::foldOnce(function_ref<Value *()> Fold) {
  AllocaInst *Slot = newSlot(B.getInt32Ty());
  Value *IsFirst = B.CreateIsNull(Lane);
  Instruction *At = &*B.GetInsertPoint();
  B.SetInsertPoint(SplitBlockAndInsertIfThen(IsFirst, At, false));
  B.CreateStore(Fold(), Slot);
  B.SetInsertPoint(At);
  waitForAll();
  return load(Slot, zero(), B.getTrue());
}

/// Returns true if all lanes that take part get the same result.
static bool isOfWholeWarp(const CallBase &Call) {
  const std::optional<uint64_t> Mask = constantArgument(Call, 1);
  return Mask == UINT32_MAX && !isMatch(Call) &&
         runtimeCall(Call) != "warp_shuffle";
}

/// Stores what the operation's lane gives, where the builder is.
WarpExchange::Offer WarpExchange::offer(CallBase &Call, Value *V,
                                        ConstantInt *Neutral) {
  Offer Out;
  if (Value *Here = isPresent(Call)) {
    V = B.CreateSelect(Here, V, Neutral);
    // Others have no operands.
    for (unsigned I : {1, 4, 5})
      if (I < Call.arg_size())
        Call.setArgOperand(I,
                           B.CreateSelect(Here, Call.getArgOperand(I), zero()));
    if (runtimeCall(Call) == "warp_shuffle" || isMatch(Call))
      Out.Flags = put(B.CreateZExt(Here, B.getInt32Ty()));
  }
  Out.Slot = put(V);
  return Out;
}

/// Replaces the operations but for what they themselves are.
void WarpExchange::replace(const ExchangeGroup &Group) {
  CallBase &Call = *Group.front();
  const StringRef Name = runtimeCall(Call);
  B.SetInsertPoint(&Call);
  if (Name == "warp_sync") {
    waitForAll();
    return;
  }
  if (Name == "warp_shuffle") {
    SmallVector<Offer> Offers;
    for (CallBase *Shuffle : Group)
      Offers.push_back(offer(*Shuffle, Shuffle->getArgOperand(3), zero()));
    waitForAll();
    for (auto [Shuffle, O] : zip(Group, Offers)) {
      B.SetInsertPoint(Shuffle);
      Shuffle->replaceAllUsesWith(shuffle(*Shuffle, O));
    }
    return;
  }
  if (isMatch(Call)) {
    const Offer Key = offer(Call, Call.getArgOperand(2), B.getInt64(0));
    waitForAll();
    Call.replaceAllUsesWith(match(Call, Key));
    return;
  }
  const WarpFold Of = *WarpFold::of(Call);
  ConstantInt *Neutral = Of.neutral(B);
  const bool IsOfWholeWarp = isOfWholeWarp(Call);
  AllocaInst *Slot =
      offer(Call, Of.offer(Call.getArgOperand(3), B), Neutral).Slot;
  waitForAll();
  Value *Mask = IsOfWholeWarp ? B.getInt32(UINT32_MAX) : Call.getArgOperand(1);
  const auto Combine = [&](Value *Sum, Value *From, Value *Is) {
    Value *V = B.CreateSelect(Is, load(Slot, From, Is), Neutral);
    return Of.combine(Sum, V, From, B);
  };
  const auto Fold = [&] { return fold(Neutral, Mask, Combine); };
  Value *All = IsOfWholeWarp ? foldOnce(Fold) : Fold();
  Call.replaceAllUsesWith(Of.result(All, B));
}

Value *WarpExchange::dimension(uint64_t Offset) {
  Value *Address =
      B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), F.getArg(0), Offset);
  LoadInst *Load = B.CreateLoad(B.getInt32Ty(), Address);
  Load->setMetadata(LLVMContext::MD_invariant_load,
                    MDNode::get(B.getContext(), {}));
  return Load;
}

/// Computes the thread's index, its lane, and the number of threads.
void WarpExchange::findThread() {
  BasicBlock &Entry = F.getEntryBlock();
  B.SetInsertPoint(&Entry, Entry.getFirstNonPHIOrDbgOrAlloca());
  Value *DimX = dimension(offsetof(GridspanCpuBlock, BlockDimX));
  Value *DimY = dimension(offsetof(GridspanCpuBlock, BlockDimY));
  Value *DimZ = dimension(offsetof(GridspanCpuBlock, BlockDimZ));
  auto Times = [&](Value *L, Value *R) {
    return B.CreateMul(L, R, "", true, true);
  };
  auto Plus = [&](Value *L, Value *R) {
    return B.CreateAdd(L, R, "", true, true);
  };
  Value *Row = Plus(F.getArg(2), Times(F.getArg(3), DimY));
  Linear = Plus(F.getArg(1), Times(Row, DimX));
  Lane = B.CreateAnd(Linear, WarpSize - 1);
  NumThreads = Times(Times(DimX, DimY), DimZ);
}

bool WarpExchange::run() {
  unsigned NumExchanges = 0;
  for (Instruction &I : instructions(F)) {
    if (isWarpOperation(I)) {
      if (!isReplaceable(cast<CallBase>(I)))
        return false;
      ++NumExchanges;
      Operations.push_back(cast<CallBase>(&I));
    } else if (isBlockBarrier(I)) {
      Operations.push_back(cast<CallBase>(&I));
    }
  }
  if (NumExchanges == 0)
    return false;
  // What is lifted is found from the beginning each time.
  constexpr uint64_t MostSearched = 500000;
  uint64_t Searched = 0;
  while (liftOne())
    if ((Searched += F.getInstructionCount()) > MostSearched)
      return false;
  erase_if(Operations, [](CallBase *I) { return isBlockBarrier(*I); });
  const SmallVector<ExchangeGroup, 0> Groups = groupExchanges(
      Operations, [&](CallBase &Call) { return isPresent(Call); });
  findThread();
  // Found before folds make blocks of one several.
  SmallPtrSet<CallBase *, 8> WaitAgain;
  for (auto [I, Operation] : enumerate(Operations))
    if ((I + 1 == Operations.size() ||
         Operations[I + 1]->getParent() != Operation->getParent()) &&
        runtimeCall(*Operation) != "warp_sync" && !isOfWholeWarp(*Operation) &&
        mayRepeat(*Operation->getParent()))
      WaitAgain.insert(Operation);
  for (const ExchangeGroup &Group : Groups) {
    replace(Group);
    for (CallBase *Operation : Group) {
      if (WaitAgain.contains(Operation)) {
        B.SetInsertPoint(Operation);
        waitForAll();
      }
      Operation->eraseFromParent();
    }
  }
  return true;
}

bool gridspan::replaceWarpOperations(Function &Kernel) {
  assert(Kernel.arg_size() >= NumCpuParams && "no thread parameters");
  return WarpExchange(Kernel).run();
}
