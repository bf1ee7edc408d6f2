//===- GridStride.cpp - Loops that stride over the whole grid -------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// When may the iterations of a grid-stride loop be run by other threads than
// those that the program gives them to? If the kernel's effects are the same.
// CUDA orders nothing between blocks, nor between threads that do not
// synchronize, so only what one thread does in order can matter. It is proven
// that:
//
//   1. The threads along the axis run each iteration once: start, step and
//      bound are those of GridStride.h, the bound is invariant, and the loop is
//      left at its end only. Nothing wraps: the clone checks that at the launch
//      (GridStrideRewrite.cpp).
//   2. Either all threads along the axis enter the loop, or the loop's own
//      first test keeps them out: every other condition on the way to it is the
//      same for all of them. It is in no loop but others of this kind.
//   3. An iteration is a function of its index: nothing in it uses threadIdx or
//      blockIdx of the axis, or what is computed from them, except through the
//      index. No value goes from one iteration to the next, or out of the loop.
//      (A sum of floating point numbers by each thread is such a value: other
//      threads would round differently.)
//   4. An iteration has no effects but plain loads and stores, and integer
//      atomics whose results are not used, all of one commutative operation on
//      all that they may reach. No barrier, vote or shuffle; no memory of the
//      block or thread, which would carry values.
//   5. No two iterations that were one thread's touch the same memory if one of
//      them writes it: all accesses through a pointer that is written are to
//      the element that belongs to the iteration, whose address is a polynomial
//      in the indices of which each element has another value (mixed radix: the
//      coefficient of an outer index is that of the inner one times the inner
//      one's bound). Two loops in which an index goes through the same values
//      give it to the same threads, before and after.
//
//      That different pointers lead to different memory is checked at the
//      launch (GridspanRepartitioned in ABI.h); pointers to the very same
//      elements are fine if each iteration accesses its own only (OwnElement).
//
//===----------------------------------------------------------------------===//

#include "analysis/gridstride/GridStride.h"
#include "analysis/gridstride/StrideDependence.h"
#include "analysis/gridstride/StrideExtension.h"
#include "analysis/gridstride/StrideForm.h"
#include "analysis/gridstride/StrideMemory.h"
#include "analysis/nvptx/SourceLocation.h"
#include "analysis/symbolic/IndexPolynomial.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace gridspan {

static constexpr struct {
  StringLiteral Name, Text;
} Refusals[] = {
#define GRIDSPAN_STRIDE_REFUSAL(Kind, Name, Text) {Name, Text},
#include "analysis/gridstride/GridStride.def"
};

StringRef strideRefusalName(StrideRefusalKind Kind) {
  return Refusals[unsigned(Kind)].Name;
}

StringRef strideRefusalText(StrideRefusalKind Kind) {
  return Refusals[unsigned(Kind)].Text;
}

std::string StrideRefusal::message() const {
  std::string Out = formatv("a grid-stride loop keeps its distribution: {0}",
                            strideRefusalText(Kind));
  const Instruction *At = Where ? Where : L->getHeader()->getTerminator();
  if (std::string Place = sourceLocation(*At); !Place.empty())
    Out += " at " + Place;
  return Out;
}

namespace {

/// Takes loops by their form, and gives up those that fail an obligation, until
/// none does.
class Finder {
public:
  Finder(const Function &F, const KernelAnalyses &A)
      : F(F), A(A), Atoms(F.getDataLayout()), Memory(F, A, Atoms) {}

  GridStrideResult run();

private:
  /// Gives up loops that Check objects to; true if there were some.
  bool filter(function_ref<StrideVerdict(const GridStrideLoop &)> Check);
  StrideVerdict checkNesting(const GridStrideLoop &G) const;

  void refuse(const Loop *L, StrideObstacle O) {
    Out.Refusals.push_back({O.Kind, L, O.Where});
  }

  const Function &F;
  const KernelAnalyses &A;
  AtomTable Atoms;
  StrideMemory Memory;
  GridStrideResult Out;
};

} // namespace

bool Finder::filter(function_ref<StrideVerdict(const GridStrideLoop &)> Check) {
  std::vector<std::pair<const Loop *, StrideObstacle>> Given;
  for (const GridStrideLoop &G : Out.Loops)
    if (StrideVerdict V = Check(G))
      Given.emplace_back(G.L, *V);
  for (const auto &[L, Why] : Given) {
    refuse(L, Why);
    erase_if(Out.Loops, [L = L](const GridStrideLoop &G) { return G.L == L; });
  }
  return !Given.empty();
}

StrideVerdict Finder::checkNesting(const GridStrideLoop &G) const {
  for (const Loop *L = G.L->getParentLoop(); L; L = L->getParentLoop())
    if (!findStrideLoop(Out.Loops, L))
      return StrideObstacle{StrideRefusalKind::WithinLoop};
  return std::nullopt;
}

GridStrideResult Finder::run() {
  for (const Loop *L : A.LI.getLoopsInPreorder()) {
    std::optional<StrideMatch> Match = matchGridStride(L, Atoms);
    if (!Match)
      continue;
    if (Match->Missing)
      refuse(L, *Match->Missing);
    else
      Out.Loops.push_back(std::move(Match->Loop));
  }
  if (Out.Loops.empty())
    return std::move(Out);
  if (StrideVerdict V = Memory.collect()) {
    filter([&](const GridStrideLoop &) { return V; });
    return std::move(Out);
  }
  // A loop that is given up may be in the way of others.
  bool Changed = true;
  while (Changed && !Out.Loops.empty()) {
    numberIndices(Out.Loops, A.SE, Atoms);
    Changed = filter([&](const GridStrideLoop &G) { return checkNesting(G); });
    if (Changed)
      continue;
    Changed = filter([&](const GridStrideLoop &G) -> StrideVerdict {
      StrideDependence Dependence(F, A, Out.Loops, G, Atoms);
      if (StrideVerdict V = Dependence.checkEntry())
        return V;
      return Dependence.checkIteration();
    });
    if (Changed)
      continue;
    std::map<const Loop *, StrideObstacle> Bad = Memory.conflicts(Out.Loops);
    Changed = filter([&](const GridStrideLoop &G) -> StrideVerdict {
      auto It = Bad.find(G.L);
      return It == Bad.end() ? StrideVerdict() : It->second;
    });
  }
  if (!Out.Loops.empty()) {
    Out.OwnElement = Memory.ownElements(Out.Loops);
    Out.Elastic = elasticAxes(F, A, Out.Loops, Atoms);
  }
  return std::move(Out);
}

GridStrideResult findGridStrideLoops(const Function &Kernel,
                                     const KernelAnalyses &Analyses) {
  return Finder(Kernel, Analyses).run();
}

AnalysisKey GridStrideAnalysis::Key;

GridStrideResult GridStrideAnalysis::run(Function &Kernel,
                                         FunctionAnalysisManager &FAM) {
  return findGridStrideLoops(Kernel, KernelAnalyses::get(Kernel, FAM));
}

bool GridStrideResult::invalidate(Function &Kernel, const PreservedAnalyses &PA,
                                  FunctionAnalysisManager::Invalidator &Inv) {
  auto Checker = PA.getChecker<GridStrideAnalysis>();
  bool IsPreserved =
      Checker.preserved() || Checker.preservedSet<AllAnalysesOn<Function>>();
  return !IsPreserved || Inv.invalidate<LoopAnalysis>(Kernel, PA);
}

} // namespace gridspan
