//===- MemoryIssueCost.cpp - The issue cost of memory accesses ------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Accesses of a block that differ by constants are a group: neighbours become
// wide accesses as far as the alignment says, and the fields of a struct share
// sectors. The addresses in the lanes of a warp are those of a typical launch;
// where they depend on data, each lane has a line of its own.
//
// Stores and atomics always go to L2. Loads go there where the lanes lie apart,
// less what is fetched once for several: neighbours along another axis or in
// the next iteration. Where lanes lie side by side, whether L1 has the data is
// not known here; the bytes of the launch, which the planner knows, bound what
// comes from memory.
//
//===----------------------------------------------------------------------===//

#include "analysis/summary/MemoryIssueCost.h"
#include "analysis/expr/LaneStride.h"
#include "analysis/machine/WarpRequest.h"
#include "analysis/nvptx/KernelAnalyses.h"
#include "analysis/nvptx/MemoryOps.h"
#include "analysis/nvptx/SharedMemory.h"
#include "analysis/symbolic/ExprBuilder.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace gridspan {

/// A step of a 64-bit pointer, and a wide product with a sum.
static constexpr double PointerStep = 2, PointerProduct = 1;

struct AccessCosts::Access {
  const Value *Pointer;
  const BasicBlock *BB;
  unsigned Size;  ///< bytes of a lane
  unsigned Align; ///< of the address
  uint32_t Mode;  ///< one GridspanMode bit
  bool IsShared;
  SplitAddress Address = {};
};

/// The addresses of the lanes of a warp.
struct AccessCosts::Lanes {
  /// Bytes from some base; nothing: apart, in no order.
  std::optional<SmallVector<int64_t, WarpSize>> Addresses;
  unsigned Active = WarpSize;
  /// The share of a fetched sector that is the request's own: other requests
  /// use the rest while it is in L1.
  double OwnShare = 1;
  bool IsOneAddress = false; ///< in all threads of the launch

  /// Different units that Bytes at each place touch.
  double pieces(unsigned Bytes, unsigned Unit) const {
    if (!Addresses)
      return double(Active) * std::max(1u, Bytes / Unit);
    SmallVector<int64_t, 2 * WarpSize> Touched;
    for (int64_t Address : *Addresses)
      for (int64_t U = divideFloorSigned(Address, int64_t(Unit));
           U <= divideFloorSigned(Address + Bytes - 1, int64_t(Unit)); ++U)
        Touched.push_back(U);
    llvm::sort(Touched);
    return double(llvm::unique(Touched) - Touched.begin());
  }
  double lines(unsigned Bytes) const { return pieces(Bytes, LineBytes); }
  double sectors(unsigned Bytes) const { return pieces(Bytes, SectorBytes); }
  bool isBroadcast() const { return Addresses && all_equal(*Addresses); }
};

/// Returns the time in issue slots of a thread: an instruction that issues for
/// all lanes of a warp counts once.
double AccessCosts::issueCostOfGPU(double Seconds) const {
  return Seconds * Machine.Schedulers * Machine.Multiprocessors *
         Machine.ClockGHz * 1e9;
}

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

SplitAddress AccessCosts::split(const Value *Pointer) {
  ScalarEvolution &SE = Analyses.SE;
  SplitAddress Out;
  if (!SE.isSCEVable(Pointer->getType()))
    return Out;
  const SCEV *S = SE.getSCEV(const_cast<Value *>(Pointer));
  if (const auto *Rec = dyn_cast<SCEVAddRecExpr>(S); Rec && Rec->isAffine()) {
    Out.Step = Rec->getStepRecurrence(SE);
    Out.Loop = Rec->getLoop();
    S = Rec->getStart();
  }
  Out.Root = S;
  if (const auto *Sum = dyn_cast<SCEVAddExpr>(S))
    if (const auto *Constant = dyn_cast<SCEVConstant>(Sum->getOperand(0));
        Constant && Constant->getAPInt().getSignificantBits() <= 64) {
      SmallVector<const SCEV *, 4> Rest(drop_begin(Sum->operands()));
      Out.Root = SE.getAddExpr(Rest);
      Out.Bytes = Constant->getAPInt().getSExtValue();
    }
  return Out;
}

/// Pointers that move with the loop are steps of one register, which what lies
/// a constant beside shares; others are computed where they are needed, or
/// outside of the loop if they do not change in it.
void AccessCosts::addAddress(const SplitAddress &Address, const Loop *L,
                             MemoryIssueCosts &Out) {
  if (!Address.Root || isa<SCEVUnknown>(Address.Root)) {
    if (!Address.Root || !Address.Step)
      return;
  }
  auto [It, IsNew] = Known.try_emplace({Address.Root, Address.Step}, L);
  if (!IsNew && It->second == L)
    return;
  if (Address.Loop && Address.Loop == L)
    Out.Steps += PointerStep;
  else if (!L || !Analyses.SE.isLoopInvariant(Address.Root, L))
    Out.Addresses += PointerProduct;
}

/// Returns the alignment that the access may count on: that of its instruction,
/// where it says one.
static unsigned alignmentOf(const Instruction &I, unsigned Size) {
  if (const auto *Load = dyn_cast<LoadInst>(&I))
    return Load->getAlign().value();
  if (const auto *Store = dyn_cast<StoreInst>(&I))
    return Store->getAlign().value();
  if (const auto *Copy = dyn_cast<AnyMemIntrinsic>(&I))
    return Copy->getDestAlign().valueOrOne().value();
  return unsigned(MinAlign(std::max(1u, Size), MaxLaneBytes));
}

SmallVector<AccessCosts::Access, 8>
AccessCosts::accessesOf(const BasicBlock &BB) {
  SmallVector<Access, 8> Out;
  const DataLayout &DL = Kernel.getParent()->getDataLayout();
  auto Add = [&](const Instruction &I, const Value *Pointer, unsigned Size,
                 uint32_t Mode, bool IsShared) {
    Access A = {Pointer, &BB, Size, alignmentOf(I, Size), Mode, IsShared};
    A.Address = split(Pointer);
    Out.push_back(A);
  };
  auto IsParameter = [](const Value *Pointer) {
    const auto *A = dyn_cast<Argument>(getUnderlyingObject(Pointer));
    return A && A->hasByValAttr();
  };
  for (const Instruction &I : BB) {
    const Value *Pointer = getLoadStorePointerOperand(&I);
    if (Pointer && IsParameter(Pointer))
      continue;
    uint32_t Mode = isa<LoadInst>(I) ? GridspanRead : GridspanWrite;
    if (const auto *RMW = dyn_cast<AtomicRMWInst>(&I))
      Pointer = RMW->getPointerOperand(), Mode = GridspanAtomic;
    else if (const auto *Exchange = dyn_cast<AtomicCmpXchgInst>(&I))
      Pointer = Exchange->getPointerOperand(), Mode = GridspanAtomic;
    if (Pointer && isSharedMemory(Pointer)) {
      Type *Ty = isa<LoadInst>(I)
                     ? I.getType()
                     : I.getOperand(isa<StoreInst>(I) ? 0 : 1)->getType();
      Add(I, Pointer, unsigned(DL.getTypeStoreSize(Ty).getKnownMinValue()),
          Mode, true);
      continue;
    }
    for (const MemoryOp &Op : memoryOpsOf(I))
      if (Op.Pointer && Op.Size != 0)
        Add(I, Op.Pointer, Op.Size, Op.Mode, false);
  }
  return Out;
}

//===----------------------------------------------------------------------===//
// Requests
//===----------------------------------------------------------------------===//

AccessCosts::Lanes AccessCosts::lanesOf(const Access &A) {
  Lanes Out;
  ContextId Context = Builder.guards().ofBlock(A.BB);
  ExprId Offset = NoExpr;
  for (const PointerTarget &Target : Builder.pointerAt(A.Pointer, Context))
    if (Target.Where == PointerTarget::Parameter)
      Offset = Target.Offset;
  Out.Active = ActiveLanes;
  if (Offset == NoExpr)
    return Out;
  Out.Addresses = Typical.valuesOf(Offset);
  if (Out.Addresses && Out.Addresses->size() > Out.Active)
    Out.Addresses->truncate(std::max(1u, Out.Active));
  if (!Scratch || Scratch->size() < Graph.size())
    Scratch = Graph;
  auto StrideAlong = [&](unsigned Axis) -> std::optional<int64_t> {
    ExprId Stride = threadStride(*Scratch, Offset, Axis);
    return Stride == NoExpr ? std::nullopt : Scratch->constantValue(Stride);
  };
  Out.IsOneAddress =
      Graph.isUniform(Offset) && !Graph.containsKind(Offset, ExprKind::Iter);
  // Neighbours that come for the rest of the sector.
  auto Shares = [&](std::optional<int64_t> Step) {
    if (Step && *Step != 0 && std::abs(*Step) < int64_t(SectorBytes))
      Out.OwnShare = std::min(
          Out.OwnShare,
          std::max(double(std::abs(*Step)), double(A.Size)) / SectorBytes);
  };
  Shares(StrideAlong(1));
  Shares(StrideAlong(2));
  if (const auto *Step = dyn_cast_or_null<SCEVConstant>(A.Address.Step))
    if (Step->getAPInt().getSignificantBits() <= 64)
      Shares(Step->getAPInt().getSExtValue());
  return Out;
}

/// Adds what Cost.cpp counts for lanes at different addresses. Atomics at one
/// address are served in turn where it is, whatever devices ask: no tile of a
/// grid takes a share of that time with it.
void AccessCosts::addAtomic(const Access &A, const Lanes &L,
                            MemoryIssueCosts &Out) const {
  if (L.IsOneAddress)
    return;
  double Cycles = std::max(L.Active / Machine.AtomicsPerCycle,
                           L.sectors(A.Size) / Machine.AtomicSectorsPerCycle);
  Out.L2 += issueCostOfGPU(Cycles / (Machine.ClockGHz * 1e9));
}

/// Group: accesses of one mode, a constant apart, in ascending order.
void AccessCosts::addGlobal(ArrayRef<Access> Group, MemoryIssueCosts &Out) {
  Lanes L = lanesOf(Group.front());
  double FullLine = LineBytes / (Machine.L2GBs * 1e9);
  double Single = 1 / (Machine.L2GSectors * 1e9);
  double OfSector = std::max(0.0, FullLine - Single) / 3;
  double OfLine = std::max(0.0, Single - OfSector);
  double Sectors = 0, Lines = 0, Ideal = 0, Seconds = 0;
  for (size_t I = 0; I != Group.size();) {
    // Neighbours up to the alignment of the first one are one access.
    const Access &First = Group[I];
    unsigned Widest = std::min(std::max(1u, First.Align), MaxLaneBytes);
    int64_t End = First.Address.Bytes + First.Size;
    for (++I; I != Group.size() && Group[I].Address.Bytes == End &&
              First.Mode != GridspanAtomic &&
              End - First.Address.Bytes < int64_t(Widest);
         ++I)
      End += Group[I].Size;
    auto Bytes = unsigned(End - First.Address.Bytes);
    unsigned Piece = std::min<unsigned>(Widest, PowerOf2Ceil(Bytes));
    double Requests = double(divideCeil(Bytes, Piece));
    double Passes = L.isBroadcast() ? 1 : double(L.Active) * Piece / LineBytes;
    Out.Requests += Requests;
    Out.LoadUnit += Machine.Schedulers * Requests *
                    std::max({1.0, Passes,
                              Machine.L1RequestCycles +
                                  Machine.L1LineCycles * L.lines(Piece)});
    if (First.Mode == GridspanAtomic) {
      addAtomic(First, L, Out);
      continue;
    }
    Sectors += Requests * L.sectors(Piece);
    Lines += Requests * L.lines(Piece);
    Ideal += Requests * Piece;
    if (First.Mode != GridspanWrite)
      continue;
    double Full = OfLine * L.lines(Piece) + OfSector * L.sectors(Piece);
    if (Piece * L.Active < 0.9 * SectorBytes * L.sectors(Piece))
      Full = Single * L.lines(Piece) +
             (1 / (Machine.L2WriteGSectors * 1e9) - Single) * L.sectors(Piece);
    Seconds += Requests * Full;
  }
  if (Group.front().Mode == GridspanRead && Sectors > 2 * Ideal) {
    // Together they fetch no more than what lies between them.
    int64_t Span = Group.back().Address.Bytes + Group.back().Size -
                   Group.front().Address.Bytes;
    if (Span > 0 && Span < int64_t(LineBytes)) {
      Sectors = std::min(Sectors, L.sectors(unsigned(Span)));
      Lines = std::min(Lines, L.lines(unsigned(Span)));
    }
    Seconds = L.OwnShare * (OfLine * Lines + OfSector * Sectors);
    // A sector takes half a cycle on its way in.
    Out.LoadUnit += Machine.Schedulers * 0.5 * L.OwnShare * Sectors;
  }
  Out.L2 += Machine.FitL2 * issueCostOfGPU(Seconds);
}

/// Everything that will be evaluated, as the graph must not grow meanwhile.
void AccessCosts::findFacts() {
  for (const BasicBlock &BB : Kernel) {
    if (!Analyses.DT.isReachableFromEntry(&BB))
      continue;
    for (ContextId Id : Builder.guards().chain(Builder.guards().ofBlock(&BB))) {
      auto [It, IsNew] = Facts.try_emplace(Id);
      // A copy: building expressions adds contexts.
      const Guard G = Builder.guards()[Id];
      if (!IsNew || !G.X || !G.X->getType()->isIntegerTy() ||
          G.X->getType()->getIntegerBitWidth() > 64)
        continue;
      Fact F = {Builder.valueAt(G.X, NoContext),
                Builder.valueAt(G.Y, NoContext), G.Pred};
      Facts[Id] = F;
    }
  }
  for (auto &[Id, F] : Facts) {
    if (F.X == NoExpr || (Graph.isUniform(F.X) && Graph.isUniform(F.Y)))
      continue;
    // A condition that no warp of this block satisfies is one on blocks.
    unsigned Warps = Typical.warpsWhere(F.X, F.Pred, F.Y);
    if (Warps == 0)
      continue;
    F.Warps = double(Warps) / TypicalWarps::Warps;
    F.Lanes = Typical.lanesWhere(F.X, F.Pred, F.Y);
  }
}

/// Finds the warps that get to BB, by the conditions that are known in the
/// lanes of a typical block.
void AccessCosts::findWarps(const BasicBlock &BB) {
  if (!HasFacts)
    findFacts();
  HasFacts = true;
  WarpShare = 1;
  ActiveLanes = WarpSize;
  for (ContextId Id : Builder.guards().chain(Builder.guards().ofBlock(&BB))) {
    const Fact &F = Facts[Id];
    WarpShare = std::min(WarpShare, F.Warps);
    ActiveLanes = std::min(ActiveLanes, F.Lanes);
  }
}

MemoryIssueCosts AccessCosts::of(const BasicBlock &BB) {
  MemoryIssueCosts Out;
  findWarps(BB);
  Out.Warps = WarpShare;
  Out.Threads = WarpShare * ActiveLanes / WarpSize;
  const Loop *L = Analyses.LI.getLoopFor(&BB);
  // By mode, root and step.
  MapVector<std::tuple<uint32_t, const SCEV *, const SCEV *>,
            SmallVector<Access, 4>>
      Groups;
  for (const Access &A : accessesOf(BB)) {
    addAddress(A.Address, L, Out);
    if (!A.IsShared) {
      Groups[{A.Mode, A.Address.Root, A.Address.Step}].push_back(A);
      continue;
    }
    double Requests = double(divideCeil(A.Size, MaxLaneBytes));
    Out.Requests += Requests;
    Out.LoadUnit +=
        Machine.Schedulers * Requests *
        (A.Mode == GridspanAtomic ? Machine.SharedAtomicCycles
                                  : WarpSize / Machine.SharedLanes) *
        std::max(1.0,
                 double(WarpSize) * std::min(A.Size, MaxLaneBytes) / LineBytes);
  }
  for (auto &[Key, Group] : Groups) {
    llvm::sort(Group, [](const Access &A, const Access &B) {
      return std::tie(A.Address.Bytes, A.Size) <
             std::tie(B.Address.Bytes, B.Size);
    });
    addGlobal(Group, Out);
  }
  return Out;
}

} // namespace gridspan
