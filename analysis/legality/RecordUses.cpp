//===- RecordUses.cpp - Accesses to arrays of records ---------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All that is computed from the pointer is followed, through address
// arithmetic, casts, phis and selects, to the accesses. For each address a
// congruence is computed: its distance from the pointer is R modulo M bytes.
// Phis join congruences, by greatest common divisors, until nothing changes;
// moduli only get smaller, so that this ends. A modulus of 0 is an exact
// distance.
//
// Most accesses to a[i].f are at f modulo sizeof(a[0]), which tells the record
// and the field. The greatest common divisor of the moduli is the record, or
// the size of a struct that divides it. Where a loop chooses among fields the
// modulus is a field's size.
//
// The arithmetic is that of integers: C++ has no pointers that go around the
// address space ([expr.add]), so that no product of an index and a size wraps.
//
//===----------------------------------------------------------------------===//

#include "analysis/legality/RecordUses.h"
#include "analysis/summary/KernelParams.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include <numeric>

using namespace llvm;

namespace gridspan {

static constexpr struct {
  StringLiteral Name, Text;
} Refusals[] = {
#define GRIDSPAN_RECORD_REFUSAL(Kind, Name, Text) {Name, Text},
#include "analysis/legality/RecordUses.def"
};

StringRef recordRefusalName(RecordRefusal R) {
  return Refusals[unsigned(R)].Name;
}

StringRef recordRefusalText(RecordRefusal R) {
  return Refusals[unsigned(R)].Text;
}

/// Larger distances and records are not followed.
static constexpr uint64_t MostBytes = uint64_t(1) << 31;
/// Copies and fills of more bytes are not done piece by piece.
static constexpr uint64_t MostTransferred = 256;

namespace {

/// Numbers that are Rest modulo Modulus; with 0 just Rest.
struct Congruence {
  uint64_t Modulus = 0;
  int64_t Rest = 0;

  void normalize() {
    if (Modulus)
      Rest = (Rest % int64_t(Modulus) + int64_t(Modulus)) % int64_t(Modulus);
  }
  bool operator==(const Congruence &) const = default;
};

/// One access that was found.
struct FoundAccess {
  Use *Address;
  uint32_t Bytes;
  bool IsIndivisible;
};

class UseWalk {
public:
  UseWalk(Function &Kernel, const PointerSummary &P, RecordUses &Out)
      : Layout(Kernel.getParent()->getDataLayout()), Out(Out) {
    for (const Value *V : valuesOf(Kernel, P))
      Roots.insert(const_cast<Value *>(V));
  }
  void run();

private:
  bool refuse(RecordRefusal R, const Instruction *Where) {
    Out.Refusal = R;
    Out.Where = Where;
    return false;
  }
  bool collect();
  bool addAccess(Use &U, Instruction &I);
  bool choosesOnlyAmongThese();
  void computeCongruences();
  Congruence congruenceOf(const Value *V) const {
    auto It = Congruences.find(V);
    return It == Congruences.end() ? Congruence() : It->second;
  }
  Congruence next(Instruction &I) const;
  std::optional<ByteSum> distanceOf(Value *Pointer) const;
  uint64_t recordBytes() const;
  void noteStructs(const GEPOperator &Gep);
  void describeAccesses();

  const DataLayout &Layout;
  RecordUses &Out;
  SmallSetVector<Value *, 4> Roots;
  SmallSetVector<Instruction *, 16> Derived;
  SmallVector<FoundAccess, 8> Found;
  DenseMap<const Value *, Congruence> Congruences;
  /// Instructions whose congruence is known to hold for at least one way.
  SmallPtrSet<const Value *, 16> Reached;
  MapVector<uint64_t, StringRef> Structs; ///< names by size
  uint64_t LongestStep = 0;
};

} // namespace

static Congruence joined(Congruence A, const Congruence &B) {
  A.Modulus = std::gcd(std::gcd(A.Modulus, B.Modulus),
                       uint64_t(std::abs(A.Rest - B.Rest)));
  A.normalize();
  return A;
}

/// Returns true for ld.global.nc and the like, of which U is the address.
static bool isCachedLoad(const Instruction &I, const Use &U) {
  const auto *Intrinsic = dyn_cast<IntrinsicInst>(&I);
  if (!Intrinsic || U.getOperandNo() != 0)
    return false;
  StringRef Name = Intrinsic->getCalledFunction()->getName();
  return Name.starts_with("llvm.nvvm.ldg.global.") ||
         Name.starts_with("llvm.nvvm.ldu.global.");
}

/// Returns the bytes of a copy or fill of which U is an address, or 0. Volatile
/// ones, and those whose length is not known, count as none.
static uint64_t transferredBytes(const Instruction &I, const Use &U) {
  const auto *Transfer = dyn_cast<MemIntrinsic>(&I);
  if (!Transfer || Transfer->isVolatile() ||
      U.getOperandNo() > (isa<MemTransferInst>(I) ? 1u : 0u))
    return 0;
  const auto *Length = dyn_cast<ConstantInt>(Transfer->getLength());
  return Length ? Length->getLimitedValue() : 0;
}

/// Notes the access that U is the address of. Refuses all other uses.
bool UseWalk::addAccess(Use &U, Instruction &I) {
  if (const uint64_t Bytes = transferredBytes(I, U);
      Bytes != 0 && Bytes <= MostTransferred) {
    Found.push_back({&U, uint32_t(Bytes), /*IsIndivisible=*/false});
    return true;
  }
  Type *Ty = nullptr;
  bool IsIndivisible = true;
  if (auto *Load = dyn_cast<LoadInst>(&I)) {
    Ty = Load->getType();
    IsIndivisible = !Load->isSimple();
  } else if (auto *Store = dyn_cast<StoreInst>(&I);
             Store && U.getOperandNo() == StoreInst::getPointerOperandIndex()) {
    Ty = Store->getValueOperand()->getType();
    IsIndivisible = !Store->isSimple();
  } else if (auto *Atomic = dyn_cast<AtomicRMWInst>(&I);
             Atomic &&
             U.getOperandNo() == AtomicRMWInst::getPointerOperandIndex()) {
    Ty = Atomic->getType();
  } else if (auto *Exchange = dyn_cast<AtomicCmpXchgInst>(&I);
             Exchange &&
             U.getOperandNo() == AtomicCmpXchgInst::getPointerOperandIndex()) {
    Ty = Exchange->getCompareOperand()->getType();
  } else if (isCachedLoad(I, U)) {
    Ty = I.getType();
  } else {
    const auto *Intrinsic = dyn_cast<IntrinsicInst>(&I);
    if (Intrinsic && Intrinsic->isAssumeLikeIntrinsic() && I.use_empty())
      return true;
    return refuse(RecordRefusal::PointerEscapes, &I);
  }
  const TypeSize Size = Layout.getTypeStoreSize(Ty);
  if (Size.isScalable() || Size.getFixedValue() == 0 ||
      Size.getFixedValue() > MostBytes)
    return refuse(RecordRefusal::PointerEscapes, &I);
  // Bits that belong to no byte cannot be put together from parts.
  IsIndivisible |= Layout.getTypeSizeInBits(Ty) != Size * 8 ||
                   !(Ty->isIntOrIntVectorTy() || Ty->isFPOrFPVectorTy());
  Found.push_back({&U, uint32_t(Size.getFixedValue()), IsIndivisible});
  return true;
}

bool UseWalk::collect() {
  SmallVector<Value *, 16> Work(Roots.begin(), Roots.end());
  while (!Work.empty())
    for (Use &U : Work.pop_back_val()->uses()) {
      auto *I = dyn_cast<Instruction>(U.getUser());
      if (!I)
        return refuse(RecordRefusal::PointerEscapes, nullptr);
      const bool Moves =
          isa<AddrSpaceCastInst, BitCastInst, PHINode, FreezeInst>(I) ||
          (isa<GetElementPtrInst>(I) && U.getOperandNo() == 0) ||
          (isa<SelectInst>(I) && U.getOperandNo() != 0);
      if (!Moves) {
        if (!addAccess(U, *I))
          return false;
        continue;
      }
      if (I->getType()->isVectorTy())
        return refuse(RecordRefusal::PointerEscapes, I);
      if (Derived.insert(I))
        Work.push_back(I);
    }
  return true;
}

/// Refuses addresses that may also be computed from other pointers.
bool UseWalk::choosesOnlyAmongThese() {
  for (Instruction *I : Derived) {
    if (!isa<PHINode, SelectInst>(I))
      continue;
    for (const Use &U : drop_begin(I->operands(), isa<SelectInst>(I) ? 1 : 0)) {
      auto *From = dyn_cast<Instruction>(U.get());
      if (!Roots.contains(U.get()) && !(From && Derived.contains(From)) &&
          !isa<UndefValue>(U.get()))
        return refuse(RecordRefusal::ChosenPointer, I);
    }
  }
  return true;
}

/// Notes the sizes of structs that the steps of Gep are made of.
void UseWalk::noteStructs(const GEPOperator &Gep) {
  Type *Ty = Gep.getSourceElementType();
  if (auto *Struct = dyn_cast<StructType>(Ty))
    Structs.insert({Layout.getTypeAllocSize(Ty).getFixedValue(),
                    Struct->hasName() ? Struct->getName() : StringRef()});
}

/// Returns the congruence of I by those of its operands.
Congruence UseWalk::next(Instruction &I) const {
  if (isa<PHINode, SelectInst>(I)) {
    std::optional<Congruence> All;
    for (const Use &U : drop_begin(I.operands(), isa<SelectInst>(I) ? 1 : 0)) {
      if (!Roots.contains(U.get()) && !Reached.contains(U.get()))
        continue;
      const Congruence One = congruenceOf(U.get());
      All = All ? joined(*All, One) : One;
    }
    return All.value_or(Congruence());
  }
  Congruence C = congruenceOf(I.getOperand(0));
  auto *Gep = dyn_cast<GetElementPtrInst>(&I);
  if (!Gep)
    return C;
  APInt Constant(64, 0);
  MapVector<Value *, APInt> Variable;
  if (!cast<GEPOperator>(Gep)->collectOffset(Layout, 64, Variable, Constant))
    return {1, 0};
  for (const auto &[Index, Bytes] : Variable)
    C.Modulus = std::gcd(C.Modulus, Bytes.abs().getZExtValue());
  const int64_t Moved = Constant.getSExtValue();
  if (uint64_t(std::abs(Moved)) > MostBytes ||
      uint64_t(std::abs(C.Rest)) > MostBytes)
    return {1, 0};
  C.Rest += Moved;
  C.normalize();
  return C;
}

void UseWalk::computeCongruences() {
  for (Instruction *I : Derived)
    if (auto *Gep = dyn_cast<GetElementPtrInst>(I)) {
      noteStructs(*cast<GEPOperator>(Gep));
      APInt Constant(64, 0);
      MapVector<Value *, APInt> Variable;
      if (cast<GEPOperator>(Gep)->collectOffset(Layout, 64, Variable, Constant))
        for (const auto &[Index, Bytes] : Variable)
          LongestStep = std::max(LongestStep, Bytes.abs().getZExtValue());
    }
  for (bool Changes = true; Changes;) {
    Changes = false;
    for (Instruction *I : Derived) {
      if (!isa<PHINode, SelectInst>(I) && !Roots.contains(I->getOperand(0)) &&
          !Reached.contains(I->getOperand(0)))
        continue;
      Congruence New = next(*I);
      const bool IsNew = Reached.insert(I).second;
      if (!IsNew)
        New = joined(Congruences[I], New);
      if (IsNew || New != Congruences[I]) {
        Congruences[I] = New;
        Changes = true;
      }
    }
  }
}

std::optional<ByteSum> UseWalk::distanceOf(Value *Pointer) const {
  ByteSum Sum;
  while (!Roots.contains(Pointer)) {
    auto *I = cast<Instruction>(Pointer);
    if (isa<PHINode, SelectInst, FreezeInst>(I))
      return std::nullopt;
    if (auto *Gep = dyn_cast<GetElementPtrInst>(I)) {
      APInt Constant(64, 0);
      MapVector<Value *, APInt> Variable;
      if (!cast<GEPOperator>(Gep)->collectOffset(Layout, 64, Variable,
                                                 Constant))
        return std::nullopt;
      for (const auto &[Index, Bytes] : Variable) {
        if (Index->getType()->getIntegerBitWidth() > 64)
          return std::nullopt;
        Sum.Terms.emplace_back(Index, Bytes.getSExtValue());
      }
      Sum.Constant += Constant.getSExtValue();
    }
    Pointer = I->getOperand(0);
  }
  return Sum;
}

/// Returns the size of the record, or 0.
uint64_t UseWalk::recordBytes() const {
  uint64_t All = 0, Known = 0, Least = UINT64_MAX;
  for (const FoundAccess &A : Found) {
    const Congruence C = congruenceOf(A.Address->get());
    Least = std::min<uint64_t>(Least, A.Bytes);
    All = std::gcd(All, C.Modulus);
    if (C.Modulus > A.Bytes)
      Known = std::gcd(Known, C.Modulus);
  }
  // Where no access knows its record, steps may tell it. A record that is one
  // access is none of several fields, but may be to other kernels.
  uint64_t Bytes = Known ? Known : std::max(All, LongestStep);
  if (All == Known)
    for (const auto &[Struct, Name] : Structs)
      if (Struct > Least && Struct < Bytes && Bytes % Struct == 0)
        Bytes = Struct;
  return Bytes > MostBytes ? 0 : Bytes;
}

void UseWalk::describeAccesses() {
  for (const FoundAccess &A : Found) {
    auto *I = cast<Instruction>(A.Address->getUser());
    Congruence C = congruenceOf(A.Address->get());
    if (C.Modulus == 0 || C.Modulus % Out.RecordBytes == 0)
      C.Modulus = Out.RecordBytes;
    if (Out.RecordBytes % C.Modulus != 0) {
      // Steps that do not fit the record: any byte of it may be meant.
      C.Modulus = std::gcd(C.Modulus, uint64_t(Out.RecordBytes));
    }
    C.normalize();
    if (uint64_t(C.Rest) + A.Bytes > C.Modulus) {
      refuse(RecordRefusal::CrossesRecords, I);
      return;
    }
    Out.Accesses.push_back({A.Address, A.Bytes, uint32_t(C.Rest),
                            uint32_t(C.Modulus), A.IsIndivisible,
                            distanceOf(A.Address->get())});
  }
}

void UseWalk::run() {
  if (Roots.empty()) {
    refuse(RecordRefusal::PointerEscapes, nullptr);
    return;
  }
  if (!collect() || !choosesOnlyAmongThese())
    return;
  computeCongruences();
  Out.RecordBytes = uint32_t(recordBytes());
  Out.Type = Structs.lookup(Out.RecordBytes);
  if (Out.RecordBytes)
    describeAccesses();
}

RecordUses recordUsesOf(Function &Kernel, const PointerSummary &P,
                        unsigned Number) {
  RecordUses Out;
  Out.Pointer = Number;
  UseWalk(Kernel, P, Out).run();
  return Out;
}

} // namespace gridspan
