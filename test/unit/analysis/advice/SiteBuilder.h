//===- SiteBuilder.h - Kernels as data, made by hand ------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Kernels as data, made by hand: loads and stores of threads with consecutive
// numbers, in loops with known counts.

#ifndef GRIDSPAN_TEST_UNIT_ANALYSIS_ADVICE_SITEBUILDER_H
#define GRIDSPAN_TEST_UNIT_ANALYSIS_ADVICE_SITEBUILDER_H

#include "analysis/advice/sites/MemorySites.h"
#include "analysis/expr/ConcreteEval.h"

namespace gridspan {

struct SiteBuilder {
  KernelSites Kernel;
  LaunchValues Launch;
  ExprGraph &P = Kernel.Exprs;

  SiteBuilder(uint32_t Blocks, uint32_t Threads) {
    Kernel.Name = "k";
    Launch.Grid = {Blocks, 1, 1};
    Launch.Block = {Threads, 1, 1};
  }

  ExprId number(int64_t Value, unsigned Width = 32) {
    return P.constant(Width, Value);
  }
  ExprId add(ExprId A, ExprId B) { return P.binary(ExprKind::Add, A, B); }
  ExprId mul(ExprId A, ExprId B) { return P.binary(ExprKind::Mul, A, B); }
  ExprId thread() {
    return add(
        mul(P.special(ExprKind::BlockIdx, 0), P.special(ExprKind::BlockDim, 0)),
        P.special(ExprKind::ThreadIdx, 0));
  }
  /// 0, 1, ... Trips - 1 in loop 0.
  ExprId counter(int64_t Trips) {
    return P.iter(number(0), number(1), number(Trips - 1), 0, 0);
  }
  SiteLoop loop(int64_t Trips) { return {0, number(Trips - 1), true}; }

  /// A load or store of the element with that index of array Base.
  MemorySite &access(SiteKind Kind, const char *Base, ExprId Index,
                     unsigned Size) {
    MemorySite &Site = Kernel.Sites.emplace_back();
    Site.Site = Kernel.Sites.size() - 1;
    Site.Kind = Kind;
    Site.Base = Base;
    Site.Size = Site.Piece = Site.Alignment = Size;
    Site.Offset = mul(P.cast(ExprKind::SExt, Index, 64), number(Size, 64));
    return Site;
  }
};

} // namespace gridspan

#endif // GRIDSPAN_TEST_UNIT_ANALYSIS_ADVICE_SITEBUILDER_H
