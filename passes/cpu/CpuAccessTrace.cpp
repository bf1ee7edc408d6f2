//===- CpuAccessTrace.cpp - Recording the accesses of kernels -------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each access gets a call in front of it: the thread, the site, the mode, the
// address, the size and the iterations of the loops around. Accesses to memory
// that is certainly the thread's own are left out here, others by the runtime,
// which knows where that memory is. Those to memory that is certainly shared
// have no site, and a call of their own: only checks want to know of them.
//
// The iterations are one number, so that lanes that come to a site in different
// iterations are told apart (IterationNumbers.h). Where counts are too large
// for it the runtime, which also counts how often a thread comes by with the
// same number, joins lanes that it should not.
//
//===----------------------------------------------------------------------===//

#include "passes/cpu/CpuAccessTrace.h"
#include "analysis/nvptx/AddressSpaces.h"
#include "analysis/nvptx/SourceLocation.h"
#include "gridspan/ABI.h"
#include "gridspan/CpuCodes.h"
#include "passes/common/IterationNumbers.h"
#include "passes/cpu/CpuContext.h"
#include "passes/cpu/CpuQuickCode.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;
using namespace gridspan;

namespace {
/// An access in front of which a call is put.
struct RecordedAccess {
  GridspanMode Mode;
  Value *Address;
  Value *Size;
  MaybeAlign Alignment; ///< that the instruction needs
};
} // namespace

static SmallVector<RecordedAccess, 2> accessesOf(Instruction &I,
                                                 CpuContext &C) {
  const DataLayout &DL = I.getModule()->getDataLayout();
  auto SizeOf = [&](Type *Ty) -> Value * {
    return C.B.getInt64(DL.getTypeStoreSize(Ty).getFixedValue());
  };
  if (auto *Load = dyn_cast<LoadInst>(&I))
    return {{GridspanRead, Load->getPointerOperand(), SizeOf(Load->getType()),
             Load->getAlign()}};
  if (auto *Store = dyn_cast<StoreInst>(&I))
    return {{GridspanWrite, Store->getPointerOperand(),
             SizeOf(Store->getValueOperand()->getType()), Store->getAlign()}};
  if (auto *Update = dyn_cast<AtomicRMWInst>(&I))
    return {{GridspanAtomic, Update->getPointerOperand(),
             SizeOf(Update->getType()), Update->getAlign()}};
  if (auto *Exchange = dyn_cast<AtomicCmpXchgInst>(&I))
    return {{GridspanAtomic, Exchange->getPointerOperand(),
             SizeOf(Exchange->getNewValOperand()->getType()),
             Exchange->getAlign()}};
  if (auto *Move = dyn_cast<MemTransferInst>(&I))
    return {{GridspanRead, Move->getRawSource(), Move->getLength(),
             Move->getSourceAlign()},
            {GridspanWrite, Move->getRawDest(), Move->getLength(),
             Move->getDestAlign()}};
  if (auto *Fill = dyn_cast<MemSetInst>(&I))
    return {{GridspanWrite, Fill->getRawDest(), Fill->getLength(),
             Fill->getDestAlign()}};
  return {};
}

/// Returns the mode with the alignment (AccessAlignmentShift).
static Value *modeOf(const RecordedAccess &A, CpuContext &C) {
  const uint32_t Needs = A.Alignment ? Log2(*A.Alignment) + 1 : 0;
  return C.B.getInt32(A.Mode | Needs << AccessAlignmentShift);
}

namespace {
/// The index of a function's thread in its block, computed once, where the
/// function begins. Functions that record nothing need not know their thread.
class ThreadIndex {
public:
  explicit ThreadIndex(Function &F) : F(F) {}

  Value *get() {
    if (Index)
      return Index;
    CpuContext C(F);
    BasicBlock &Entry = F.getEntryBlock();
    C.B.SetInsertPoint(&Entry, Entry.getFirstNonPHIOrDbgOrAlloca());
    return Index = C.linearThread();
  }

private:
  Function &F;
  Value *Index = nullptr;
};
} // namespace

static void record(const RecordedAccess &A, CpuContext &C, ThreadIndex &Thread,
                   Value *Site, Value *Iterations) {
  if (isPrivateMemory(A.Address))
    return;
  Value *Generic =
      C.B.CreatePointerBitCastOrAddrSpaceCast(A.Address, C.B.getPtrTy());
  C.callWithBlock("access", C.B.getVoidTy(),
                  {Thread.get(), Site, modeOf(A, C), Generic,
                   C.B.CreateZExtOrTrunc(A.Size, C.i64()), Iterations});
}

/// Records an access to shared memory, which has no site.
static void recordShared(const RecordedAccess &A, CpuContext &C,
                         ThreadIndex &Thread, Value *Where) {
  Value *Generic =
      C.B.CreatePointerBitCastOrAddrSpaceCast(A.Address, C.B.getPtrTy());
  C.callWithBlock("shared_access", C.B.getVoidTy(),
                  {Thread.get(), modeOf(A, C), Generic,
                   C.B.CreateZExtOrTrunc(A.Size, C.i64()), Where});
}

/// Returns the place of the instruction in the source, as a string.
static Value *placeOf(const Instruction &I, CpuContext &C,
                      StringMap<Constant *> &Places) {
  std::string Text = sourceLocation(I);
  Constant *&Known = Places[Text];
  if (!Known)
    Known = C.B.CreateGlobalString(Text, CpuPrefix + "place", 0, &C.module());
  return Known;
}

/// Returns true for an address of shared memory, also if it was made generic.
static bool isInShared(const Value *Address) {
  while (Address->getType()->getPointerAddressSpace() != SharedSpace) {
    if (const auto *GEP = dyn_cast<GEPOperator>(Address))
      Address = GEP->getPointerOperand();
    else if (const auto *Cast = dyn_cast<AddrSpaceCastOperator>(Address))
      Address = Cast->getPointerOperand();
    else
      return false;
  }
  return true;
}

static void recordSharedAccesses(Function &F, ThreadIndex &Thread,
                                 StringMap<Constant *> &Places) {
  SmallVector<Instruction *> Found;
  for (Instruction &I : instructions(F))
    if (I.mayReadOrWriteMemory())
      Found.push_back(&I);
  for (Instruction *I : Found) {
    CpuContext C(F);
    C.B.SetInsertPoint(I);
    for (const RecordedAccess &A : accessesOf(*I, C))
      if (isInShared(A.Address))
        recordShared(A, C, Thread, placeOf(*I, C, Places));
  }
}

static void recordAccesses(Function &F, ThreadIndex &Thread) {
  unsigned Kind = F.getContext().getMDKindID("gridspan.site");
  SmallVector<Instruction *> Sites;
  for (Instruction &I : instructions(F))
    if (I.getMetadata(Kind))
      Sites.push_back(&I);
  IterationNumbers Iterations(F);
  for (Instruction *I : Sites) {
    auto *Number =
        mdconst::dyn_extract<ConstantInt>(I->getMetadata(Kind)->getOperand(0));
    if (!Number)
      continue;
    Value *Iteration = Iterations.at(I->getParent());
    CpuContext C(F);
    C.B.SetInsertPoint(I);
    Value *Site = C.B.getInt32(Number->getZExtValue());
    for (const RecordedAccess &A : accessesOf(*I, C))
      record(A, C, Thread, Site, Iteration);
  }
}

static Function *cloneForTracing(Function &F) {
  ValueToValueMapTy Map;
  Function *Traced = CloneFunction(&F, Map);
  Traced->setName(F.getName() + ".traced");
  leaveUnoptimized(*Traced);
  return Traced;
}

MapVector<Function *, Function *>
gridspan::makeTracedVersions(const SetVector<Function *> &Functions) {
  MapVector<Function *, Function *> Traced;
  for (Function *F : Functions)
    Traced[F] = cloneForTracing(*F);
  StringMap<Constant *> Places;
  for (auto [F, Clone] : Traced) {
    for (Instruction &I : instructions(*Clone))
      if (auto *Call = dyn_cast<CallInst>(&I))
        if (auto It = Traced.find(Call->getCalledFunction());
            It != Traced.end())
          Call->setCalledFunction(It->second);
    ThreadIndex Thread(*Clone);
    recordSharedAccesses(*Clone, Thread, Places);
    recordAccesses(*Clone, Thread);
    makeQuickToCompile(*Clone);
  }
  return Traced;
}
