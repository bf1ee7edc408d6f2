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
#include "analysis/advice/sites/OpenOffsets.h"
#include "analysis/advice/sites/ReductionTrees.h"
#include "analysis/advice/sites/SharedAddress.h"
#include "analysis/nvptx/AssemblyAccess.h"
#include "analysis/nvptx/KernelAnalyses.h"
#include "analysis/nvptx/MemoryOps.h"
#include "analysis/nvptx/SharedMemory.h"
#include "analysis/nvptx/SourceLocation.h"
#include "analysis/summary/KernelParams.h"
#include "analysis/symbolic/PathCondition.h"
#include "analysis/symbolic/SteppedIndex.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PatternMatch.h"
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

/// Returns the name in the source, without what the function returns.
static std::string functionName(const Function &F) {
  std::string Name = demangle(F.getName());
  StringRef Rest = Name;
  Rest.consume_front("void ");
  return Rest.str();
}

/// Returns true if the line of the instruction itself, not of the call that it
/// is inlined by, is in CUB or Thrust.
static bool isWrittenInLibrary(const Instruction &I) {
  const DILocation *Loc = I.getDebugLoc().get();
  if (!Loc)
    return false;
  StringRef File = Loc->getFilename();
  return File.contains("/cub/") || File.contains("/thrust/");
}

namespace {

/// Copies of more bytes in a thread become loops of the back end.
constexpr unsigned MaxCopiedBytes = 128;

class SiteCollector {
public:
  SiteCollector(const Function &Kernel, const KernelAnalyses &A,
                bool WithBlocks)
      : Kernel(Kernel), A(A), WithBlocks(WithBlocks),
        IsLibraryKernel(isOfLibrary(functionName(Kernel))),
        Builder(Kernel, A.DT, A.LI, A.SE, Out.Exprs),
        Conditions(A, Builder, Out.Exprs), Open(Kernel, A, Builder, Out.Exprs) {
    Builder.followCarried();
  }

  KernelSites run();

private:
  SmallVector<SiteLoop, 2> loopsAround(const BasicBlock &BB);
  ExprId stayCondition(const Loop &L);
  void visitGlobal(const Instruction &I, const MemoryOp &Op, uint32_t Site);
  bool visitShared(const Instruction &I, uint32_t Site);
  void finish(MemorySite Site, const Instruction &I, Align Alignment);
  void findIndex(const Value *Pointer, MemorySite &Site);

  const Function &Kernel;
  const KernelAnalyses &A;
  const bool WithBlocks;
  const bool IsLibraryKernel;
  unsigned BlockNumber = 0;
  /// Values that are added up to an index, each with its factor.
  using IndexValues = std::vector<std::pair<const Value *, int64_t>>;
  std::map<IndexValues, uint32_t> Indices;
  KernelSites Out;
  ExprBuilder Builder;
  PathConditions Conditions;
  OpenOffsets Open;
};

} // namespace

/// Returns the struct type that the innermost step of a pointer is over, or
/// null.
static const StructType *recordBehind(const Value *Pointer) {
  while (const auto *GEP = dyn_cast<GEPOperator>(Pointer)) {
    if (const auto *Struct = dyn_cast<StructType>(GEP->getSourceElementType()))
      return Struct->hasName() ? Struct : nullptr;
    Pointer = GEP->getPointerOperand();
  }
  return nullptr;
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

/// Returns the condition under which the loop goes on, if that is asked once in
/// each iteration and nothing else ends it, and known in all of them.
ExprId SiteCollector::stayCondition(const Loop &L) {
  const BasicBlock *Exiting = L.getExitingBlock(), *Latch = L.getLoopLatch();
  const auto *Branch =
      Exiting ? dyn_cast<BranchInst>(Exiting->getTerminator()) : nullptr;
  if (!Latch || !Branch || !Branch->isConditional() ||
      !A.DT.dominates(Exiting, Latch))
    return NoExpr;
  ExprId Stay = Builder.valueAt(Branch->getCondition(), NoContext);
  if (!Out.Exprs.unknownReason(Stay).empty())
    return NoExpr;
  return L.contains(Branch->getSuccessor(0)) ? Stay : Out.Exprs.negated(Stay);
}

SmallVector<SiteLoop, 2> SiteCollector::loopsAround(const BasicBlock &BB) {
  SmallVector<SiteLoop, 2> Loops;
  for (const Loop *L = A.LI.getLoopFor(&BB); L; L = L->getParentLoop())
    Loops.insert(Loops.begin(),
                 {Builder.numberOf(L), Builder.backedgeTakenAt(L, NoContext),
                  Builder.hasExactCount(L), stayCondition(*L)});
  return Loops;
}

/// Measured on an H200: 32 lanes on one address of shared memory take 1.0
/// cycles of the load unit where all add 1, 2.6 where the address is uniform
/// for the compiler, else 32; 64-bit integers 59.
static bool isJoinedInWarp(const MemorySite &Site, const Instruction &I,
                           const ExprGraph &Graph) {
  auto *Atomic = dyn_cast<AtomicRMWInst>(&I);
  if (!Atomic || Site.Space != MemorySpace::Shared || Site.Size != 4 ||
      Site.IsResultUsed || Site.IsFloatAtomic)
    return false;
  switch (Atomic->getOperation()) {
  case AtomicRMWInst::Add:
    if (PatternMatch::match(Atomic->getValOperand(), PatternMatch::m_One()))
      return true;
    [[fallthrough]];
  case AtomicRMWInst::Max:
  case AtomicRMWInst::Min:
  case AtomicRMWInst::UMax:
  case AtomicRMWInst::UMin:
  case AtomicRMWInst::And:
  case AtomicRMWInst::Or:
  case AtomicRMWInst::Xor:
    return Graph.isUniform(Site.Offset);
  default:
    return false;
  }
}

void SiteCollector::finish(MemorySite Site, const Instruction &I,
                           Align Alignment) {
  ExprGraph &Graph = Out.Exprs;
  Site.Where = sourceLocation(I);
  Site.IsOfLibrary |= IsLibraryKernel || isWrittenInLibrary(I);
  Site.IsFloatAtomic =
      isa<AtomicRMWInst>(I) && I.getType()->isFloatingPointTy();
  Site.Alignment = Alignment.value();
  if (Site.Why.empty())
    Site.Why = Graph.unknownReason(Site.Offset).str();
  if (Site.Size)
    Site.Piece = MinAlign(MinAlign(Site.Size, Alignment.value()), MaxLaneBytes);

  Site.Block = BlockNumber;
  Site.IsResultUsed = !I.use_empty();
  Site.IsJoinedInWarp = isJoinedInWarp(Site, I, Graph);
  Site.Guards = Conditions.of(I.getParent());
  Site.Loops = loopsAround(*I.getParent());
  Out.Sites.push_back(std::move(Site));
}

/// True if lanes may have to be asked what they share of the offset.
static bool mayNeedOpen(const ExprGraph &Graph, ExprId Offset) {
  return !Graph.isFollowed(Offset) || !Graph.carriedReason(Offset).empty();
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
  const bool IsVariable = Targets.empty();
  if (IsVariable) {
    std::optional<VariableAddress> Own =
        globalAddressOf(Op.Pointer, Builder, Graph, Kernel.getDataLayout());
    if (!Own)
      return;
    Site.Base = std::move(Own->Base);
    Site.IsOfLibrary = isLibraryVariable(Site.Base);
    Targets.push_back({PointerTarget::NotGlobal});
    Targets.front().Offset = Own->Offset;
  }
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
  if (!IsVariable) {
    if (const StructType *Record = recordBehind(Op.Pointer)) {
      Site.Record = Record->getName().str();
      if (!Out.Records.count(Site.Record))
        Out.Records[Site.Record] = recordTypeOf(*Record, *Kernel.getParent());
    }
    findIndex(Op.Pointer, Site);
  }
  if (Site.Size && mayNeedOpen(Graph, Site.Offset))
    Site.OpenOffset = Open.ofGlobal(Op.Pointer, *I.getParent());
  finish(std::move(Site), I, alignmentOf(I, Site.Size));
}

bool SiteCollector::visitShared(const Instruction &I, uint32_t Number) {
  bool Any = false;
  for (const SharedOperand &Operand : sharedOperandsOf(I)) {
    std::optional<VariableAddress> Address = sharedAddressOf(
        Operand.Pointer, Builder, Out.Exprs, Kernel.getDataLayout());
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
    } else if (mayNeedOpen(Out.Exprs, Site.Offset)) {
      Site.OpenOffset = Open.ofShared(Operand.Pointer, *I.getParent());
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

/// Returns the accesses of I that may be to global memory, assembly that is one
/// access as that.
static SmallVector<MemoryOp, 2> accessesOf(const Instruction &I) {
  SmallVector<MemoryOp, 2> Ops = memoryOpsOf(I);
  const auto *Call = dyn_cast<CallBase>(&I);
  if (!Ops.empty() && Call && Call->isInlineAsm())
    if (std::optional<AssemblyAccess> A = assemblyAccessOf(*Call))
      return {{A->Pointer, A->Mode, A->Size}};
  return Ops;
}

KernelSites SiteCollector::run() {
  Out.Name = Kernel.getName().str();
  Out.IsOfLibrary = IsLibraryKernel;
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
      // What ends the program when it fails is no access.
      const auto *Call = dyn_cast<CallBase>(&I);
      if (Call && Call->doesNotReturn())
        continue;
      SmallVector<MemoryOp, 2> Ops = accessesOf(I);
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
