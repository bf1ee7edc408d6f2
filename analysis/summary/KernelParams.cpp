//===- KernelParams.cpp - The parameters of a kernel ----------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lays out the parameters, and finds for each pointer if a launch may give the
// kernel another address with the same contents. It may if the pointer is used
// for nothing but addresses, however it is moved, cast and chosen on the way.
//
//===----------------------------------------------------------------------===//

#include "analysis/summary/KernelParams.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Alignment.h"

using namespace llvm;

namespace gridspan {

static std::vector<ParamSummary> paramsOf(const Function &Kernel) {
  const DataLayout &DL = Kernel.getParent()->getDataLayout();
  std::vector<ParamSummary> Params;
  uint64_t Offset = 0;
  for (const Argument &A : Kernel.args()) {
    Type *Ty = A.hasByValAttr() ? A.getParamByValType() : A.getType();
    Align Alignment = DL.getABITypeAlign(Ty);
    if (A.hasByValAttr())
      Alignment = A.getParamAlign().value_or(Alignment);
    uint64_t Size = DL.getTypeAllocSize(Ty);
    Offset = alignTo(Offset, Alignment);
    Params.push_back({uint32_t(Offset), uint32_t(Size)});
    Offset += Size;
  }
  return Params;
}

/// Returns the launch bounds: threads of a block at most, or 0.
static uint32_t maxThreadsOf(const Function &Kernel) {
  const NamedMDNode *Annotations =
      Kernel.getParent()->getNamedMetadata("nvvm.annotations");
  if (!Annotations)
    return 0;
  uint64_t Threads = 1;
  bool Found = false;
  for (const MDNode *Node : Annotations->operands()) {
    if (Node->getNumOperands() == 0 ||
        mdconst::dyn_extract_or_null<Function>(Node->getOperand(0)) != &Kernel)
      continue;
    for (unsigned I = 1; I + 1 < Node->getNumOperands(); I += 2) {
      const auto *Key = dyn_cast<MDString>(Node->getOperand(I));
      const auto *Value =
          mdconst::dyn_extract_or_null<ConstantInt>(Node->getOperand(I + 1));
      if (!Key || !Value || !Key->getString().starts_with("maxntid"))
        continue;
      Threads *= Value->getZExtValue();
      Found = true;
    }
  }
  return Found ? Threads : 0;
}

KernelSummary describeKernel(const Function &Kernel) {
  KernelSummary Out;
  Out.Name = Kernel.getName().str();
  Out.Params = paramsOf(Kernel);
  Out.MaxThreads = maxThreadsOf(Kernel);
  return Out;
}

/// Returns true if the use reads through the pointer, and nothing more.
static bool isLoadAddress(const Use &U) {
  const auto *I = cast<Instruction>(U.getUser());
  if (isa<LoadInst>(I))
    return true;
  if (const auto *Transfer = dyn_cast<AnyMemTransferInst>(I))
    return &U == &Transfer->getRawSourceUse() && Transfer->getRawDest() != U;
  const auto *Intrinsic = dyn_cast<IntrinsicInst>(I);
  if (!Intrinsic)
    return false;
  if (Intrinsic->isAssumeLikeIntrinsic())
    return true;
  StringRef Name = Intrinsic->getCalledFunction()->getName();
  return Name.starts_with("llvm.nvvm.ldg.global.") ||
         Name.starts_with("llvm.nvvm.ldu.global.") ||
         (Name.starts_with("llvm.nvvm.cp.async.") && U.getOperandNo() == 1);
}

/// Returns true if U is the address of a load, store or atomic, and nothing
/// else.
static bool isAccessAddress(const Use &U) {
  if (isLoadAddress(U))
    return true;
  const auto *I = cast<Instruction>(U.getUser());
  if (isa<StoreInst>(I))
    return U.getOperandNo() == StoreInst::getPointerOperandIndex();
  if (isa<AtomicRMWInst>(I))
    return U.getOperandNo() == AtomicRMWInst::getPointerOperandIndex();
  if (isa<AtomicCmpXchgInst>(I))
    return U.getOperandNo() == AtomicCmpXchgInst::getPointerOperandIndex();
  // Both ends of a copy may come from one pointer: each is an address.
  if (const auto *Fill = dyn_cast<AnyMemIntrinsic>(I))
    return &U == &Fill->getRawDestUse();
  return false;
}

/// Returns true if Root and all that is computed from it are only addresses
/// that IsAddress accepts.
static bool isOnlyAddress(const Value &Root,
                          function_ref<bool(const Use &)> IsAddress) {
  SmallSetVector<const Value *, 16> Work;
  Work.insert(&Root);
  for (unsigned Next = 0; Next != Work.size(); ++Next)
    for (const Use &U : Work[Next]->uses()) {
      const auto *I = dyn_cast<Instruction>(U.getUser());
      if (!I)
        return false;
      bool IsDerived =
          isa<AddrSpaceCastInst, BitCastInst, PHINode, FreezeInst>(I) ||
          (isa<GetElementPtrInst>(I) && U.getOperandNo() == 0) ||
          (isa<SelectInst>(I) && U.getOperandNo() != 0);
      if (IsDerived)
        Work.insert(I);
      else if (!IsAddress(U))
        return false;
    }
  return true;
}

namespace {
/// The uses that a kernel has for a by-value struct.
struct StructUses {
  /// A use that may read or write any field.
  bool Opaque = false;
  struct FieldLoad {
    const LoadInst *Load;
    uint64_t Offset;
  };
  SmallVector<FieldLoad, 8> Loads;
};
} // namespace

static StructUses usesOfStruct(const Argument &A, const DataLayout &DL) {
  StructUses Out;
  SmallVector<std::pair<const Value *, uint64_t>, 8> Work = {{&A, 0}};
  SmallPtrSet<const Value *, 16> Seen;
  while (!Work.empty()) {
    auto [V, Offset] = Work.pop_back_val();
    for (const User *U : V->users()) {
      if (const auto *GEP = dyn_cast<GetElementPtrInst>(U)) {
        APInt Add(DL.getIndexTypeSizeInBits(GEP->getType()), 0);
        if (GEP->accumulateConstantOffset(DL, Add) && Seen.insert(GEP).second)
          Work.push_back({GEP, Offset + Add.getSExtValue()});
        else
          Out.Opaque = true;
        continue;
      }
      if (isa<AddrSpaceCastInst, BitCastInst>(U)) {
        if (Seen.insert(U).second)
          Work.push_back({U, Offset});
        continue;
      }
      if (const auto *Load = dyn_cast<LoadInst>(U)) {
        Out.Loads.push_back({Load, Offset});
        continue;
      }
      const auto *I = dyn_cast<Instruction>(U);
      if (!I || !I->isLifetimeStartOrEnd())
        Out.Opaque = true;
    }
  }
  return Out;
}

/// Returns true if the pointer at Offset of a struct is read only as a whole,
/// and all that is read is only such an address.
static bool isFieldOnlyAddress(const StructUses &Uses, uint64_t Offset,
                               const DataLayout &DL,
                               function_ref<bool(const Use &)> IsAddress) {
  if (Uses.Opaque)
    return false;
  for (const auto &[Load, At] : Uses.Loads) {
    uint64_t Size = DL.getTypeStoreSize(Load->getType());
    if (At + Size <= Offset || Offset + 8 <= At)
      continue;
    if (At != Offset || Size != 8 || !isOnlyAddress(*Load, IsAddress))
      return false;
  }
  return true;
}

bool isUsedOnlyFor(const Function &Kernel, const PointerSummary &P,
                   function_ref<bool(const Use &)> Accepts) {
  const Argument &A = *Kernel.getArg(P.Param);
  if (!A.hasByValAttr())
    return isOnlyAddress(A, Accepts);
  const DataLayout &DL = Kernel.getParent()->getDataLayout();
  return isFieldOnlyAddress(usesOfStruct(A, DL), P.ByteOffset, DL, Accepts);
}

std::vector<const Value *> valuesOf(const Function &Kernel,
                                    const PointerSummary &P) {
  const Argument &A = *Kernel.getArg(P.Param);
  if (!A.hasByValAttr())
    return {&A};
  const StructUses Uses = usesOfStruct(A, Kernel.getParent()->getDataLayout());
  std::vector<const Value *> Out;
  if (!Uses.Opaque)
    for (const auto &[Load, At] : Uses.Loads)
      if (At == P.ByteOffset && Load->getType()->isPointerTy())
        Out.push_back(Load);
  return Out;
}

static void collectFields(Type *Ty, uint64_t Offset, const DataLayout &DL,
                          SmallVectorImpl<uint64_t> &Out) {
  if (Ty->isPointerTy()) {
    Out.push_back(Offset);
  } else if (auto *Struct = dyn_cast<StructType>(Ty)) {
    const StructLayout *Layout = DL.getStructLayout(Struct);
    for (unsigned I = 0, E = Struct->getNumElements(); I != E; ++I)
      collectFields(Struct->getElementType(I),
                    Offset + Layout->getElementOffset(I), DL, Out);
  } else if (auto *Array = dyn_cast<ArrayType>(Ty)) {
    // A table of very many pointers is not worth a line each.
    uint64_t Count = std::min<uint64_t>(Array->getNumElements(), 64);
    uint64_t Stride = DL.getTypeAllocSize(Array->getElementType());
    for (uint64_t I = 0; I != Count; ++I)
      collectFields(Array->getElementType(), Offset + I * Stride, DL, Out);
  }
}

std::vector<PointerSummary> pointersOf(const Function &Kernel) {
  const DataLayout &DL = Kernel.getParent()->getDataLayout();
  std::vector<PointerSummary> Pointers;
  for (const Argument &A : Kernel.args()) {
    PointerSummary P;
    P.Param = A.getArgNo();
    P.ByteOffset = 0;
    if (A.hasByValAttr()) {
      SmallVector<uint64_t, 8> Fields;
      collectFields(A.getParamByValType(), 0, DL, Fields);
      if (Fields.empty())
        continue;
      StructUses Uses = usesOfStruct(A, DL);
      for (uint64_t Offset : Fields) {
        P.ByteOffset = Offset;
        P.Replicable = isFieldOnlyAddress(Uses, Offset, DL, isLoadAddress);
        P.Redirectable = isFieldOnlyAddress(Uses, Offset, DL, isAccessAddress);
        Pointers.push_back(P);
      }
    } else if (A.getType()->isPointerTy()) {
      P.Replicable = isOnlyAddress(A, isLoadAddress);
      P.Redirectable = isOnlyAddress(A, isAccessAddress);
      Pointers.push_back(P);
    }
  }
  return Pointers;
}

} // namespace gridspan
