//===- IndexPolynomial.h - Indices as sums of products ----------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A value as a polynomial over atoms: the special registers, the indices of
// grid-stride loops, and values that are not looked into. Polynomials compare
// indices that ScalarEvolution keeps apart because of casts and wrapping. A
// polynomial is the value of the index where special registers and indices do
// not wrap. Its user has to see to that.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ANALYSIS_SYMBOLIC_INDEXPOLYNOMIAL_H
#define GRIDSPAN_ANALYSIS_SYMBOLIC_INDEXPOLYNOMIAL_H

#include "analysis/expr/Expr.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include <map>
#include <optional>
#include <vector>

namespace llvm {
class CastInst;
class DataLayout;
class GEPOperator;
class PHINode;
class Value;
} // namespace llvm

namespace gridspan {

/// Number of an atom in its AtomTable.
using AtomId = unsigned;

class Polynomial {
public:
  /// Atoms of a product, ascending; empty for the constant.
  using Product = llvm::SmallVector<AtomId, 2>;

  Polynomial() = default;
  explicit Polynomial(int64_t Constant) { add({}, Constant); }
  explicit Polynomial(AtomId Atom) { add({Atom}, 1); }

  void add(const Product &P, int64_t Factor);
  Polynomial operator+(const Polynomial &O) const;
  Polynomial operator-(const Polynomial &O) const;
  Polynomial operator*(const Polynomial &O) const;
  bool operator==(const Polynomial &O) const { return Terms == O.Terms; }

  const std::map<Product, int64_t> &terms() const { return Terms; }
  std::optional<int64_t> constant() const;
  int64_t constantTerm() const;
  bool isZero() const { return Terms.empty(); }
  bool contains(AtomId Atom) const;
  /// Returns true if some factor does not fit 64 bits: nothing is known.
  bool overflowed() const { return Overflow; }

private:
  std::map<Product, int64_t> Terms; ///< no zero factors
  bool Overflow = false;
};

struct Atom {
  enum AtomKind {
    Register, ///< a special register: Special, Axis
    Index,    ///< of grid-stride loops with one Signature
    Other,    ///< V, not looked into
  } Kind;
  ExprKind Special =
      ExprKind::Const; ///< ThreadIdx, BlockIdx, BlockDim, GridDim
  unsigned Axis = 0;
  unsigned Signature = 0;
  const llvm::Value *V = nullptr;
};

/// Returns the value that V is extended from, or V.
const llvm::Value *withoutExtension(const llvm::Value *V);

/// Names atoms, and writes values as polynomials. They are right modulo
/// 2^width.
class AtomTable {
public:
  explicit AtomTable(const llvm::DataLayout &DL) : DL(DL) {}

  /// P takes the values of the atom Index(Signature).
  void setIndex(const llvm::PHINode *P, unsigned Signature) {
    Indices[P] = Signature;
  }
  void forgetIndices() {
    Indices.clear();
    Memo.clear();
  }

  AtomId registerAtom(ExprKind Special, unsigned Axis);
  AtomId indexAtom(unsigned Signature);
  const Atom &operator[](AtomId Id) const { return Atoms[Id]; }

  const Polynomial &of(const llvm::Value *V);
  /// P with what extended values are extended from in their place: the same if
  /// they are not negative.
  Polynomial withoutExtensions(const Polynomial &P);

private:
  AtomId otherAtom(const llvm::Value *V);
  bool isLinearInRegisters(const Polynomial &P) const;
  bool isExact(const llvm::Value *V, bool Signed) const;
  Polynomial build(const llvm::Value *V);
  Polynomial buildCast(const llvm::CastInst &Cast);
  Polynomial buildGEP(const llvm::GEPOperator &GEP);

  const llvm::DataLayout &DL;
  std::vector<Atom> Atoms;
  llvm::DenseMap<const llvm::Value *, AtomId> OtherAtoms;
  llvm::DenseMap<const llvm::PHINode *, unsigned> Indices;
  std::map<const llvm::Value *, Polynomial> Memo; ///< looked up, never walked
  unsigned Depth = 0;
};

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_SYMBOLIC_INDEXPOLYNOMIAL_H
