//===- CpuAccessTrace.cpp - Recording the accesses of kernels -------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each access gets a call in front of it: the thread, the site, the mode, the
// address and the size. Accesses to memory that is certainly the thread's or
// the block's own are left out here, others by the runtime, which knows where
// that memory is.
//
//===----------------------------------------------------------------------===//

#include "CpuAccessTrace.h"
#include "CpuContext.h"
#include "gridspan/Runtime/ABI.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;
using namespace gridspan;

static bool isOwnMemory(const Value *Address) {
  unsigned Space = Address->getType()->getPointerAddressSpace();
  return Space == 3 || Space == 5 ||
         isa<AllocaInst>(getUnderlyingObject(Address));
}

static void record(CpuContext &C, Value *Site, GridspanMode Mode,
                   Value *Address, Value *Size) {
  if (isOwnMemory(Address))
    return;
  Value *Generic =
      C.B.CreatePointerBitCastOrAddrSpaceCast(Address, C.B.getPtrTy());
  C.callWithBlock("access", C.B.getVoidTy(),
                  {C.linearThread(), Site, C.B.getInt32(Mode), Generic,
                   C.B.CreateZExtOrTrunc(Size, C.i64())});
}

static void recordAccess(Instruction &I, ConstantInt *Number, CpuContext &C) {
  const DataLayout &DL = I.getModule()->getDataLayout();
  Value *Site = C.B.getInt32(Number->getZExtValue());
  auto SizeOf = [&](Type *Ty) -> Value * {
    return C.B.getInt64(DL.getTypeStoreSize(Ty).getFixedValue());
  };
  if (auto *Load = dyn_cast<LoadInst>(&I))
    record(C, Site, GridspanRead, Load->getPointerOperand(),
           SizeOf(Load->getType()));
  else if (auto *Store = dyn_cast<StoreInst>(&I))
    record(C, Site, GridspanWrite, Store->getPointerOperand(),
           SizeOf(Store->getValueOperand()->getType()));
  else if (auto *Update = dyn_cast<AtomicRMWInst>(&I))
    record(C, Site, GridspanAtomic, Update->getPointerOperand(),
           SizeOf(Update->getType()));
  else if (auto *Exchange = dyn_cast<AtomicCmpXchgInst>(&I))
    record(C, Site, GridspanAtomic, Exchange->getPointerOperand(),
           SizeOf(Exchange->getNewValOperand()->getType()));
  else if (auto *Move = dyn_cast<MemTransferInst>(&I)) {
    record(C, Site, GridspanRead, Move->getRawSource(), Move->getLength());
    record(C, Site, GridspanWrite, Move->getRawDest(), Move->getLength());
  } else if (auto *Fill = dyn_cast<MemSetInst>(&I))
    record(C, Site, GridspanWrite, Fill->getRawDest(), Fill->getLength());
}

static void recordAccesses(Function &F) {
  unsigned Kind = F.getContext().getMDKindID("gridspan.site");
  SmallVector<Instruction *> Sites;
  for (Instruction &I : instructions(F))
    if (I.getMetadata(Kind))
      Sites.push_back(&I);
  for (Instruction *I : Sites) {
    auto *Number =
        mdconst::dyn_extract<ConstantInt>(I->getMetadata(Kind)->getOperand(0));
    if (!Number)
      continue;
    CpuContext C(F);
    C.B.SetInsertPoint(I);
    recordAccess(*I, Number, C);
  }
}

static Function *cloneForTracing(Function &F) {
  ValueToValueMapTy Map;
  Function *Traced = CloneFunction(&F, Map);
  Traced->setName(F.getName() + ".traced");
  Traced->removeFnAttr(Attribute::AlwaysInline);
  Traced->removeFnAttr(Attribute::InlineHint);
  Traced->addFnAttr(Attribute::NoInline);
  Traced->addFnAttr(Attribute::OptimizeNone);
  return Traced;
}

MapVector<Function *, Function *>
gridspan::makeTracedVersions(const SetVector<Function *> &Functions) {
  MapVector<Function *, Function *> Traced;
  for (Function *F : Functions)
    Traced[F] = cloneForTracing(*F);
  for (auto [F, Clone] : Traced) {
    for (Instruction &I : instructions(*Clone))
      if (auto *Call = dyn_cast<CallInst>(&I))
        if (auto It = Traced.find(Call->getCalledFunction());
            It != Traced.end())
          Call->setCalledFunction(It->second);
    recordAccesses(*Clone);
  }
  return Traced;
}
