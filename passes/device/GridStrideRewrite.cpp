//===- GridStrideRewrite.cpp - Contiguous tiles of strided loops ----------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rewrites a loop for which findGridStrideLoops has proven that its iterations
// may be run by other threads. The tile has, along the loop's axis, blocks
// origin .. origin + count - 1 of a grid of `grid` blocks of `size` threads (1
// for a loop by blocks). Iterations are counted in units: those of a warp along
// x, 1 along other axes and for a loop by blocks. With
//
//   iterations = how many there are:  ceil(|bound - base| / |s|)
//   units      = ceil(iterations / unit)
//   first(b)   = unit * share(b), from 0 to units as b goes from 0 to grid:
//   share(b)   = floor(units * b / grid), in a grid of less than 2^16 blocks;
//                in a larger one the first units % grid blocks have one more
//                than others
//
// the tile runs iterations first(origin) .. first(origin + count) - 1. Inside
// the tile they go round its count * size threads as those of the original loop
// go round the grid. The same neighbours run at the same time, as the hardware
// wants. The loop has
//
//   start + s * (first(origin) - origin * size)   in place of start
//   s * count * size                              in place of the step
//   base + s * first(origin + count)              in place of the bound, and
//                                                 no farther than that
//
// A loop that goes down (s < 0) takes the tiles from the other end, first(grid
// - origin - count) and first(grid - origin), so that tiles and memory are in
// the same order.
//
// Tiles begin at full units, so that the alignment of warps stays, and depend
// on the blocks alone. However a grid is partitioned into tiles, each iteration
// is in one of them. A tile that is all of the grid runs the loop as it was.
// Divisions are of 32 bits: one of 64 would call a function, and its registers
// would cost the kernel its occupancy.
//
// That holds where numbers are what they look like. So the rest is computed in
// 64 bits, and the loop stays as it is in a launch where not
//
//   * |s| * grid * size fits 31 bits: no product of special registers wraps,
//   * base and bound keep |s| * grid * size away from the ends of their type:
//     the index does not wrap, in this loop or the original,
//   * units fit 32 bits,
//   * there are grid * (size + 2 * unit) iterations at least; more than grid,
//     if the loop is by blocks. Then every thread of the grid enters the
//     original loop (its first test need not change), and every thread of every
//     tile has at least one iteration here: a tile of count blocks has count *
//     (units / grid - 1) units at least, rounded up to one where count is 1, of
//     which the last may lack all iterations but one. With fewer iterations a
//     thread has hardly more than one.
//
// An llvm.assume says for the analyses what that implies: the first index is
// within the bound. A loop without a first test keeps its first iteration where
// it stays as it is, and gets none.
//
//===----------------------------------------------------------------------===//

#include "passes/device/GridStrideRewrite.h"
#include "analysis/nvptx/Kernels.h"
#include "analysis/nvptx/TilePosition.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/InstSimplifyFolder.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

#define DEBUG_TYPE "gridspan-repartition"

using namespace llvm;

STATISTIC(NumLoops, "Grid-stride loops made contiguous in tiles");

namespace gridspan {

namespace {

/// Base, bound and their distance are kept below this in 64-bit loops.
constexpr int64_t LargestWide = int64_t(1) << 61;
/// The values that the base is a sum of are kept below this.
constexpr int64_t LargestTerm = int64_t(1) << 40;

class LoopRewriter {
public:
  LoopRewriter(const GridStrideLoop &G, ScalarEvolution &SE, DominatorTree &DT,
               LoopInfo &LI, AssumptionCache &AC);

  void run();

private:
  Value *readRegister(Intrinsic::ID X, Intrinsic::ID Y, Intrinsic::ID Z);
  Value *readTile(bool IsCount);
  Value *i64(int64_t X) { return B.getInt64(X); }
  /// Tiles begin at multiples of 2^this.
  unsigned unitShift() const { return G.PerBlock || G.Axis != 0 ? 0 : 5; }
  Value *extend(Value *V) {
    return CmpInst::isSigned(G.Pred) ? B.CreateSExt(V, B.getInt64Ty())
                                     : B.CreateZExt(V, B.getInt64Ty());
  }
  void require(Value *Condition) {
    Valid = Valid ? B.CreateAnd(Valid, Condition) : Condition;
  }
  Value *emitBase();
  Value *emitFirst(Value *Block);
  void requireNoWrap(Value *Base, Value *Bound);

  const GridStrideLoop &G;
  ScalarEvolution &SE;
  AssumptionCache &AC;
  BasicBlock *Preheader;
  IRBuilder<InstSimplifyFolder> B;
  unsigned Width;
  Value *Grid, *Size;                         ///< i64
  Value *PerBlock = nullptr, *Rest = nullptr; ///< units / grid, units % grid
                                              ///< in 32 bits
  Value *Reach = nullptr;                     ///< |s| * threads
  Value *Valid = nullptr;
};

} // namespace

LoopRewriter::LoopRewriter(const GridStrideLoop &G, ScalarEvolution &SE,
                           DominatorTree &DT, LoopInfo &LI, AssumptionCache &AC)
    : G(G), SE(SE), AC(AC),
      Preheader(SplitEdge(G.L->getLoopPredecessor(), G.L->getHeader(), &DT, &LI,
                          nullptr, "stride")),
      B(Preheader->getContext(),
        InstSimplifyFolder(Preheader->getDataLayout())),
      Width(G.Index->getType()->getIntegerBitWidth()) {
  B.SetInsertPoint(Preheader->getTerminator());
  Grid = readRegister(Intrinsic::nvvm_read_ptx_sreg_nctaid_x,
                      Intrinsic::nvvm_read_ptx_sreg_nctaid_y,
                      Intrinsic::nvvm_read_ptx_sreg_nctaid_z);
  Size = G.PerBlock ? i64(1)
                    : readRegister(Intrinsic::nvvm_read_ptx_sreg_ntid_x,
                                   Intrinsic::nvvm_read_ptx_sreg_ntid_y,
                                   Intrinsic::nvvm_read_ptx_sreg_ntid_z);
}

Value *LoopRewriter::readRegister(Intrinsic::ID X, Intrinsic::ID Y,
                                  Intrinsic::ID Z) {
  Intrinsic::ID Id = G.Axis == 0 ? X : G.Axis == 1 ? Y : Z;
  return B.CreateZExt(B.CreateIntrinsic(B.getInt32Ty(), Id, {}),
                      B.getInt64Ty());
}

Value *LoopRewriter::readTile(bool IsCount) {
  Module &M = *Preheader->getModule();
  return B.CreateZExt(B.CreateCall(tilePositionFunction(M, {IsCount, G.Axis})),
                      B.getInt64Ty());
}

Value *LoopRewriter::emitBase() {
  Value *Base = i64(G.Constant);
  for (const auto &[Factor, Term] : G.Terms) {
    Value *V = extend(Term);
    if (Width > 32)
      require(B.CreateICmpULT(B.CreateAdd(V, i64(LargestTerm)),
                              i64(2 * LargestTerm)));
    Base = B.CreateAdd(Base, B.CreateMul(V, i64(Factor)));
  }
  return Base;
}

/// Base and Bound stay Reach away from the ends of the index's type.
void LoopRewriter::requireNoWrap(Value *Base, Value *Bound) {
  bool Signed = CmpInst::isSigned(G.Pred), Up = G.Scale > 0;
  int64_t Most = Width > 32 ? LargestWide
                 : Signed   ? maxIntN(Width)
                            : int64_t(maxUIntN(Width));
  int64_t Least = !Signed ? 0 : Width > 32 ? -LargestWide : minIntN(Width);
  for (Value *V : {Base, Bound}) {
    // The type keeps some ends.
    bool IsNarrow = V == Bound && Width <= 32;
    if (Up || !IsNarrow)
      require(B.CreateICmpSLE(V, B.CreateSub(i64(Most), Up ? Reach : i64(0))));
    if (!Up || !IsNarrow)
      require(
          B.CreateICmpSGE(V, Up ? i64(Least) : B.CreateAdd(i64(Least), Reach)));
  }
}

/// Returns the first iteration of Block, if a tile begins there.
Value *LoopRewriter::emitFirst(Value *Block) {
  Block = B.CreateTrunc(Block, B.getInt32Ty());
  Value *Grid32 = B.CreateTrunc(Grid, B.getInt32Ty());
  Value *Even = B.CreateUDiv(B.CreateMul(Rest, Block), Grid32);
  Value *First = B.CreateBinaryIntrinsic(Intrinsic::umin, Block, Rest);
  Value *IsSmall = B.CreateICmpULT(Grid32, B.getInt32(1 << 16));
  Value *Share = B.CreateAdd(B.CreateMul(PerBlock, Block),
                             B.CreateSelect(IsSmall, Even, First));
  return B.CreateShl(B.CreateZExt(Share, B.getInt64Ty()), unitShift());
}

void LoopRewriter::run() {
  ++NumLoops;
  Type *Ty = G.Index->getType();
  Value *Limit = G.Test->getOperand(G.LimitOperand);
  Value *Step = G.Next->getOperand(G.StepOperand);
  Value *Start = G.Index->getIncomingValueForBlock(Preheader);
  bool Up = G.Scale > 0, Strict = CmpInst::isStrictPredicate(G.Pred);
  int64_t Scale = std::abs(G.Scale);

  bool IsEnteredByTest = SE.isLoopEntryGuardedByCond(
      G.L, G.Pred, SE.getSCEV(Start), SE.getSCEV(Limit));

  Value *Threads = B.CreateMul(Grid, Size);
  Reach = B.CreateMul(Threads, i64(Scale));
  require(B.CreateICmpULE(Reach, i64(INT32_MAX)));
  Value *Base = emitBase(), *Bound = extend(Limit);
  requireNoWrap(Base, Bound);
  Value *Distance = Up ? B.CreateSub(Bound, Base) : B.CreateSub(Base, Bound);
  if (!Strict)
    Distance = B.CreateAdd(Distance, i64(1));
  // At least 1, so that what follows is about numbers that make sense.
  Distance = B.CreateBinaryIntrinsic(Intrinsic::smax, Distance, i64(1));
  Value *Iterations =
      B.CreateUDiv(B.CreateAdd(Distance, i64(Scale - 1)), i64(Scale));
  int64_t Unit = int64_t(1) << unitShift();
  require(G.PerBlock
              ? B.CreateICmpUGT(Iterations, Threads)
              : B.CreateICmpUGE(
                    Iterations,
                    B.CreateMul(Grid, B.CreateAdd(Size, i64(2 * Unit)))));
  Value *Units64 =
      B.CreateLShr(B.CreateAdd(Iterations, i64(Unit - 1)), unitShift());
  require(B.CreateICmpULE(Units64, i64(UINT32_MAX)));
  Value *Units = B.CreateTrunc(Units64, B.getInt32Ty());
  Value *Grid32 = B.CreateTrunc(Grid, B.getInt32Ty());
  PerBlock = B.CreateUDiv(Units, Grid32);
  Rest = B.CreateSub(Units, B.CreateMul(PerBlock, Grid32));

  Value *Origin = readTile(/*IsCount=*/false);
  Value *Count = readTile(/*IsCount=*/true);
  Value *Behind = B.CreateAdd(Origin, Count);
  // A loop that goes down: the first tile gets the last iterations.
  Value *Lo = emitFirst(Up ? Origin : B.CreateSub(Grid, Behind));
  Value *Hi = emitFirst(Up ? Behind : B.CreateSub(Grid, Origin));
  Value *Shift =
      B.CreateMul(B.CreateSub(Lo, B.CreateMul(Origin, Size)), i64(G.Scale));
  Value *End = B.CreateAdd(Base, B.CreateMul(Hi, i64(G.Scale)));
  if (!Strict)
    End = B.CreateSub(End, i64(Up ? 1 : -1));
  End = B.CreateBinaryIntrinsic(Up ? Intrinsic::smin : Intrinsic::smax, End,
                                Bound);
  // The increment may subtract what the index moves by.
  int64_t Sign = G.Next->getOpcode() == Instruction::Sub ? -1 : 1;
  Value *Stride = B.CreateMul(B.CreateMul(Count, Size), i64(G.Scale * Sign));

  auto Choose = [&](Value *New, Value *Old, const char *Name) {
    return B.CreateSelect(Valid, B.CreateTrunc(New, Ty), Old, Name);
  };
  Value *NewStart =
      B.CreateAdd(Start, Choose(Shift, ConstantInt::get(Ty, 0), "stride.shift"),
                  "stride.start");
  Value *NewStep = Choose(Stride, Step, "stride.step");
  Value *NewLimit = Choose(End, Limit, "stride.limit");
  // The cache outlives the invalidation of other analyses.
  if (IsEnteredByTest)
    AC.registerAssumption(cast<AssumeInst>(
        B.CreateAssumption(B.CreateICmp(G.Pred, NewStart, NewLimit))));
  G.Index->setIncomingValueForBlock(Preheader, NewStart);
  G.Next->setOperand(G.StepOperand, NewStep);
  G.Test->setOperand(G.LimitOperand, NewLimit);
}

void repartition(Function &Kernel, const GridStrideResult &Found,
                 FunctionAnalysisManager &FAM) {
  auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(Kernel);
  auto &DT = FAM.getResult<DominatorTreeAnalysis>(Kernel);
  auto &LI = FAM.getResult<LoopAnalysis>(Kernel);
  auto &AC = FAM.getResult<AssumptionAnalysis>(Kernel);
  for (const GridStrideLoop &G : Found.Loops)
    LoopRewriter(G, SE, DT, LI, AC).run();
  FAM.invalidate(Kernel, PreservedAnalyses::none());
}

PreservedAnalyses GridStrideRewritePass::run(Module &M,
                                             ModuleAnalysisManager &MAM) {
  auto &FAM = MAM.getResult<FunctionAnalysisManagerModuleProxy>(M).getManager();
  bool Changed = false;
  for (Function *Kernel : kernelsOf(M)) {
    const GridStrideResult &Found = FAM.getResult<GridStrideAnalysis>(*Kernel);
    if (Found.Loops.empty())
      continue;
    repartition(*Kernel, Found, FAM);
    Changed = true;
  }
  return Changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace gridspan
