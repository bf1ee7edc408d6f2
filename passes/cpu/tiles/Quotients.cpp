//===- Quotients.cpp - Indices that are divided ---------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A quotient of an index that does not wrap around is monotone in the thread's
// number. So if it is the same for the first and the last thread, it is for
// all. An index that is not less for the last thread than for the first has not
// wrapped around, as a tile has far fewer threads than there are numbers.
//
// The remainder is less than the divisor and has the index's sign, so that
// adding the thread's number to the first thread's does not wrap around either.
//
// A division that would trap has 1 for its divisor (CpuDivision.cpp): by 0, as
// all threads of the tile, or of the least number by -1, as one thread, whose
// quotient is then not that of the next one.
//
//===----------------------------------------------------------------------===//

#include "passes/cpu/tiles/Quotients.h"
#include "passes/common/CpuNames.h"
#include "passes/cpu/regions/RowValues.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace gridspan;

/// Returns the choice of another divisor where this one traps, if V is one.
static Instruction *replacedDivisor(Value *V) {
  auto *Choice = dyn_cast<SelectInst>(V);
  return Choice && match(Choice->getTrueValue(), m_One()) ? Choice : nullptr;
}

SmallVector<Quotient> gridspan::findQuotients(Function &Row) {
  SmallVector<Quotient> Out;
  const Argument *Thread = Row.getArg(1);
  for (Instruction &I : instructions(Row)) {
    Value *Index, *Divisor;
    const bool IsSigned = match(
        &I,
        m_FPToSI(m_FDiv(m_SIToFP(m_Value(Index)), m_SIToFP(m_Value(Divisor)))));
    if (!IsSigned && !match(&I, m_FPToUI(m_FDiv(m_UIToFP(m_Value(Index)),
                                                m_UIToFP(m_Value(Divisor))))))
      continue;
    Instruction *Replaced = replacedDivisor(Divisor);
    const Value *Given =
        Replaced ? cast<SelectInst>(Replaced)->getFalseValue() : Divisor;
    if (isComputableOutside(Index) && isComputableOutside(Divisor) &&
        isIndex(Index, Thread, /*MayBeFrozen=*/true) &&
        !dependsOn(Given, Thread))
      Out.push_back({&I, Index, Replaced, IsSigned});
  }
  return Out;
}

/// Copies the instructions that compute V to where B inserts. The copies are
/// numbers where V is, so that all copies of a frozen value are the same.
static Value *materialize(Value *V, ValueToValueMapTy &Map, IRBuilder<> &B) {
  if (Value *Known = Map.lookup(V))
    return Known;
  auto *Original = dyn_cast<Instruction>(V);
  if (!Original)
    return V;
  if (isa<FreezeInst>(Original))
    return Map[V] = materialize(Original->getOperand(0), Map, B);
  Instruction *Copy = Original->clone();
  for (Use &Operand : Copy->operands())
    Operand.set(materialize(Operand, Map, B));
  Copy->setDebugLoc(DebugLoc());
  Copy->dropPoisonGeneratingFlags();
  B.Insert(Copy);
  Map[V] = Copy;
  return Copy;
}

Value *gridspan::emitAreSame(ArrayRef<Quotient> Quotients, Function &Row,
                             const ValueToValueMapTy &Parameters, unsigned Last,
                             IRBuilder<> &B) {
  ValueToValueMapTy First, End;
  for (const auto &[Parameter, V] : Parameters) {
    First[Parameter] = V;
    End[Parameter] = V;
  }
  First[Row.getArg(1)] = B.getInt32(0);
  End[Row.getArg(1)] = B.getInt32(Last);
  Value *Out = B.getTrue();
  for (const Quotient &Q : Quotients) {
    Out = B.CreateAnd(Out, B.CreateICmpEQ(materialize(Q.Result, First, B),
                                          materialize(Q.Result, End, B)));
    Out = B.CreateAnd(
        Out, B.CreateICmp(Q.IsSigned ? CmpInst::ICMP_SLE : CmpInst::ICMP_ULE,
                          materialize(Q.Index, First, B),
                          materialize(Q.Index, End, B)));
  }
  return Out;
}

/// Makes remainders of Q what thread 0's is and the thread's number.
static void countRemainders(const Quotient &Q, Argument &Thread) {
  Value *Divisor = nullptr;
  match(Q.Result, m_FPToSI(m_FDiv(m_Value(), m_SIToFP(m_Value(Divisor))))) ||
      match(Q.Result, m_FPToUI(m_FDiv(m_Value(), m_UIToFP(m_Value(Divisor)))));
  const Value *Given =
      Q.Divisor ? cast<SelectInst>(Q.Divisor)->getFalseValue() : Divisor;
  SmallVector<Instruction *> Remainders;
  for (User *Product : Q.Result->users())
    for (User *U : Product->users()) {
      Value *Factor;
      if (match(U, m_Sub(m_Specific(Q.Index),
                         m_c_Mul(m_Specific(Q.Result), m_Value(Factor)))) &&
          (Factor == Divisor || Factor == Given) && isComputableOutside(U))
        Remainders.push_back(cast<Instruction>(U));
    }
  for (Instruction *R : Remainders) {
    ValueToValueMapTy First;
    First[&Thread] = ConstantInt::get(Thread.getType(), 0);
    IRBuilder<> B(R);
    Value *OfFirst = materialize(R, First, B);
    R->replaceAllUsesWith(
        B.CreateAdd(OfFirst, B.CreateZExtOrTrunc(&Thread, R->getType()), "",
                    /*HasNUW=*/!Q.IsSigned, /*HasNSW=*/Q.IsSigned));
  }
}

void gridspan::shareQuotients(ArrayRef<Quotient> Quotients, Function &Row) {
  for (const Quotient &Q : Quotients) {
    countRemainders(Q, *Row.getArg(1));
    ValueToValueMapTy First;
    First[Row.getArg(1)] = ConstantInt::get(Row.getArg(1)->getType(), 0);
    IRBuilder<> B(Q.Result);
    Value *Shared = materialize(Q.Result, First, B);
    Q.Result->replaceAllUsesWith(Shared);
    if (Q.Divisor)
      B.SetInsertPoint(Q.Divisor);
    if (Q.Divisor && dependsOn(Q.Divisor, Row.getArg(1))) {
      ValueToValueMapTy Zero;
      Zero[Row.getArg(1)] = First[Row.getArg(1)];
      Value *Divisor = materialize(Q.Divisor, Zero, B);
      Q.Divisor->replaceAllUsesWith(Divisor);
    }
  }
}
