//===- Distances.h - Values of neighbours and of turns ----------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Estimates how far apart addresses are, between neighbouring threads or from
// turn to turn of a loop, to choose the order in which threads take it. Only an
// estimate: integers that wrap around are not considered.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_PASSES_CPU_REGIONS_DISTANCES_H
#define GRIDSPAN_PASSES_CPU_REGIONS_DISTANCES_H

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Operator.h"
#include <algorithm>
#include <map>
#include <optional>

namespace gridspan {

/// How far a value is from that of the next thread of the row, or of the next
/// turn of a loop: a number, a number that is not known but taken for large, or
/// unknown.
class Distance {
public:
  static constexpr int64_t Large = int64_t(1) << 40;

  Distance(int64_t Value) : Value(Value) {}
  static Distance unknown() { return Distance(); }

  bool isKnown() const { return Value.has_value(); }
  bool isZero() const { return Value == 0; }
  bool isAtLeast(int64_t Least) const {
    return Value && std::abs(*Value) >= Least;
  }
  bool operator==(const Distance &Other) const = default;
  Distance operator+(const Distance &Other) const {
    return isKnown() && Other.isKnown() ? cut(*Value + *Other.Value)
                                        : unknown();
  }
  /// The distance of a value that is Factor times as large.
  Distance times(int64_t Factor) const {
    if (!isKnown() || isZero() || Factor == 0)
      return isKnown() ? Distance(0) : unknown();
    return std::abs(*Value) >= Large / std::abs(Factor)
               ? Distance(Large)
               : Distance(*Value * Factor);
  }

private:
  Distance() = default;
  static Distance cut(int64_t V) { return std::clamp(V, -Large, Large); }
  std::optional<int64_t> Value;
};

/// Finds the distances of values, given those of some.
class Distances {
public:
  Distances(const llvm::DataLayout &DL, const llvm::Loop &L, bool OfTurns,
            const llvm::Argument &TidX)
      : DL(DL), L(L), OfTurns(OfTurns), TidX(TidX) {}

  Distance of(const llvm::Value *V) {
    if (auto It = Known.find(V); It != Known.end())
      return It->second;
    // Of a value that depends on itself: what its other operands say.
    Known.insert({V, Distance(0)});
    const Distance Out = compute(V);
    Known.insert_or_assign(V, Out);
    return Out;
  }

private:
  Distance compute(const llvm::Value *V);
  Distance ofProduct(const llvm::Value *A, const llvm::Value *B);
  Distance stepOf(const llvm::PHINode &Phi, const llvm::Value *V,
                  unsigned Depth);
  Distance ofPhi(const llvm::PHINode &Phi);
  Distance ofAddress(const llvm::GEPOperator &Address);

  const llvm::DataLayout &DL;
  const llvm::Loop &L;
  const bool OfTurns; ///< of L, not of threads
  const llvm::Argument &TidX;
  std::map<const llvm::Value *, Distance> Known;
};

} // namespace gridspan

#endif // GRIDSPAN_PASSES_CPU_REGIONS_DISTANCES_H
