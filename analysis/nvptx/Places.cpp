//===- Places.cpp - Pointers that may lead to the same memory -------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pointers are followed to the objects that they are derived from, through phis
// and selects, and through the arithmetic of addresses that are numbers: a
// number of at most 32 bits that is no address is an offset. Different
// variables and arguments are apart. A pointer that comes from memory or from a
// call may lead anywhere but to variables of the block or the thread whose
// address goes nowhere, which no such pointer can have. What the host has
// given, in a struct that is an argument or in constant memory, leads to none
// of these either. Different fields of one struct lead to different places, and
// to none within it; that it is one the front end says, by its type.
//
// What a called function writes through its parameters, it writes where the
// arguments of the call lead.
//
//===----------------------------------------------------------------------===//

#include "analysis/nvptx/Places.h"
#include "analysis/nvptx/AddressSpaces.h"
#include "analysis/nvptx/Kernels.h"
#include "analysis/nvptx/WaitReads.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace gridspan {

//===--- Objects ----------------------------------------------------------===//

static bool isPrivateSpace(unsigned Space) {
  return Space == SharedSpace || Space == LocalSpace;
}

/// Returns what Pointer is derived from; what is no variable and no parameter
/// may lead anywhere, in a space of its own to any variable there.
static SmallVector<const Value *, 4> objectsOf(const Value *Pointer) {
  SmallVector<const Value *, 4> Work = {Pointer}, Out;
  SmallPtrSet<const Value *, 4> Seen;
  while (!Work.empty()) {
    const Value *Next = Work.pop_back_val();
    if (!Seen.insert(Next).second)
      continue;
    const bool IsCast =
        isPrivateSpace(Next->getType()->getPointerAddressSpace());
    SmallVector<const Value *, 4> Objects;
    getUnderlyingObjects(Next, Objects, /*LI=*/nullptr, /*MaxLookup=*/0);
    for (const Value *Object : Objects) {
      const auto *Cast = dyn_cast<Operator>(Object);
      const Value *Base = Cast && Cast->getOpcode() == Instruction::IntToPtr
                              ? baseOfAddress(Cast->getOperand(0))
                              : nullptr;
      if (Base)
        Work.push_back(Base);
      else
        Out.push_back(IsCast && !isPrivateMemory(Object) ? Next : Object);
    }
  }
  return Out;
}

static bool isParameter(const Value *Object) {
  const auto *Parameter = dyn_cast<Argument>(Object);
  return Parameter && !isKernel(*Parameter->getParent());
}

static bool isPrivateVariable(const Value *Object) {
  return isa<AllocaInst>(Object) ||
         (isa<GlobalVariable>(Object) && isPrivateMemory(Object));
}

/// Returns true if the object is a variable or an argument of a kernel.
static bool isKnown(const Value *Object) {
  return isa<AllocaInst, GlobalVariable>(Object) ||
         (isa<Argument>(Object) && !isParameter(Object));
}

namespace {
/// Where a pointer is loaded from.
struct Origin {
  const Value *Of = nullptr; ///< null: not what a kernel is given
  std::optional<uint64_t> Offset;
};
} // namespace

/// Returns of which argument of a kernel or variable of the program Object, a
/// pointer that is loaded, is a field.
static Origin originOf(const Value *Object) {
  const auto *Load = dyn_cast<LoadInst>(Object);
  if (!Load)
    return {};
  const Value *Pointer = Load->getPointerOperand();
  const Value *Of = getUnderlyingObject(Pointer, /*MaxLookup=*/0);
  if (!isKnown(Of) || isPrivateVariable(Of))
    return {};
  const DataLayout &DL = Load->getModule()->getDataLayout();
  APInt Offset(DL.getIndexTypeSizeInBits(Pointer->getType()), 0);
  const Value *Base = Pointer->stripAndAccumulateConstantOffsets(
      DL, Offset, /*AllowNonInbounds=*/true);
  if (Base->stripPointerCasts() != Of)
    return {Of, std::nullopt};
  return {Of, Offset.getZExtValue()};
}

/// Returns true if no kernel writes the object: constant memory, or a struct
/// that is an argument.
static bool isConstant(const Value *Object) {
  const auto *Struct = dyn_cast<Argument>(Object);
  return isConstantMemory(Object) ||
         (Struct && Struct->hasByValAttr() && Struct->onlyReadsMemory() &&
          isKernel(*Struct->getParent()));
}

/// Returns true if the object is what the host has put there.
static bool isGiven(const Value *Object) {
  const Origin From = originOf(Object);
  return From.Of && isConstant(From.Of);
}

const Value *givenPointer(const Value *Object) {
  const Origin Wanted = originOf(Object);
  if (!isGiven(Object) || !Wanted.Offset)
    return nullptr;
  SmallVector<const Value *, 8> Work = {Wanted.Of};
  SmallPtrSet<const Value *, 8> Seen;
  while (!Work.empty())
    for (const User *By : Work.pop_back_val()->users()) {
      if (isa<GEPOperator, AddrSpaceCastOperator, BitCastOperator>(By) &&
          Seen.insert(By).second)
        Work.push_back(By);
      if (isa<LoadInst>(By) && By->getType() == Object->getType() &&
          originOf(By).Offset == Wanted.Offset)
        return By;
    }
  return nullptr;
}

/// Returns true if the object is loaded from a struct, not from a table, by
/// what the front end says of the access.
static bool isOfStruct(const Value *Object) {
  const MDNode *Tag = cast<LoadInst>(Object)->getMetadata(LLVMContext::MD_tbaa);
  return Tag && Tag->getNumOperands() >= 3 &&
         Tag->getOperand(0) != Tag->getOperand(1);
}

/// Returns true if the objects come from different fields of one struct, or of
/// several that are given by value.
static bool areOriginsApart(const Value *A, const Value *B) {
  const Origin L = originOf(A), R = originOf(B);
  if (!L.Of || !R.Of || !L.Offset || !R.Offset)
    return false;
  const bool AreSame = L.Of == R.Of && *L.Offset == *R.Offset;
  if (isGiven(A) && isGiven(B))
    return !AreSame;
  return L.Of == R.Of && !AreSame && isOfStruct(A) && isOfStruct(B);
}

/// Returns true if both are in spaces of their own.
static bool areInOtherSpaces(const Value *A, const Value *B) {
  const auto SpaceOf = [](const Value *Object) {
    return isa<AllocaInst>(Object)
               ? LocalSpace
               : Object->getType()->getPointerAddressSpace();
  };
  const unsigned L = SpaceOf(A), R = SpaceOf(B);
  return L != GenericSpace && R != GenericSpace && L != R;
}

//===--- Addresses that go away -------------------------------------------===//

/// Returns true if By, which uses an address or what it makes of it, cannot
/// pass it on. Sets Follows if its result is such an address, too.
static bool keeps(const Use &U, bool &Follows) {
  const User *By = U.getUser();
  if (isa<GEPOperator, AddrSpaceCastOperator, BitCastOperator, PHINode,
          SelectInst, FreezeInst, PtrToIntOperator, BinaryOperator, ZExtInst,
          SExtInst, TruncInst, IntToPtrInst, ConstantExpr>(By)) {
    Follows = true;
    return true;
  }
  if (isa<LoadInst, ICmpInst, MemIntrinsic>(By))
    return true;
  if (const auto *Store = dyn_cast<StoreInst>(By))
    return U.getOperandNo() == Store->getPointerOperandIndex();
  if (isa<AtomicRMWInst, AtomicCmpXchgInst>(By))
    return U.getOperandNo() == 0;
  if (const auto *Call = dyn_cast<IntrinsicInst>(By)) {
    // What is loaded by an address is no address.
    Follows = !U->getType()->isPtrOrPtrVectorTy() ||
              Call->getType()->isPtrOrPtrVectorTy();
    return true;
  }
  if (const auto *Call = dyn_cast<CallBase>(By)) {
    const Function *Callee = Call->getCalledFunction();
    return Callee && Callee->getName() == "vprintf";
  }
  // llvm.used and the like keep a variable alive and do nothing else.
  return isa<ConstantArray>(By) && all_of(By->users(), [](const User *Owner) {
           const auto *List = dyn_cast<GlobalVariable>(Owner);
           return List && List->getName().starts_with("llvm.");
         });
}

/// Returns true if the address of the variable may get into memory, or to a
/// function that keeps it.
bool Places::escapes(const Value *Object) {
  const auto [Known, IsNew] = Escaping.try_emplace(Object, true);
  if (!IsNew)
    return Known->second;
  SmallVector<const Value *, 16> Work = {Object};
  SmallPtrSet<const Value *, 16> Seen;
  while (!Work.empty())
    for (const Use &U : Work.pop_back_val()->uses()) {
      bool Follows = false;
      if (!keeps(U, Follows))
        return true;
      if (Follows && Seen.insert(U.getUser()).second)
        Work.push_back(U.getUser());
    }
  Escaping[Object] = false;
  return false;
}

/// Returns true if V is used in F, or in a function that is no kernel and that
/// F may call.
static bool isUsedFrom(const Value &V, const Function &F) {
  return any_of(V.users(), [&](const User *By) {
    const auto *I = dyn_cast<Instruction>(By);
    return I ? I->getFunction() == &F || !isKernel(*I->getFunction())
             : isUsedFrom(*By, F);
  });
}

/// Returns true if a pointer that F finds in memory may be to a variable of the
/// block or the thread.
bool Places::mayEscape(const Function &F) {
  if (!isKernel(F))
    return true;
  return any_of(F.getParent()->globals(),
                [&](const GlobalVariable &Variable) {
                  return isPrivateVariable(&Variable) &&
                         isUsedFrom(Variable, F) && escapes(&Variable);
                }) ||
         any_of(instructions(F), [&](const Instruction &I) {
           return isa<AllocaInst>(I) && escapes(&I);
         });
}

//===--- Pairs ------------------------------------------------------------===//

/// Returns true if both are different objects. Object is a variable or an
/// argument of a kernel, if one of them is.
bool Places::areApart(const Value *Object, const Value *Other) {
  if (Object == Other)
    return false;
  if (areInOtherSpaces(Object, Other) || isConstant(Object) ||
      isa<ConstantPointerNull, UndefValue>(Other))
    return true;
  if (isKnown(Object) && isKnown(Other))
    return true;
  if (!isKnown(Object))
    return areOriginsApart(Object, Other);
  if (!isPrivateVariable(Object))
    return isa<Argument>(Object) &&
           (isGiven(Other) ||
            (originOf(Other).Of == Object && isOfStruct(Other)));
  if (isGiven(Other))
    return true;
  if (const auto *Parameter = dyn_cast<Argument>(Other)) {
    const auto *Variable = dyn_cast<AllocaInst>(Object);
    return Variable && Variable->getFunction() == Parameter->getParent();
  }
  return !isPrivateSpace(Other->getType()->getPointerAddressSpace()) &&
         !escapes(Object);
}

bool Places::mayMeetAny(ArrayRef<const Value *> Objects, const Value *Other) {
  if (all_of(Objects, [&](const Value *Object) {
        return areInOtherSpaces(Object, Other);
      }))
    return false;
  return any_of(objectsOf(Other), [&](const Value *There) {
    return any_of(Objects, [&](const Value *Here) {
      return !(isKnown(Here) ? areApart(Here, There) : areApart(There, Here));
    });
  });
}

bool Places::mayMeet(const Value *A, const Value *B) {
  return !areInOtherSpaces(A, B) && mayMeetAny(objectsOf(A), B);
}

bool Places::mayBePrivate(const Value *Pointer) {
  if (isPrivateMemory(Pointer))
    return true;
  if (Pointer->getType()->getPointerAddressSpace() != GenericSpace)
    return false;
  return any_of(objectsOf(Pointer), [&](const Value *Object) {
    if (isPrivateMemory(Object) || isParameter(Object))
      return true;
    const auto *I = dyn_cast<Instruction>(Object);
    return I && I->getType()->getPointerAddressSpace() == GenericSpace &&
           !isGiven(I) && mayEscape(*I->getFunction());
  });
}

//===--- Writes -----------------------------------------------------------===//

/// Returns true for assembly and intrinsics that may write where From leads, if
/// it is not known where they do.
bool Places::mayWriteHere(const Instruction &I, const Value *From) {
  if (assemblyOf(I)) {
    const auto IsUnknown = [&](const Value *Object) {
      return isa<AllocaInst>(Object) && !escapes(Object);
    };
    if (From && all_of(objectsOf(From), IsUnknown))
      return false;
    return isWritingAssembly(I) ||
           (isOwnWritingAssembly(I) && (!From || mayBePrivate(From)));
  }
  const auto *Call = dyn_cast<IntrinsicInst>(&I);
  return Call && Call->mayWriteToMemory() &&
         any_of(Call->args(), [&](const Value *Argument) {
           const Type *Given = Argument->getType();
           return Given->isPtrOrPtrVectorTy() &&
                  (!From || Given->isVectorTy() || mayMeet(Argument, From));
         });
}

/// The same for an instruction that is reached by Call.
bool Places::mayWriteIn(const Instruction &Inside, const CallBase &Call,
                        const Value *From) {
  const Value *To = writtenBy(Inside);
  if (!To)
    return mayWriteHere(Inside, From);
  if (!From)
    return true;
  SmallVector<const Value *, 4> Objects;
  for (const Value *Object : objectsOf(To))
    if (const auto *Parameter = dyn_cast<Argument>(Object);
        Parameter && Parameter->getParent() == Call.getCalledFunction())
      append_range(Objects,
                   objectsOf(Call.getArgOperand(Parameter->getArgNo())));
    else
      Objects.push_back(Object);
  return mayMeetAny(Objects, From);
}

bool Places::mayWriteTo(const Instruction &I, const Value *From) {
  if (const Value *To = writtenBy(I))
    return !From || mayMeet(To, From);
  if (const Function *Callee = calledBody(I))
    return reachesAny(*Callee, [&](const Instruction &Inside) {
      return mayWriteIn(Inside, cast<CallBase>(I), From);
    });
  return mayWriteHere(I, From);
}

} // namespace gridspan
