//===- KernelObjects.cpp - Memory that a kernel is given ------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Assembly whose place is not known may write whatever other blocks have, and
// so may a call of what is not known that gets a pointer there.
//
// Fields are apart if their offsets are, modulo the largest power of two that
// divides all that indices are multiplied by. Products may then overflow.
//
//===----------------------------------------------------------------------===//

#include "analysis/legality/KernelObjects.h"
#include "analysis/nvptx/AddressSpaces.h"
#include "analysis/nvptx/Kernels.h"
#include "analysis/nvptx/Places.h"
#include "analysis/nvptx/WaitReads.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include <optional>

using namespace llvm;

namespace gridspan {

const Value *knownObject(const Value *Pointer) {
  const Value *Object = getUnderlyingObject(Pointer);
  if (const Value *Given = givenPointer(Object))
    return Given;
  const auto *Parameter = dyn_cast<Argument>(Object);
  return isa<GlobalVariable>(Object) ||
                 (Parameter && isKernel(*Parameter->getParent()))
             ? Object
             : nullptr;
}

bool mayWriteObject(const Instruction &I, const Value *Object) {
  if (const Function *Callee = calledBody(I))
    return reachesAny(*Callee, [&](const Instruction &Inside) {
      return mayWriteObject(Inside, Object);
    });
  if (const Value *To = writtenBy(I)) {
    const Value *Other = knownObject(To);
    return !isPrivateMemory(To) && (!Other || Other == Object);
  }
  if (assemblyOf(I))
    return isWritingAssembly(I);
  // Ordered and volatile loads count as writes in LLVM.
  if (!I.mayWriteToMemory() || isa<FenceInst, LoadInst>(I))
    return false;
  const auto *Call = dyn_cast<CallBase>(&I);
  return !Call || any_of(Call->args(), [](const Value *Argument) {
    const Type *Given = Argument->getType();
    return Given->isVectorTy()
               ? Given->isPtrOrPtrVectorTy()
               : Given->isPointerTy() && !isPrivateMemory(Argument);
  });
}

namespace {
/// Bytes of an object, at Offset and at any multiple of Stride from there.
struct Field {
  uint64_t Offset = 0;
  uint64_t Size = 0;
  uint64_t Stride = 0; ///< a power of two; 0: there is one
};
} // namespace

/// Returns the largest power of two that divides both.
static uint64_t commonStride(uint64_t A, uint64_t B) {
  const uint64_t All = A | B;
  return All & -All;
}

/// Returns where I reads or writes, or null.
static const Value *placeOf(const Instruction &I) {
  const Value *Place = writtenBy(I);
  return Place ? Place : readBy(I);
}

/// Returns what I reads or writes of Object, if that is a field.
static std::optional<Field> fieldOf(const Instruction &I, const Value *Object) {
  const Type *Accessed = nullptr;
  if (const auto *Store = dyn_cast<StoreInst>(&I))
    Accessed = Store->getValueOperand()->getType();
  else if (isa<LoadInst>(I))
    Accessed = I.getType();
  else if (const auto *RMW = dyn_cast<AtomicRMWInst>(&I))
    Accessed = RMW->getType();
  else if (const auto *Swap = dyn_cast<AtomicCmpXchgInst>(&I))
    Accessed = Swap->getCompareOperand()->getType();
  if (!Accessed)
    return std::nullopt;
  const DataLayout &DL = I.getModule()->getDataLayout();
  Field Out;
  Out.Size = DL.getTypeStoreSize(const_cast<Type *>(Accessed));
  const Value *At = placeOf(I)->stripPointerCasts();
  while (At != Object) {
    const auto *Element = dyn_cast<GEPOperator>(At);
    MapVector<Value *, APInt> Scales;
    APInt Offset(64, 0);
    if (!Element || DL.getIndexTypeSizeInBits(Element->getType()) != 64 ||
        !Element->collectOffset(DL, 64, Scales, Offset))
      return std::nullopt;
    Out.Offset += Offset.getZExtValue();
    for (const auto &[Index, Scale] : Scales)
      Out.Stride = commonStride(Out.Stride, Scale.getZExtValue());
    At = Element->getPointerOperand()->stripPointerCasts();
  }
  return Out;
}

bool areFieldsApart(const Instruction &A, const Instruction &B) {
  const Value *Place = placeOf(A);
  const Value *Object = Place ? knownObject(Place) : nullptr;
  if (!Object)
    return false;
  const std::optional<Field> L = fieldOf(A, Object), R = fieldOf(B, Object);
  if (!L || !R)
    return false;
  const uint64_t Stride = commonStride(L->Stride, R->Stride);
  if (Stride == 0)
    return false;
  const uint64_t Left = L->Offset % Stride, Right = R->Offset % Stride;
  return Left + L->Size <= Stride && Right + R->Size <= Stride &&
         (Left + L->Size <= Right || Right + R->Size <= Left);
}

} // namespace gridspan
