//===- MemorySites.cpp - Loads, stores and atomics of a kernel ------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Builds offsets outside of any context (ExprBuilder.h), so that they are the
// value itself and not a set. The facts of the site's block become conditions
// beside it.
//
// The conditions are complete when, going up the dominator tree from the site,
// each block either post-dominates the one above or is entered from it by one
// edge that dominates it, whose target it post-dominates: then nothing but
// those facts, and the trip counts of the loops around, decides who gets there.
//
// The number of machine instructions for an access follows the NVPTX back end.
// It splits an access wider than its alignment, and 16 bytes are the widest.
//
//===----------------------------------------------------------------------===//

#include "analysis/advice/sites/MemorySites.h"
#include "analysis/advice/sites/InstructionMix.h"
#include "analysis/advice/sites/ReductionTrees.h"
#include "analysis/machine/WarpRequest.h"
#include "analysis/nvptx/KernelAnalyses.h"
#include "analysis/nvptx/Kernels.h"
#include "analysis/nvptx/MemoryOps.h"
#include "analysis/nvptx/SharedMemory.h"
#include "analysis/summary/KernelParams.h"
#include "analysis/symbolic/PathCondition.h"
#include "analysis/symbolic/SteppedIndex.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include <map>
#include <numeric>

using namespace llvm;

namespace gridspan {

StringRef siteKindName(SiteKind Kind) {
  switch (Kind) {
  case SiteKind::Load:
    return "load";
  case SiteKind::Store:
    return "store";
  case SiteKind::Atomic:
    return "atomic";
  }
  llvm_unreachable("kind without a name");
}

namespace {

/// Copies of more bytes in a thread become loops of the back end.
constexpr unsigned MaxCopiedBytes = 128;

class SiteCollector {
public:
  SiteCollector(const Function &Kernel, const KernelAnalyses &A,
                bool WithBlocks)
      : Kernel(Kernel), A(A), WithBlocks(WithBlocks),
        Builder(Kernel, A.DT, A.LI, A.SE, Out.Exprs),
        Conditions(A, Builder, Out.Exprs) {}

  KernelSites run();

private:
  struct SharedAddress {
    std::string Base;
    ExprId Offset;
  };

  SmallVector<SiteLoop, 2> loopsAround(const BasicBlock &BB);
  void visitGlobal(const Instruction &I, const MemoryOp &Op, uint32_t Site);
  bool visitShared(const Instruction &I, uint32_t Site);
  void finish(MemorySite Site, const Instruction &I, Align Alignment);
  std::optional<SharedAddress> sharedAddress(const Value *Pointer);
  void findIndex(const Value *Pointer, MemorySite &Site);

  const Function &Kernel;
  const KernelAnalyses &A;
  const bool WithBlocks;
  unsigned BlockNumber = 0;
  /// Values that are added up to an index, each with its factor.
  using IndexValues = std::vector<std::pair<const Value *, int64_t>>;
  std::map<IndexValues, uint32_t> Indices;
  KernelSites Out;
  ExprBuilder Builder;
  PathConditions Conditions;
};

} // namespace

/// Returns the struct type that the innermost step of a pointer is over.
static std::string recordTypeOf(const Value *Pointer) {
  while (const auto *GEP = dyn_cast<GEPOperator>(Pointer)) {
    if (const auto *Struct = dyn_cast<StructType>(GEP->getSourceElementType()))
      return Struct->hasName() ? Struct->getName().str() : "";
    Pointer = GEP->getPointerOperand();
  }
  return "";
}

static Align alignmentOf(const Instruction &I, unsigned Size) {
  if (const auto *Load = dyn_cast<LoadInst>(&I))
    return Load->getAlign();
  if (const auto *Store = dyn_cast<StoreInst>(&I))
    return Store->getAlign();
  if (const auto *Transfer = dyn_cast<AnyMemTransferInst>(&I))
    return std::min({Transfer->getSourceAlign().valueOrOne(),
                     Transfer->getDestAlign().valueOrOne(), Align(8)});
  if (const auto *Set = dyn_cast<AnyMemSetInst>(&I))
    return std::min(Set->getDestAlign().valueOrOne(), Align(8));
  // ldg and ldu say it in an argument, or the load is naturally aligned.
  if (const auto *Intrinsic = dyn_cast<IntrinsicInst>(&I))
    if (Intrinsic->arg_size() == 2)
      if (const auto *C = dyn_cast<ConstantInt>(Intrinsic->getArgOperand(1)))
        if (isPowerOf2_64(C->getZExtValue()))
          return Align(C->getZExtValue());
  return Align(Size ? MinAlign(Size, MaxLaneBytes) : 1);
}

namespace {
/// An access that may be to shared memory.
struct SharedOperand {
  const Value *Pointer;
  SiteKind Kind;
  uint64_t Size;
};
} // namespace

/// Returns the accesses of I that may be to shared memory.
static SmallVector<SharedOperand, 2> sharedOperandsOf(const Instruction &I) {
  const DataLayout &DL = I.getDataLayout();
  auto SizeOf = [&](Type *Ty) {
    return DL.getTypeStoreSize(Ty).getFixedValue();
  };
  if (const auto *Load = dyn_cast<LoadInst>(&I))
    return {
        {Load->getPointerOperand(), SiteKind::Load, SizeOf(Load->getType())}};
  if (const auto *Store = dyn_cast<StoreInst>(&I))
    return {{Store->getPointerOperand(), SiteKind::Store,
             SizeOf(Store->getValueOperand()->getType())}};
  if (const auto *RMW = dyn_cast<AtomicRMWInst>(&I))
    return {
        {RMW->getPointerOperand(), SiteKind::Atomic, SizeOf(RMW->getType())}};
  if (const auto *Exchange = dyn_cast<AtomicCmpXchgInst>(&I))
    return {{Exchange->getPointerOperand(), SiteKind::Atomic,
             SizeOf(Exchange->getCompareOperand()->getType())}};
  const auto *Copy = dyn_cast<AnyMemIntrinsic>(&I);
  if (!Copy)
    return {};
  const auto *Length = dyn_cast<ConstantInt>(Copy->getLength());
  uint64_t Size = Length ? Length->getLimitedValue() : ~uint64_t(0);
  SmallVector<SharedOperand, 2> Out = {
      {Copy->getRawDest(), SiteKind::Store, Size}};
  if (const auto *Transfer = dyn_cast<AnyMemTransferInst>(Copy))
    Out.push_back({Transfer->getRawSource(), SiteKind::Load, Size});
  return Out;
}

std::optional<SiteCollector::SharedAddress>
SiteCollector::sharedAddress(const Value *Pointer) {
  const DataLayout &DL = Kernel.getDataLayout();
  ExprGraph &Graph = Out.Exprs;
  ExprId Sum = Graph.constant(64, 0);
  // Bounded: every step goes to an operand, and phis are not followed.
  while (true) {
    if (const auto *Variable = dyn_cast<GlobalVariable>(Pointer)) {
      if (Variable->getAddressSpace() != SharedSpace)
        return std::nullopt;
      return {{demangle(Variable->getName()), Sum}};
    }
    const auto *Op = dyn_cast<Operator>(Pointer);
    if (!Op)
      break;
    if (Op->getOpcode() == Instruction::AddrSpaceCast ||
        Op->getOpcode() == Instruction::BitCast) {
      Pointer = Op->getOperand(0);
      continue;
    }
    const auto *GEP = dyn_cast<GEPOperator>(Op);
    if (!GEP)
      break;
    unsigned Width = DL.getIndexTypeSizeInBits(GEP->getType());
    MapVector<Value *, APInt> Variables;
    APInt Constant(Width, 0);
    if (!GEP->collectOffset(DL, Width, Variables, Constant))
      break;
    Sum = Graph.binary(ExprKind::Add, Sum,
                       Graph.constant(64, Constant.getSExtValue()));
    for (const auto &[Index, Scale] : Variables) {
      unsigned IndexWidth = Index->getType()->getScalarSizeInBits();
      if (!Index->getType()->isIntegerTy() || IndexWidth > 64)
        return std::nullopt;
      // Indices wider than the address are cut, narrower ones extended.
      ExprId E = Builder.valueAt(Index, NoContext);
      if (IndexWidth > Width)
        E = Graph.cast(ExprKind::Trunc, E, Width);
      E = Graph.cast(ExprKind::SExt, E, 64);
      Sum =
          Graph.binary(ExprKind::Add, Sum,
                       Graph.binary(ExprKind::Mul, E,
                                    Graph.constant(64, Scale.getSExtValue())));
    }
    Pointer = GEP->getPointerOperand();
  }
  if (Pointer->getType()->getPointerAddressSpace() != SharedSpace)
    return std::nullopt;
  return {
      {"shared memory",
       Graph.unknown(64, "a pointer of unknown origin into shared memory")}};
}

/// The index as values of the IR: equal ones are equal whatever memory holds.
void SiteCollector::findIndex(const Value *Pointer, MemorySite &Site) {
  const DataLayout &DL = Kernel.getDataLayout();
  ExprGraph &Graph = Out.Exprs;
  IndexValues Values;
  int64_t Bytes = 0;
  ExprId Start = Graph.constant(64, 0);
  bool IsStepped = false;
  auto AddTerm = [&](ExprId Term, int64_t Factor) {
    Start = Graph.binary(
        ExprKind::Add, Start,
        Graph.binary(ExprKind::Mul, Term, Graph.constant(64, Factor)));
  };
  while (const auto *GEP = dyn_cast<GEPOperator>(Pointer)) {
    unsigned Width = DL.getIndexTypeSizeInBits(GEP->getType());
    MapVector<Value *, APInt> Variables;
    APInt Constant(Width, 0);
    if (!GEP->collectOffset(DL, Width, Variables, Constant))
      return;
    for (const auto &[Value, Scale] : Variables) {
      Values.emplace_back(Value, Scale.getSExtValue());
      Bytes = std::gcd(Bytes, Scale.getSExtValue());
      const auto *Cast = dyn_cast<CastInst>(Value);
      bool IsWider = Cast && isa<ZExtInst, SExtInst>(Cast);
      const llvm::Value *Index = IsWider ? Cast->getOperand(0) : Value;
      const llvm::Value *First = startOfSteppedIndex(Index, A.LI);
      IsStepped |= First != nullptr;
      if (Index->getType()->getScalarSizeInBits() <= 64)
        AddTerm(Graph.cast(IsWider && isa<ZExtInst>(Cast) ? ExprKind::ZExt
                                                          : ExprKind::SExt,
                           Builder.valueAt(First ? First : Index, NoContext),
                           64),
                Scale.getSExtValue());
    }
    AddTerm(Graph.constant(64, 1), Constant.getSExtValue());
    Pointer = GEP->getPointerOperand();
  }
  // A pointer that a loop carries is an index of its own.
  if (Bytes == 0 || isa<PHINode, SelectInst>(Pointer))
    return;
  if (IsStepped && !Graph.unknownReason(Site.Offset).empty())
    Site.Start = Start;
  for (auto &[Value, Scale] : Values)
    Scale /= Bytes;
  llvm::sort(Values);
  Site.Index =
      Indices.try_emplace(std::move(Values), Indices.size()).first->second;
  Site.IndexBytes = Bytes;
}

SmallVector<SiteLoop, 2> SiteCollector::loopsAround(const BasicBlock &BB) {
  SmallVector<SiteLoop, 2> Loops;
  for (const Loop *L = A.LI.getLoopFor(&BB); L; L = L->getParentLoop())
    Loops.insert(Loops.begin(),
                 {Builder.numberOf(L), Builder.backedgeTakenAt(L, NoContext),
                  Builder.hasExactCount(L)});
  return Loops;
}

void SiteCollector::finish(MemorySite Site, const Instruction &I,
                           Align Alignment) {
  ExprGraph &Graph = Out.Exprs;
  Site.Where = sourceLocation(I);
  Site.IsFloatAtomic =
      isa<AtomicRMWInst>(I) && I.getType()->isFloatingPointTy();
  Site.Alignment = Alignment.value();
  if (Site.Why.empty())
    Site.Why = Graph.unknownReason(Site.Offset).str();
  if (Site.Size)
    Site.Piece = MinAlign(MinAlign(Site.Size, Alignment.value()), MaxLaneBytes);

  Site.Block = BlockNumber;
  Site.IsResultUsed = !I.use_empty();
  Site.Guards = Conditions.of(I.getParent());
  Site.Loops = loopsAround(*I.getParent());
  Out.Sites.push_back(std::move(Site));
}

void SiteCollector::visitGlobal(const Instruction &I, const MemoryOp &Op,
                                uint32_t Number) {
  ExprGraph &Graph = Out.Exprs;
  MemorySite Site;
  Site.Site = Number;
  Site.Kind = Op.Mode == GridspanRead    ? SiteKind::Load
              : Op.Mode == GridspanWrite ? SiteKind::Store
                                         : SiteKind::Atomic;
  Site.Size = Op.Size;
  if (const auto *Length = dyn_cast_or_null<ConstantInt>(Op.Length))
    Site.Size = Length->getLimitedValue(1u << 20);
  if (isa<AnyMemIntrinsic>(I) && Site.Size > MaxCopiedBytes)
    Site.Size = 0;
  if (!Op.Pointer) {
    Site.Why = Op.Why;
    Site.Offset = Graph.unknown(64, Op.Why);
    return finish(std::move(Site), I, Align(1));
  }
  SmallVector<PointerTarget, 2> Targets =
      Builder.pointerAt(Op.Pointer, NoContext);
  erase_if(Targets, [](const PointerTarget &T) {
    return T.Where == PointerTarget::NotGlobal;
  });
  if (Targets.empty())
    return;
  const PointerTarget &Target = Targets.front();
  if (Targets.size() > 1)
    Site.Why = "the pointer may be one of several";
  else if (Target.Where == PointerTarget::Unknown)
    Site.Why = Target.Why;
  else if (Site.Size == 0)
    Site.Why = Op.Why.empty() ? "a copy of many bytes" : Op.Why;
  if (Targets.size() == 1 && Target.Where == PointerTarget::Parameter) {
    Site.Base = "arg" + utostr(Target.Param);
    if (Target.ByteOffset)
      Site.Base += "+" + utostr(Target.ByteOffset);
    Site.IsNoAlias = Kernel.getArg(Target.Param)->hasNoAliasAttr();
  }
  Site.Offset = Site.Why.empty() ? Target.Offset : Graph.unknown(64, Site.Why);
  Site.Record = recordTypeOf(Op.Pointer);
  findIndex(Op.Pointer, Site);
  finish(std::move(Site), I, alignmentOf(I, Site.Size));
}

bool SiteCollector::visitShared(const Instruction &I, uint32_t Number) {
  bool Any = false;
  for (const SharedOperand &Operand : sharedOperandsOf(I)) {
    std::optional<SharedAddress> Address = sharedAddress(Operand.Pointer);
    if (!Address || Operand.Size == 0)
      continue;
    Any = true;
    MemorySite Site;
    Site.Site = Number;
    Site.Space = MemorySpace::Shared;
    Site.Kind = Operand.Kind;
    Site.Base = std::move(Address->Base);
    Site.Offset = Address->Offset;
    Site.Size = Operand.Size;
    if (Operand.Size > MaxCopiedBytes) {
      Site.Size = 0;
      Site.Why = "a copy of many bytes";
      Site.Offset = Out.Exprs.unknown(64, Site.Why);
    }
    // What a copy is cut into, ptxas joins again in shared memory.
    Align Alignment = alignmentOf(I, Site.Size);
    if (const auto *Copy = dyn_cast<AnyMemIntrinsic>(&I))
      Alignment = Copy->getParamAlign(Operand.Kind == SiteKind::Load ? 1 : 0)
                      .valueOrOne();
    finish(std::move(Site), I, Alignment);
  }
  return Any;
}

static bool areLoadsOrdered(ArrayRef<MemorySite> Sites,
                            const WorkLevel &Level) {
  if (Level.Loops.empty())
    return false;
  auto IsInLoop = [&](const MemorySite &Site) {
    return Site.Space == MemorySpace::Global && !Site.Base.empty() &&
           !Site.IsNoAlias && !Site.Loops.empty() &&
           Site.Loops.back().Number == Level.Loops.back().Number;
  };
  for (const MemorySite &Load : Sites)
    if (Load.Kind == SiteKind::Load && IsInLoop(Load))
      for (const MemorySite &Store : Sites)
        if (Store.Kind != SiteKind::Load && IsInLoop(Store) &&
            Store.Base != Load.Base)
          return true;
  return false;
}

KernelSites SiteCollector::run() {
  Out.Name = Kernel.getName().str();
  Out.MaxThreads = describeKernel(Kernel).MaxThreads;
  Out.UsesDynamicShared =
      any_of(sharedVariablesOf(Kernel), [](const GlobalVariable *Variable) {
        return isDynamicShared(*Variable);
      });
  // Counted where none has a number; else what has none was made since.
  bool AreNumbered = any_of(instructions(Kernel), [](const Instruction &I) {
    return siteOf(I).has_value();
  });
  uint32_t Next = 0;
  for (const BasicBlock &BB : Kernel) {
    bool IsReachable = A.DT.isReachableFromEntry(&BB);
    if (WithBlocks) {
      CodeBlock &Block = Out.Blocks.emplace_back();
      if (IsReachable) {
        Block.Guards = Conditions.of(&BB);
        Block.Loops = loopsAround(BB);
      } else {
        Block.Guards.push_back(Out.Exprs.constant(1, 0));
      }
    }
    for (const Instruction &I : BB) {
      if (!IsReachable)
        break;
      uint32_t Site = AreNumbered ? siteOf(I).value_or(NoSite) : Next;
      SmallVector<MemoryOp, 2> Ops = memoryOpsOf(I);
      for (const MemoryOp &Op : Ops)
        visitGlobal(I, Op, Site);
      bool IsShared = visitShared(I, Site);
      Next += !Ops.empty() || IsShared;
    }
    ++BlockNumber;
  }
  Out.Work = workLevelsOf(Kernel, A.LI, Builder);
  Out.Join = joinOf(Kernel, A.LI);
  for (WorkLevel &Level : Out.Work)
    Level.AreLoadsOrdered = areLoadsOrdered(Out.Sites, Level);
  return std::move(Out);
}

KernelSites collectMemorySites(const Function &Kernel,
                               const KernelAnalyses &Analyses,
                               bool WithBlocks) {
  return SiteCollector(Kernel, Analyses, WithBlocks).run();
}

} // namespace gridspan
