//===- OpenOffsets.cpp - Offsets but for what lanes share -----------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A second builder of expressions, with open values for what WarpUniformity
// says that lanes share. Lanes of one request are in one iteration of each loop
// around the access; so a value of such a loop is shared if it is in an
// iteration, while one of a loop that is left also has to be left together.
// What is shared depends on where it is asked, so there is a builder for each
// set of loops around.
//
//===----------------------------------------------------------------------===//

#include "analysis/advice/sites/OpenOffsets.h"
#include "analysis/advice/sites/SharedAddress.h"
#include "analysis/nvptx/KernelAnalyses.h"
#include "analysis/nvptx/WarpUniformity.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Function.h"
#include <map>

using namespace llvm;

namespace gridspan {

struct OpenOffsets::Impl {
  Impl(const Function &Kernel, const KernelAnalyses &A)
      : Uniformity(Kernel, A.LI) {}

  WarpUniformity Uniformity;
  struct Builder {
    ExprBuilder::IsSharedFn IsShared;
    std::unique_ptr<ExprBuilder> Exprs;
  };
  std::map<unsigned, Builder> Builders; ///< by number of the innermost loop
  Builder *Present = nullptr;
};

OpenOffsets::OpenOffsets(const Function &Kernel, const KernelAnalyses &Analyses,
                         ExprBuilder &Closed, ExprGraph &Graph)
    : Kernel(Kernel), A(Analyses), Closed(Closed), Graph(Graph) {}

OpenOffsets::~OpenOffsets() = default;

OpenOffsets::Impl &OpenOffsets::at(const BasicBlock &At) {
  if (!P)
    P = std::make_unique<Impl>(Kernel, A);
  const Loop *Around = A.LI.getLoopFor(&At);
  Impl::Builder &B = P->Builders[Around ? Closed.numberOf(Around) : ~0u];
  P->Present = &B;
  if (B.Exprs)
    return *P;
  // Any block of the loop's own stands for all of them.
  const BasicBlock *Place = Around ? Around->getHeader() : &At;
  B.IsShared = [this, Place](const Value *V) {
    return P->Uniformity.isUniformAt(V, *Place);
  };
  B.Exprs = std::make_unique<ExprBuilder>(Kernel, A.DT, A.LI, A.SE, Graph);
  SmallVector<Loop *, 8> Loops(A.LI.getLoopsInPreorder());
  for (const Loop *L : Loops)
    Closed.numberOf(L);
  llvm::sort(Loops, [&](const Loop *L, const Loop *R) {
    return Closed.numberOf(L) < Closed.numberOf(R);
  });
  for (const Loop *L : Loops)
    B.Exprs->numberOf(L);
  B.Exprs->followCarried();
  B.Exprs->openUnknown(B.IsShared);
  return *P;
}

ExprId OpenOffsets::ofGlobal(const Value *Pointer, const BasicBlock &At) {
  Impl::Builder &B = *at(At).Present;
  SmallVector<PointerTarget, 2> Targets =
      B.Exprs->pointerAt(Pointer, NoContext);
  erase_if(Targets, [](const PointerTarget &T) {
    return T.Where == PointerTarget::NotGlobal;
  });
  if (Targets.empty())
    if (const std::optional<VariableAddress> Own =
            globalAddressOf(Pointer, *B.Exprs, Graph, Kernel.getDataLayout()))
      return Graph.isFollowed(Own->Offset) ? Own->Offset : NoExpr;
  if (Targets.size() != 1 ||
      Targets.front().Where != PointerTarget::Parameter ||
      !Graph.isFollowed(Targets.front().Offset))
    return NoExpr;
  return Targets.front().Offset;
}

ExprId OpenOffsets::ofShared(const Value *Pointer, const BasicBlock &At) {
  Impl::Builder &B = *at(At).Present;
  std::optional<VariableAddress> Address = sharedAddressOf(
      Pointer, *B.Exprs, Graph, Kernel.getDataLayout(), B.IsShared);
  if (!Address || !Graph.isFollowed(Address->Offset))
    return NoExpr;
  return Address->Offset;
}

} // namespace gridspan
