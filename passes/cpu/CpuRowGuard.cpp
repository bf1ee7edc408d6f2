//===- CpuRowGuard.cpp - The guard of a kernel's threads ------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A guard is a chain of blocks from the entry on, without side effects, each of
// which either goes on or returns. Its conditions are taken apart at `and` and
// `or`; each part must be the same for all threads of a row, or compare an
// index that grows by 1 with threadIdx.x with a limit that is the same for all.
//
// Where the index does not wrap around within the row, the threads that satisfy
// such a comparison are an interval, computed with twice the index's bits.
// Where it does wrap, threads are asked one by one: an outer loop takes rows in
// chunks, which are mostly all of the row and a single thread in this rare
// case. Within a chunk the index is its value for the first thread and the
// distance to it, which does not wrap, so that addresses computed from it stay
// affine.
//
// The operands of the guard are computed once per chunk, for its first thread;
// they have no side effects and cannot trap.
//
//===----------------------------------------------------------------------===//

#include "passes/cpu/CpuRowGuard.h"
#include "passes/cpu/CpuContext.h"
#include "passes/cpu/regions/RowValues.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace gridspan;

//===--- Finding --------------------------------------------------------===//

bool RowGuard::addCondition(Value *V, bool Expected, const Argument *TidX) {
  Value *L, *R;
  if (match(V, m_Not(m_Value(L))))
    return addCondition(L, !Expected, TidX);
  if (Expected ? match(V, m_LogicalAnd(m_Value(L), m_Value(R)))
               : match(V, m_LogicalOr(m_Value(L), m_Value(R))))
    return addCondition(L, Expected, TidX) && addCondition(R, Expected, TidX);
  if (!isComputableOutside(V))
    return false;
  if (!dependsOn(V, TidX)) {
    Conditions.push_back({V, Expected});
    return true;
  }
  auto *Compare = dyn_cast<ICmpInst>(V);
  if (!Compare || Compare->isEquality() ||
      !Compare->getOperand(0)->getType()->isIntegerTy())
    return false;
  Term T = {Expected ? Compare->getPredicate() : Compare->getInversePredicate(),
            Compare->getOperand(0), Compare->getOperand(1)};
  if (dependsOn(T.Limit, TidX)) {
    std::swap(T.Index, T.Limit);
    T.Predicate = CmpInst::getSwappedPredicate(T.Predicate);
  }
  if (dependsOn(T.Limit, TidX) || !isIndex(T.Index, TidX))
    return false;
  Terms.push_back(T);
  return true;
}

static bool onlyReturns(const BasicBlock &BB) {
  return isa<ReturnInst>(BB.getFirstNonPHIOrDbg()) && BB.phis().empty();
}

bool RowGuard::addGuardOf(BasicBlock &BB, const Argument *TidX) {
  auto *Branch = dyn_cast<BranchInst>(BB.getTerminator());
  if (!Branch || !Branch->isConditional())
    return false;
  bool FirstReturns = onlyReturns(*Branch->getSuccessor(0));
  bool SecondReturns = onlyReturns(*Branch->getSuccessor(1));
  if (FirstReturns == SecondReturns)
    return false;
  size_t OldTerms = Terms.size(), OldConditions = Conditions.size();
  if (!addCondition(Branch->getCondition(), SecondReturns, TidX)) {
    Terms.truncate(OldTerms);
    Conditions.truncate(OldConditions);
    return false;
  }
  Guards.push_back({&BB, Branch->getSuccessor(FirstReturns ? 1 : 0)});
  return true;
}

std::optional<RowGuard> RowGuard::find(Function &Thread) {
  assert(Thread.arg_size() >= NumCpuParams && "no thread parameters");
  RowGuard Guard;
  const Argument *TidX = Thread.getArg(1);
  for (BasicBlock *BB = &Thread.getEntryBlock(); BB;) {
    if (any_of(*BB, [](Instruction &I) { return I.mayHaveSideEffects(); }) ||
        !Guard.addGuardOf(*BB, TidX))
      break;
    BasicBlock *Next = Guard.Guards.back().second;
    BB = Next->getSinglePredecessor() == BB ? Next : nullptr;
  }
  if (Guard.Terms.empty())
    return std::nullopt;
  return Guard;
}

//===--- Bounds ---------------------------------------------------------===//

/// Copies the instructions that compute V to where B inserts.
static Value *materialize(Value *V, ValueToValueMapTy &Map, IRBuilder<> &B) {
  if (isa<Constant>(V))
    return V;
  if (Value *Known = Map.lookup(V))
    return Known;
  auto *Original = cast<Instruction>(V);
  for (Value *Operand : Original->operands())
    materialize(Operand, Map, B);
  Instruction *Copy = Original->clone();
  Copy->setDebugLoc(DebugLoc());
  Copy->dropUnknownNonDebugMetadata(
      {LLVMContext::MD_range, LLVMContext::MD_invariant_load});
  RemapInstruction(Copy, Map, RF_NoModuleLevelChanges | RF_IgnoreMissingLocals);
  B.Insert(Copy);
  Map[V] = Copy;
  return Copy;
}

static Value *clampTo(Value *V, Value *Lo, Value *Hi, IRBuilder<> &B) {
  return B.CreateBinaryIntrinsic(
      Intrinsic::smin, Hi, B.CreateBinaryIntrinsic(Intrinsic::smax, V, Lo));
}

RowGuard::Bounds RowGuard::emitBounds(ArrayRef<Value *> Arguments, Value *Lo,
                                      Value *Hi, IRBuilder<> &B) {
  assert(!Guards.empty() && "not a guard that find returned");
  Function &Thread = *Guards[0].first->getParent();
  ValueToValueMapTy Map;
  for (auto [Parameter, Argument] : zip(Thread.args(), Arguments))
    Map[&Parameter] = Argument;

  Value *Runs = B.getTrue();   // the row's conditions
  Value *LoRuns = B.getTrue(); // the terms for the thread Lo
  Value *Wraps = B.getFalse();
  Value *First = Lo, *End = Hi;
  Value *Last = B.CreateSub(B.CreateSub(Hi, Lo), B.getInt32(1));
  SmallVector<Value *> Indices;
  for (const Condition &C : Conditions) {
    Value *V = materialize(C.V, Map, B);
    Runs = B.CreateAnd(Runs, C.Expected ? V : B.CreateNot(V));
  }
  for (const Term &T : Terms) {
    Value *Index = materialize(T.Index, Map, B);
    Value *Limit = materialize(T.Limit, Map, B);
    Indices.push_back(Index);
    LoRuns = B.CreateAnd(LoRuns, B.CreateICmp(T.Predicate, Index, Limit));
    bool Signed = CmpInst::isSigned(T.Predicate);
    Type *Ty = Index->getType();
    Value *Overflow = B.CreateExtractValue(
        B.CreateBinaryIntrinsic(Signed ? Intrinsic::sadd_with_overflow
                                       : Intrinsic::uadd_with_overflow,
                                Index, B.CreateZExtOrTrunc(Last, Ty)),
        1);
    Wraps = B.CreateOr(Wraps, Overflow);

    // The distance from Lo to the thread whose index is Limit.
    Type *Wide = B.getIntNTy(2 * Ty->getIntegerBitWidth());
    auto Extend = [&](Value *V) {
      return Signed ? B.CreateSExt(V, Wide) : B.CreateZExt(V, Wide);
    };
    Value *Distance = B.CreateSub(Extend(Limit), Extend(Index));
    bool IsUpper = ICmpInst::isLT(T.Predicate) || ICmpInst::isLE(T.Predicate);
    if (ICmpInst::isLE(T.Predicate) || ICmpInst::isGT(T.Predicate))
      Distance = B.CreateAdd(Distance, ConstantInt::get(Wide, 1));
    Value *Cut = clampTo(Distance, ConstantInt::get(Wide, 0),
                         B.CreateZExtOrTrunc(B.CreateSub(Hi, Lo), Wide), B);
    Value *Bound = B.CreateAdd(Lo, B.CreateZExtOrTrunc(Cut, B.getInt32Ty()), "",
                               true, true);
    if (IsUpper)
      End = B.CreateBinaryIntrinsic(Intrinsic::umin, End, Bound);
    else
      First = B.CreateBinaryIntrinsic(Intrinsic::umax, First, Bound);
  }

  Value *AfterLo = B.CreateAdd(Lo, B.getInt32(1), "", true, true);
  Bounds Result;
  Result.First = B.CreateSelect(Wraps, Lo, First);
  End = B.CreateSelect(Wraps, B.CreateSelect(LoRuns, AfterLo, Lo), End);
  End = B.CreateSelect(Runs, End, Lo);
  Result.Count =
      B.CreateBinaryIntrinsic(Intrinsic::usub_sat, End, Result.First);
  Result.Next = B.CreateSelect(Wraps, AfterLo, Hi);
  for (Value *Index : Indices)
    Result.Indices.push_back(
        B.CreateAdd(Index, B.CreateZExtOrTrunc(B.CreateSub(Result.First, Lo),
                                               Index->getType())));
  return Result;
}

//===--- Removal --------------------------------------------------------===//

/// Thread's body in a function with further parameters.
static Function *addParameters(Function &Thread, ArrayRef<Type *> Types) {
  FunctionType *Old = Thread.getFunctionType();
  SmallVector<Type *, 8> Params(Old->params());
  Params.append(Types.begin(), Types.end());
  auto *New =
      Function::Create(FunctionType::get(Old->getReturnType(), Params, false),
                       GlobalValue::InternalLinkage, "", Thread.getParent());
  New->takeName(&Thread);
  New->setAttributes(Thread.getAttributes());
  New->splice(New->begin(), &Thread);
  for (Argument &A : Thread.args()) {
    Argument *Replacement = New->getArg(A.getArgNo());
    A.replaceAllUsesWith(Replacement);
    Replacement->takeName(&A);
  }
  New->setSubprogram(Thread.getSubprogram());
  return New;
}

Function *RowGuard::removeFrom(Function &Thread) {
  SmallVector<Type *, 4> Types = {Type::getInt32Ty(Thread.getContext())};
  for (Term &T : Terms) {
    Types.push_back(T.Index->getType());
    if (isa<Argument>(T.Index))
      T.Index = nullptr; // threadIdx.x itself needs no help
  }
  unsigned Next = Thread.arg_size();
  Function *New = addParameters(Thread, Types);
  for (auto [From, To] : Guards) {
    Instruction *Branch = From->getTerminator();
    for (BasicBlock *Successor : successors(From))
      if (Successor != To)
        Successor->removePredecessor(From);
    BranchInst::Create(To, Branch->getIterator());
    Branch->eraseFromParent();
  }
  Argument *Distance = New->getArg(Next++);
  for (const Term &T : Terms) {
    Argument *AtFirst = New->getArg(Next++);
    auto *Index = cast_or_null<Instruction>(T.Index);
    if (!Index)
      continue;
    IRBuilder<> B(Index);
    bool Signed = CmpInst::isSigned(T.Predicate);
    Value *V = B.CreateAdd(AtFirst,
                           B.CreateZExtOrTrunc(Distance, Index->getType()), "",
                           /*HasNUW=*/!Signed, /*HasNSW=*/Signed);
    V->takeName(Index);
    Index->replaceAllUsesWith(V);
  }
  Thread.eraseFromParent();
  return New;
}
