//===- StridedLoop.cpp - Loops in steps of a block of threads -------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The index is Start + Turn, where Turn is the same for all threads:
//
//     Turn = 0
//     while (last thread's index < Limit) {
//       barrier; body; barrier; Turn += Step
//     }
//     while (first thread's index < Limit) {
//       barrier; if (index < Limit) body; barrier; Turn += Step
//     }
//     barrier
//
// What turns change is a variable of the thread, and no value, which would be
// copied from barrier to barrier.
//
// In the first loop, which has nearly all turns, no thread asks anything, so
// that a row of them is straight vector code. Nothing else is between the same
// barriers: what the block decides is a region of its own, which runs once.
//
// It is so where indices neither wrap around nor are negative, also those of
// threads that have left. The block asks for that once in front; where it does
// not hold, threads take the loop as it was, and wait behind it. A barrier that
// all threads pass never changes what a program without races computes.
//
// Loads in front of the loop are done if there is any turn, as the first thread
// does them then; so they must be the same for all, and no thread may have
// left.
//
// This is strip-mining and interchange (Allen and Kennedy, "Automatic Loop
// Interchange", 1984), with the last strip peeled.
//
//===----------------------------------------------------------------------===//

#include "passes/cpu/regions/StridedLoop.h"
#include "gridspan/ABI.h"
#include "passes/common/CpuNames.h"
#include "passes/cpu/regions/CpuRegions.h"
#include "passes/cpu/regions/Uniformity.h"
#include "llvm/Analysis/IteratedDominanceFrontier.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace gridspan;

//===--- Finding --------------------------------------------------------===//

/// Appends the steps from V to threadIdx.x, if V is that plus something that
/// the block shares. Returns false if it is not.
static bool appendStepsToThread(Value *V, Uniformity &Uniform,
                                const Argument &TidX,
                                SmallVectorImpl<StridedLoop::WayStep> &Out) {
  while (V != &TidX) {
    Value *L, *R;
    if (match(V, m_ZExtOrSExt(m_Value(L)))) {
      Out.push_back({cast<CastInst>(V), nullptr});
      V = L;
      continue;
    }
    if (!match(V, m_Add(m_Value(L), m_Value(R))) &&
        !match(V, m_DisjointOr(m_Value(L), m_Value(R))))
      return false;
    if (Uniform.isUniform(L))
      std::swap(L, R);
    if (!Uniform.isUniform(R))
      return false;
    Out.push_back({nullptr, R});
    V = L;
  }
  return true;
}

/// Returns true if all threads of the block get to BB, whenever any does: what
/// decides whether they do is the same for all.
static bool isReachedByAll(BasicBlock &BB, Uniformity &Uniform) {
  PostDominatorTree After(*BB.getParent());
  ReverseIDFCalculator Frontier(After);
  SmallPtrSet<BasicBlock *, 1> Here = {&BB};
  Frontier.setDefiningBlocks(Here);
  SmallVector<BasicBlock *> Deciding;
  Frontier.calculate(Deciding);
  return all_of(Deciding, [&](BasicBlock *Decides) {
    return Uniform.isUniformBranch(*Decides);
  });
}

/// Returns true if the guard's condition, or its opposite if not Holds, is
/// `Start Predicate Limit`.
static bool isFirstTurn(const Value *Condition, bool Holds, const Value *Start,
                        CmpInst::Predicate Predicate, const Value *Limit) {
  const auto *Compare = dyn_cast<ICmpInst>(Condition);
  if (!Compare)
    return false;
  CmpInst::Predicate P =
      Holds ? Compare->getPredicate() : Compare->getInversePredicate();
  const Value *L = Compare->getOperand(0), *R = Compare->getOperand(1);
  if (L == Limit && R == Start) {
    P = CmpInst::getSwappedPredicate(P);
    std::swap(L, R);
  }
  return L == Start && R == Limit && P == Predicate;
}

/// Returns true if I can be computed where threads do not get to it. What the
/// block says of itself (CpuContext.h) can always be read.
static bool canHoist(const Instruction &I) {
  if (auto *Load = dyn_cast<LoadInst>(&I))
    return Load->hasMetadata(LLVMContext::MD_invariant_load) &&
           getUnderlyingObject(Load->getPointerOperand()) ==
               I.getFunction()->getArg(0);
  return !isa<PHINode>(I) && !I.mayReadFromMemory() &&
         isSafeToSpeculativelyExecute(&I);
}

std::optional<StridedLoop> StridedLoop::find(Loop &L, Uniformity &Uniform,
                                             Argument &TidX) {
  StridedLoop S;
  S.Blocks.assign(L.block_begin(), L.block_end());
  S.Preheader = L.getLoopPreheader();
  S.Latch = L.getLoopLatch();
  S.Exit = L.getExitBlock();
  S.Guard = S.Preheader ? S.Preheader->getSinglePredecessor() : nullptr;
  if (!S.Guard || !S.Exit || L.getExitingBlock() != S.Latch)
    return std::nullopt;
  auto *Back = cast<BranchInst>(S.Latch->getTerminator());
  auto *Compare = dyn_cast<ICmpInst>(Back->getCondition());
  auto *Ask = dyn_cast<BranchInst>(S.Guard->getTerminator());
  if (!Compare || !Ask || !Ask->isConditional())
    return std::nullopt;
  S.Predicate = Back->getSuccessor(0) == L.getHeader()
                    ? Compare->getPredicate()
                    : Compare->getInversePredicate();
  Value *Next = Compare->getOperand(0);
  S.Limit = Compare->getOperand(1);
  if (!L.isLoopInvariant(S.Limit)) {
    std::swap(Next, S.Limit);
    S.Predicate = CmpInst::getSwappedPredicate(S.Predicate);
  }
  if (!ICmpInst::isLT(S.Predicate) || !L.isLoopInvariant(S.Limit) ||
      !Next->getType()->isIntegerTy() ||
      Next->getType()->getIntegerBitWidth() > 64)
    return std::nullopt;
  for (PHINode &Phi : L.getHeader()->phis())
    if (match(Next, m_c_Add(m_Specific(&Phi), m_Value(S.Step))) &&
        Phi.getIncomingValueForBlock(S.Latch) == Next)
      S.Index = &Phi;
  if (!S.Index || !L.isLoopInvariant(S.Step))
    return std::nullopt;
  S.Start = S.Index->getIncomingValueForBlock(S.Preheader);
  for (Instruction &I : *S.Preheader) {
    if (I.isTerminator())
      break;
    const bool IsEarly =
        canHoist(I) && none_of(I.operands(), [&](const Use &U) {
          return is_contained(S.Late, U.get());
        });
    auto *Load = dyn_cast<LoadInst>(&I);
    if (!IsEarly &&
        !(Load ? Load->isSimple() && Uniform.isUniform(Load) : canHoist(I)))
      return std::nullopt;
    if (!IsEarly)
      S.Late.push_back(&I);
  }
  if (is_contained(S.Late, S.Step))
    return std::nullopt;
  const bool IsFirst = Ask->getSuccessor(0) == S.Preheader;
  if (Ask->getSuccessor(IsFirst ? 1 : 0) != S.Exit ||
      !isFirstTurn(Ask->getCondition(), IsFirst, S.Start, S.Predicate,
                   S.Limit) ||
      !Uniform.isUniform(S.Step) || !Uniform.isUniform(S.Limit) ||
      !appendStepsToThread(S.Start, Uniform, TidX, S.Way))
    return std::nullopt;
  const auto IsLoad = [](const Instruction *I) { return isa<LoadInst>(I); };
  if (any_of(S.Late, IsLoad) && !isReachedByAll(*S.Guard, Uniform))
    return std::nullopt;
  return S;
}

//===--- Rewriting ------------------------------------------------------===//

namespace gridspan {

class StridedLoopRewriter {
public:
  explicit StridedLoopRewriter(StridedLoop &S)
      : S(S), F(*S.Guard->getParent()), B(F.getContext()),
        Ty(S.Index->getType()), IsSigned(CmpInst::isSigned(S.Predicate)) {}
  void run();

private:
  /// A value that each turn changes: a phi of the loop, or what the exit gets.
  struct State {
    Value *First = nullptr;     ///< before the first turn
    Value *Next = nullptr;      ///< after a turn, in the loop as it was
    PHINode *Phi = nullptr;     ///< of the loop as it was
    AllocaInst *Slot = nullptr; ///< where loops that are made have it
  };

  BasicBlock *newBlock(const Twine &Name) {
    return BasicBlock::Create(F.getContext(), Name, &F, S.Exit);
  }
  Value *startOf(Value *Thread);
  Value *extend(Value *V, Type *Wide) {
    return B.CreateIntCast(V, Wide, IsSigned);
  }
  Value *plus(Value *L, Value *R) {
    return B.CreateAdd(L, R, "", !IsSigned, IsSigned);
  }
  void findStates();
  void computeBounds();
  void keepAsItWas();
  void prepare();
  void openLoop(BasicBlock *Before, BasicBlock *Header);
  void addTurn(BasicBlock *Body, BasicBlock *Latch, bool IsAsked);
  void waitForAll() { emitBarrier(F, B); }

  StridedLoop &S;
  Function &F;
  IRBuilder<> B;
  Type *const Ty;
  const bool IsSigned;
  SmallVector<State> States;
  DenseMap<PHINode *, unsigned> Results; ///< states that the exit's phis get
  SmallVector<Value *> Late;             ///< copies of S.Late, in turn
  Value *FirstStart = nullptr, *LastStart = nullptr, *IsSafe = nullptr;
  BasicBlock *AsItWas = nullptr, *End = nullptr;
  PHINode *Turn = nullptr; ///< of the loop that is made
};

} // namespace gridspan

/// Returns what Start is for the thread of the row with this threadIdx.x. It
/// may wrap around where this thread's own does not.
Value *StridedLoopRewriter::startOf(Value *Thread) {
  for (const StridedLoop::WayStep &W : reverse(S.Way))
    Thread = W.Cast
                 ? B.CreateCast(W.Cast->getOpcode(), Thread, W.Cast->getType())
                 : B.CreateAdd(Thread, W.Uniform);
  return Thread;
}

void StridedLoopRewriter::findStates() {
  for (PHINode &Phi : S.Blocks.front()->phis())
    if (&Phi != S.Index)
      States.push_back({Phi.getIncomingValueForBlock(S.Preheader),
                        Phi.getIncomingValueForBlock(S.Latch), &Phi});
  for (PHINode &Phi : S.Exit->phis()) {
    Value *First = Phi.getIncomingValueForBlock(S.Guard);
    Value *Next = Phi.getIncomingValueForBlock(S.Latch);
    auto *Same = find_if(States, [&](const State &Known) {
      return Known.First == First && Known.Next == Next;
    });
    Results[&Phi] = Same - States.begin();
    if (Same == States.end())
      States.push_back({First, Next});
  }
}

/// Emits the first and the last thread's start, and whether all indices are
/// ordinary numbers.
void StridedLoopRewriter::computeBounds() {
  Value *Address = B.CreateConstInBoundsGEP1_64(
      B.getInt8Ty(), F.getArg(0), offsetof(GridspanCpuBlock, BlockDimX));
  LoadInst *Dim = B.CreateLoad(B.getInt32Ty(), Address);
  Dim->setMetadata(LLVMContext::MD_invariant_load,
                   MDNode::get(B.getContext(), {}));
  FirstStart = startOf(B.getInt32(0));
  LastStart = startOf(B.CreateSub(Dim, B.getInt32(1)));
  Type *Wide = B.getIntNTy(Ty->getIntegerBitWidth() + 34);
  Value *Least = extend(FirstStart, Wide), *Most = extend(LastStart, Wide);
  Value *Threads = B.CreateZExt(Dim, Wide);
  Value *Step = extend(S.Step, Wide), *Limit = extend(S.Limit, Wide);
  Value *Zero = ConstantInt::get(Wide, 0);
  const unsigned Bits = Ty->getIntegerBitWidth() - (IsSigned ? 1 : 0);
  Value *Highest =
      ConstantInt::get(Wide->getContext(),
                       APInt::getLowBitsSet(Wide->getIntegerBitWidth(), Bits));
  Value *Past =
      B.CreateAdd(B.CreateBinaryIntrinsic(Intrinsic::smax, Limit, Most),
                  B.CreateAdd(Step, Threads));
  Value *const Terms[] = {
      B.CreateICmpSGT(Step, Zero), B.CreateICmpSGE(Least, Zero),
      B.CreateICmpSLE(Past, Highest),
      B.CreateICmpEQ(B.CreateSub(Most, Least),
                     B.CreateSub(Threads, ConstantInt::get(Wide, 1)))};
  IsSafe = B.CreateAnd(Terms);
}

/// Makes Header, behind Before, that of a loop.
void StridedLoopRewriter::openLoop(BasicBlock *Before, BasicBlock *Header) {
  Value *Old = Turn ? static_cast<Value *>(Turn) : ConstantInt::get(Ty, 0);
  B.SetInsertPoint(Header);
  Turn = B.CreatePHI(Ty, 2, "turn");
  Turn->addIncoming(Old, Before);
  IRBuilder<>(Before).CreateBr(Header);
}

/// Fills the loop of the current header: a turn from Body on, which goes on to
/// Latch; if IsAsked, only for threads whose index is below the limit.
void StridedLoopRewriter::addTurn(BasicBlock *Body, BasicBlock *Latch,
                                  bool IsAsked) {
  BasicBlock *Header = Turn->getParent();
  B.SetInsertPoint(Body);
  waitForAll();
  ValueToValueMapTy Map;
  for (auto [Old, New] : zip(S.Late, Late))
    Map[Old] = New;
  Value *Index = plus(S.Start, Turn);
  SmallVector<BasicBlock *> Copies;
  for (BasicBlock *BB : S.Blocks) {
    BasicBlock *Copy = CloneBasicBlock(BB, Map, ".together", &F);
    Map[BB] = Copy;
    Copies.push_back(Copy);
  }
  // The header's phis are the states.
  for (PHINode &Phi : make_early_inc_range(Copies.front()->phis()))
    Phi.eraseFromParent();
  Map[S.Index] = Index;
  B.SetInsertPoint(Copies.front(), Copies.front()->begin());
  for (const State &V : States)
    if (V.Phi)
      Map[V.Phi] = B.CreateLoad(V.Slot->getAllocatedType(), V.Slot);
  remapInstructionsInBlocks(Copies, Map);
  auto *Last = cast<BasicBlock>(Map[S.Latch]);
  Last->getTerminator()->eraseFromParent();
  B.SetInsertPoint(Last);
  for (const State &V : States) {
    Value *Mapped = Map.lookup(V.Next);
    B.CreateStore(Mapped ? Mapped : V.Next, V.Slot);
  }
  B.CreateBr(Latch);
  B.SetInsertPoint(Body);
  if (IsAsked)
    B.CreateCondBr(B.CreateICmp(S.Predicate, Index, S.Limit), Copies.front(),
                   Latch);
  else
    B.CreateBr(Copies.front());
  B.SetInsertPoint(Latch);
  waitForAll();
  Turn->addIncoming(plus(Turn, S.Step), Latch);
  B.CreateBr(Header);
}

/// Puts the guard into a block of its own. The loop leads to End, as those that
/// are made do.
void StridedLoopRewriter::keepAsItWas() {
  AsItWas = newBlock("apart");
  BasicBlock *Last = newBlock("apart.end");
  End = newBlock("together.end");
  B.SetInsertPoint(AsItWas);
  waitForAll();
  Instruction *Ask = S.Guard->getTerminator();
  Ask->removeFromParent();
  Ask->insertInto(AsItWas, AsItWas->end());
  S.Preheader->replacePhiUsesWith(S.Guard, AsItWas);
  Ask->replaceSuccessorWith(S.Exit, Last);
  S.Latch->getTerminator()->replaceSuccessorWith(S.Exit, Last);
  B.SetInsertPoint(End);
  waitForAll();
  IRBuilder<> AtEnd(End);
  B.SetInsertPoint(Last);
  for (PHINode &Phi : S.Exit->phis()) {
    AllocaInst *Slot = States[Results[&Phi]].Slot;
    PHINode *Joined = PHINode::Create(Phi.getType(), 2, "", Last->begin());
    for (auto [From, Now] : {std::pair(S.Guard, AsItWas), {S.Latch, S.Latch}}) {
      Joined->addIncoming(Phi.getIncomingValueForBlock(From), Now);
      Phi.removeIncomingValue(From, /*DeletePHIIfEmpty=*/false);
    }
    B.CreateStore(Joined, Slot);
    Phi.addIncoming(AtEnd.CreateLoad(Phi.getType(), Slot), End);
  }
  B.CreateBr(End);
  AtEnd.CreateBr(S.Exit);
}

/// Emits what the preheader can compute only if there is a turn.
void StridedLoopRewriter::prepare() {
  const auto Now = [&](Value *V) {
    const auto *It = find(S.Late, V);
    return It == S.Late.end() ? V : Late[It - S.Late.begin()];
  };
  for (Instruction *I : S.Late) {
    Instruction *Copy = I->clone();
    for (Use &Operand : Copy->operands())
      Operand.set(Now(Operand.get()));
    Late.push_back(B.Insert(Copy));
  }
  for (const State &V : States)
    if (is_contained(S.Late, V.First))
      B.CreateStore(Now(V.First), V.Slot);
}

void StridedLoopRewriter::run() {
  Instruction *Ask = S.Guard->getTerminator();
  for (Instruction &I : make_early_inc_range(*S.Preheader))
    if (!I.isTerminator() && !is_contained(S.Late, &I))
      I.moveBefore(Ask);
  findStates();
  B.SetInsertPoint(Ask);
  computeBounds();
  BasicBlock *Together = newBlock("together");
  IRBuilder<> AtEntry(&F.getEntryBlock(), F.getEntryBlock().begin());
  B.SetInsertPoint(Together);
  for (State &V : States) {
    V.Slot = AtEntry.CreateAlloca(V.First->getType());
    if (!is_contained(S.Late, V.First))
      B.CreateStore(V.First, V.Slot);
  }
  Value *IsAny = B.CreateICmp(S.Predicate, FirstStart, S.Limit);
  BasicBlock *Begin = newBlock("begin");
  keepAsItWas();
  B.SetInsertPoint(S.Guard);
  B.CreateCondBr(IsSafe, Together, AsItWas);
  B.SetInsertPoint(Together);
  B.CreateCondBr(IsAny, Begin, End);
  B.SetInsertPoint(Begin);
  prepare();

  BasicBlock *Before = Begin;
  for (bool IsAsked : {false, true}) {
    BasicBlock *Header = newBlock(IsAsked ? "some" : "all");
    openLoop(Before, Header);
    Value *Bound = plus(IsAsked ? FirstStart : LastStart, Turn);
    Value *GoesOn = B.CreateICmp(S.Predicate, Bound, S.Limit);
    BasicBlock *Body = newBlock("turn"), *Latch = newBlock("turn.next");
    BasicBlock *After = newBlock("done");
    B.CreateCondBr(GoesOn, Body, After);
    addTurn(Body, Latch, IsAsked);
    Before = After;
  }
  IRBuilder<>(Before).CreateBr(End);
}

void StridedLoop::passTogether() { StridedLoopRewriter(*this).run(); }
