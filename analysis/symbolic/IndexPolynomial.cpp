//===- IndexPolynomial.cpp - Indices as sums of products ------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A cast is looked through only where the operand does not wrap. That would be
// undefined (nsw, nuw); or the operand is small in every launch (special
// registers, under the launch conditions of GridStrideRewrite.cpp); or
// different indices stay different (an index plus a small constant). Otherwise
// it is an atom of its own.
//
//===----------------------------------------------------------------------===//

#include "analysis/symbolic/IndexPolynomial.h"
#include "analysis/symbolic/ExprBuilder.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/GetElementPtrTypeIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace gridspan {

/// Products of more atoms, and constants beyond this in a narrow index, are not
/// worth following.
static constexpr unsigned MaxDegree = 5;
static constexpr unsigned MaxDepth = 64;
static constexpr int64_t MaxNarrowConstant = int64_t(1) << 20;

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

void Polynomial::add(const Product &P, int64_t Factor) {
  if (Factor == 0)
    return;
  auto [It, Inserted] = Terms.try_emplace(P, 0);
  Overflow |= AddOverflow(It->second, Factor, It->second);
  if (It->second == 0)
    Terms.erase(It);
}

Polynomial Polynomial::operator+(const Polynomial &O) const {
  Polynomial Sum = *this;
  Sum.Overflow |= O.Overflow;
  for (const auto &[P, Factor] : O.Terms)
    Sum.add(P, Factor);
  return Sum;
}

Polynomial Polynomial::operator-(const Polynomial &O) const {
  return *this + Polynomial(int64_t(-1)) * O;
}

Polynomial Polynomial::operator*(const Polynomial &O) const {
  Polynomial Result;
  Result.Overflow = Overflow || O.Overflow;
  for (const auto &[P, F] : Terms)
    for (const auto &[Q, G] : O.Terms) {
      Product Both = P;
      append_range(Both, Q);
      sort(Both);
      int64_t Factor = 0;
      Result.Overflow |= MulOverflow(F, G, Factor) || Both.size() > MaxDegree;
      Result.add(Both, Factor);
    }
  return Result;
}

std::optional<int64_t> Polynomial::constant() const {
  if (Terms.empty())
    return 0;
  if (Terms.size() == 1 && Terms.begin()->first.empty())
    return Terms.begin()->second;
  return std::nullopt;
}

int64_t Polynomial::constantTerm() const {
  auto It = Terms.find({});
  return It == Terms.end() ? 0 : It->second;
}

bool Polynomial::contains(AtomId Atom) const {
  return any_of(
      Terms, [&](const auto &Term) { return is_contained(Term.first, Atom); });
}

//===----------------------------------------------------------------------===//
// Atoms
//===----------------------------------------------------------------------===//

AtomId AtomTable::registerAtom(ExprKind Special, unsigned Axis) {
  auto It = find_if(Atoms, [&](const Atom &A) {
    return A.Kind == Atom::Register && A.Special == Special && A.Axis == Axis;
  });
  if (It == Atoms.end())
    It = Atoms.insert(It, {Atom::Register, Special, Axis, 0, nullptr});
  return It - Atoms.begin();
}

AtomId AtomTable::indexAtom(unsigned Signature) {
  auto It = find_if(Atoms, [&](const Atom &A) {
    return A.Kind == Atom::Index && A.Signature == Signature;
  });
  if (It == Atoms.end())
    It =
        Atoms.insert(It, {Atom::Index, ExprKind::Const, 0, Signature, nullptr});
  return It - Atoms.begin();
}

AtomId AtomTable::otherAtom(const Value *V) {
  auto [It, Inserted] = OtherAtoms.try_emplace(V, Atoms.size());
  if (Inserted)
    Atoms.push_back({Atom::Other, ExprKind::Const, 0, 0, V});
  return It->second;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

bool AtomTable::isLinearInRegisters(const Polynomial &P) const {
  return all_of(P.terms(), [&](const auto &Term) {
    return all_of(Term.first,
                  [&](AtomId Id) { return Atoms[Id].Kind == Atom::Register; });
  });
}

/// Returns true if V, as a signed or unsigned number, is the value of its
/// polynomial: sums and products that must not wrap, of atoms and constants.
bool AtomTable::isExact(const Value *V, bool Signed) const {
  const auto *Op = dyn_cast<OverflowingBinaryOperator>(V);
  if (!Op)
    return isa<ConstantInt, Argument, PHINode, LoadInst, CallInst>(V);
  if (Signed ? !Op->hasNoSignedWrap() : !Op->hasNoUnsignedWrap())
    return false;
  return isExact(Op->getOperand(0), Signed) &&
         isExact(Op->getOperand(1), Signed);
}

Polynomial AtomTable::buildCast(const CastInst &Cast) {
  const Value *From = Cast.getOperand(0);
  Polynomial P = of(From);
  Polynomial Itself(otherAtom(&Cast));
  if (P.overflowed())
    return Itself;
  if (P.constant() || isLinearInRegisters(P))
    return P;
  bool IsNearIndex = P.terms().size() == (P.constantTerm() != 0 ? 2U : 1U) &&
                     std::abs(P.constantTerm()) <= MaxNarrowConstant &&
                     any_of(P.terms(), [&](const auto &Term) {
                       return Term.first.size() == 1 &&
                              std::abs(Term.second) == 1 &&
                              Atoms[Term.first[0]].Kind == Atom::Index;
                     });
  if (isa<TruncInst>(Cast))
    return IsNearIndex && Cast.getType()->getIntegerBitWidth() >= 32 ? P
                                                                     : Itself;
  bool Signed = isa<SExtInst>(Cast) || cast<ZExtInst>(Cast).hasNonNeg();
  if (IsNearIndex)
    return P;
  // An atom alone is the cast's, so that its range is that of the wide type.
  bool IsAtom = !isa<Operator>(From) || isa<PHINode>(From);
  return !IsAtom && isExact(From, Signed) ? P : Itself;
}

Polynomial AtomTable::buildGEP(const GEPOperator &GEP) {
  Polynomial Sum = of(GEP.getPointerOperand());
  for (auto It = gep_type_begin(GEP), End = gep_type_end(GEP); It != End;
       ++It) {
    const Value *Index = It.getOperand();
    if (StructType *Struct = It.getStructTypeOrNull()) {
      unsigned Field = cast<ConstantInt>(Index)->getZExtValue();
      Sum = Sum + Polynomial(int64_t(
                      DL.getStructLayout(Struct)->getElementOffset(Field)));
      continue;
    }
    TypeSize Stride = It.getSequentialElementStride(DL);
    if (!Index->getType()->isIntegerTy() || Stride.isScalable())
      return Polynomial(otherAtom(&GEP));
    // A narrow index is extended.
    bool IsWide =
        Index->getType()->getIntegerBitWidth() == 64 || isa<ConstantInt>(Index);
    Polynomial P = IsWide ? of(Index) : Polynomial(otherAtom(Index));
    Sum = Sum + P * Polynomial(int64_t(Stride.getFixedValue()));
  }
  return Sum.overflowed() ? Polynomial(otherAtom(&GEP)) : Sum;
}

Polynomial AtomTable::build(const Value *V) {
  Polynomial Itself(otherAtom(V));
  if (const auto *C = dyn_cast<ConstantInt>(V))
    return C->getValue().getSignificantBits() > 63
               ? Itself
               : Polynomial(C->getSExtValue());
  if (const auto *P = dyn_cast<PHINode>(V)) {
    auto It = Indices.find(P);
    return It == Indices.end() ? Itself : Polynomial(indexAtom(It->second));
  }
  if (const auto *I = dyn_cast<IntrinsicInst>(V)) {
    auto Special = specialRegister(I->getIntrinsicID());
    return Special ? Polynomial(registerAtom(Special->first, Special->second))
                   : Itself;
  }
  if (Depth > MaxDepth)
    return Itself;
  if (const auto *GEP = dyn_cast<GEPOperator>(V))
    return GEP->getType()->isPointerTy() ? buildGEP(*GEP) : Itself;
  if (isa<SExtInst, ZExtInst, TruncInst>(V) && V->getType()->isIntegerTy())
    return buildCast(*cast<CastInst>(V));
  if (!V->getType()->isIntegerTy())
    return Itself;
  const Value *X, *Y;
  const APInt *C;
  Polynomial Result = Itself;
  if (match(V, m_Add(m_Value(X), m_Value(Y))) ||
      match(V, m_DisjointOr(m_Value(X), m_Value(Y))))
    Result = of(X) + of(Y);
  else if (match(V, m_Not(m_Value(X))))
    Result = Polynomial(int64_t(-1)) - of(X);
  else if (match(V, m_Sub(m_Value(X), m_Value(Y))))
    Result = of(X) - of(Y);
  else if (match(V, m_Mul(m_Value(X), m_Value(Y))))
    Result = of(X) * of(Y);
  else if (match(V, m_Shl(m_Value(X), m_APInt(C))) && C->ult(32))
    Result = of(X) * Polynomial(int64_t(1) << C->getZExtValue());
  return Result.overflowed() ? Itself : Result;
}

const Value *withoutExtension(const Value *V) {
  return isa<ZExtInst, SExtInst>(V) ? cast<CastInst>(V)->getOperand(0) : V;
}

Polynomial AtomTable::withoutExtensions(const Polynomial &P) {
  Polynomial Result;
  for (const auto &[Product, Factor] : P.terms()) {
    Polynomial::Product Plain;
    for (AtomId Id : Product) {
      const Value *V = Atoms[Id].V;
      if (Atoms[Id].Kind == Atom::Other && isa<SExtInst, ZExtInst>(V))
        Id = otherAtom(cast<CastInst>(V)->getOperand(0));
      Plain.push_back(Id);
    }
    sort(Plain);
    Result.add(Plain, Factor);
  }
  return Result;
}

const Polynomial &AtomTable::of(const Value *V) {
  if (auto It = Memo.find(V); It != Memo.end())
    return It->second;
  ++Depth;
  Polynomial P = build(V);
  --Depth;
  return Memo[V] = std::move(P);
}

} // namespace gridspan
