//===- CpuMatrix.cpp - Products of matrices on the CPU --------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each lane loads and stores the elements of its fragments by itself, see
// gridspan/MatrixProduct.h for which these are. A product is an operation of
// the warp: the lanes put their fragments into memory, and the last one to
// arrive multiplies (runtime/backend/cpu/WarpMatrix.h).
//
// Source: PTX ISA, "Warp Level Matrix Multiply-Accumulate Instructions"; the
// names are those of LLVM's IntrinsicsNVVM.td.
//
//===----------------------------------------------------------------------===//

#include "passes/cpu/CpuMatrix.h"
#include "gridspan/MatrixProduct.h"
#include "gridspan/WarpSize.h"
#include "passes/cpu/CpuRules.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;
using namespace gridspan;

std::optional<MatrixElement> gridspan::matrixElement(StringRef Name) {
  return StringSwitch<std::optional<MatrixElement>>(Name)
      .Case("f16", MatrixElement::Half)
      .Case("bf16", MatrixElement::BFloat)
      .Case("tf32", MatrixElement::TensorFloat)
      .Case("f32", MatrixElement::Float)
      .Case("f64", MatrixElement::Double)
      .Case("s8", MatrixElement::Signed8)
      .Case("u8", MatrixElement::Unsigned8)
      .Case("s32", MatrixElement::Signed32)
      .Case("s4", MatrixElement::Signed4)
      .Case("u4", MatrixElement::Unsigned4)
      .Case("e4m3", MatrixElement::FloatE4M3)
      .Case("e5m2", MatrixElement::FloatE5M2)
      .Default(std::nullopt);
}

bool gridspan::parseMatrixShape(StringRef Name, MatrixProduct &Out) {
  const auto IsSize = [](uint32_t Size) {
    return Size == 8 || Size == 16 || Size == 32;
  };
  return Name.consume_front("m") && !Name.consumeInteger(10, Out.M) &&
         Name.consume_front("n") && !Name.consumeInteger(10, Out.N) &&
         Name.consume_front("k") && !Name.getAsInteger(10, Out.K) &&
         IsSize(Out.M) && IsSize(Out.N) && isPowerOf2_32(Out.K) && Out.K <= 64;
}

namespace {

/// What a lane has of a matrix of Rows and Columns.
struct Fragment {
  uint32_t Rows = 0;
  uint32_t Columns = 0;
  MatrixElement Element = MatrixElement::Half;
  bool IsFactor = false;

  unsigned size() const {
    return MatrixProduct().fragmentOf(Rows * Columns, Element, IsFactor);
  }
  unsigned bits() const { return size() * bitsOf(Element); }
  Type *type(IRBuilder<> &B) const {
    return FixedVectorType::get(B.getIntNTy(bitsOf(Element)), size());
  }
};

} // namespace

static Fragment fragmentA(const MatrixProduct &P) {
  return {P.M, P.K, P.A, true};
}
static Fragment fragmentB(const MatrixProduct &P) {
  return {P.K, P.N, P.B, true};
}

Value *gridspan::joinMatrixRegisters(ArrayRef<Value *> Registers,
                                     IRBuilder<> &B) {
  Type *Ty = Registers.front()->getType();
  const unsigned Bits = Ty->getPrimitiveSizeInBits();
  auto *All = FixedVectorType::get(B.getIntNTy(Bits), Registers.size());
  Value *Out = PoisonValue::get(All);
  for (auto [I, V] : enumerate(Registers))
    Out = B.CreateInsertElement(Out, B.CreateBitCast(V, B.getIntNTy(Bits)), I);
  return Out;
}

/// Makes what Call returns of a fragment: a register, or a struct of some.
static Value *splitIntoRegisters(Value *Vector, Type *Result, IRBuilder<> &B) {
  auto *Struct = dyn_cast<StructType>(Result);
  if (!Struct)
    return B.CreateBitCast(Vector, Result);
  Type *Ty = Struct->getElementType(0);
  const unsigned Count = Struct->getNumElements();
  Value *All = B.CreateBitCast(
      Vector,
      FixedVectorType::get(B.getIntNTy(Ty->getPrimitiveSizeInBits()), Count));
  Value *Out = PoisonValue::get(Result);
  for (unsigned I = 0; I != Count; ++I)
    Out = B.CreateInsertValue(
        Out, B.CreateBitCast(B.CreateExtractElement(All, I), Ty), I);
  return Out;
}

/// Returns the bits of the registers that Call returns.
static unsigned bitsOfResult(Type *Result) {
  auto *Struct = dyn_cast<StructType>(Result);
  return Struct ? Struct->getNumElements() *
                      Struct->getElementType(0)->getPrimitiveSizeInBits()
                : unsigned(Result->getPrimitiveSizeInBits());
}

/// Calls Use with the number and the address of each element of the lane's
/// fragment, for a matrix at Memory whose rows, or columns, are Stride elements
/// apart.
static void forElements(const Fragment &F, Value *Memory, Value *Stride,
                        bool ByColumns, CpuContext &C,
                        function_ref<void(unsigned, Value *)> Use) {
  IRBuilder<> &B = C.B;
  Memory = B.CreatePointerBitCastOrAddrSpaceCast(Memory, B.getPtrTy());
  Type *Element = B.getIntNTy(bitsOf(F.Element));
  Value *First = B.CreateMul(readRegister("laneid", C), B.getInt32(F.size()));
  Value *Wide = B.CreateSExt(Stride, B.getInt64Ty());
  for (unsigned I = 0; I != F.size(); ++I) {
    Value *Number =
        B.CreateAnd(B.CreateAdd(First, B.getInt32(I)), F.Rows * F.Columns - 1);
    Value *Row = B.CreateUDiv(Number, B.getInt32(F.Columns));
    Value *Column = B.CreateURem(Number, B.getInt32(F.Columns));
    Value *Across = B.CreateZExt(ByColumns ? Column : Row, B.getInt64Ty());
    Value *Along = B.CreateZExt(ByColumns ? Row : Column, B.getInt64Ty());
    Value *At = B.CreateAdd(B.CreateMul(Across, Wide), Along);
    Use(I, B.CreateGEP(Element, Memory, At));
  }
}

/// Lowers load.<matrix>.<layout>.stride.<type> and store.d.<layout>...; Parts
/// are these.
static Lowered lowerTransfer(CallInst &Call, const MatrixProduct &Shape,
                             ArrayRef<StringRef> Parts, CpuContext &C) {
  IRBuilder<> &B = C.B;
  if (Parts.size() < 5 || Parts[3] != "stride")
    return std::nullopt;
  const std::optional<MatrixElement> Element = matrixElement(Parts[4]);
  if (!Element || bitsOf(*Element) < 8)
    return std::nullopt;
  MatrixProduct P = Shape;
  P.A = P.B = *Element;
  const Fragment F = Parts[1] == "a"   ? fragmentA(P)
                     : Parts[1] == "b" ? fragmentB(P)
                                       : Fragment{P.M, P.N, *Element, false};
  const bool ByColumns = Parts[2] == "col";
  const unsigned NumArgs = Call.arg_size();
  Value *Memory = Call.getArgOperand(0);
  Value *Stride = Call.getArgOperand(NumArgs - 1);
  const Align Alignment(bitsOf(F.Element) / 8);
  Type *Ty = B.getIntNTy(bitsOf(F.Element));
  if (Parts[0] == "load") {
    if (bitsOfResult(Call.getType()) != F.bits())
      return std::nullopt;
    Value *All = PoisonValue::get(F.type(B));
    forElements(F, Memory, Stride, ByColumns, C, [&](unsigned I, Value *At) {
      All =
          B.CreateInsertElement(All, B.CreateAlignedLoad(Ty, At, Alignment), I);
    });
    return splitIntoRegisters(All, Call.getType(), B);
  }
  SmallVector<Value *> Registers(Call.arg_begin() + 1, Call.arg_end() - 1);
  Value *All = B.CreateBitCast(joinMatrixRegisters(Registers, B), F.type(B));
  forElements(F, Memory, Stride, ByColumns, C, [&](unsigned I, Value *At) {
    B.CreateAlignedStore(B.CreateExtractElement(All, I), At, Alignment);
  });
  return nullptr;
}

/// Parses what follows the layouts of mma: the types of D and C for halves,
/// that of A and B otherwise.
static bool parseTypes(ArrayRef<StringRef> Parts, MatrixProduct &Out) {
  if (!Parts.empty() && Parts.back() == "satfinite") {
    Out.Saturates = true;
    Parts = Parts.drop_back();
  }
  SmallVector<MatrixElement> Elements;
  for (StringRef Part : Parts) {
    const std::optional<MatrixElement> E = matrixElement(Part);
    if (!E)
      return false;
    Elements.push_back(*E);
  }
  if (Elements.size() == 2) {
    Out.A = Out.B = MatrixElement::Half;
    Out.Result = Elements[0];
    Out.Addend = Elements[1];
    return true;
  }
  if (Elements.size() != 1)
    return false;
  Out.A = Out.B = Elements[0];
  switch (Out.A) {
  case MatrixElement::BFloat:
  case MatrixElement::TensorFloat:
    Out.Result = MatrixElement::Float;
    break;
  case MatrixElement::Double:
    Out.Result = MatrixElement::Double;
    break;
  case MatrixElement::Signed8:
  case MatrixElement::Unsigned8:
    Out.Result = MatrixElement::Signed32;
    break;
  default:
    return false;
  }
  Out.Addend = Out.Result;
  return true;
}

/// Lowers mma.<layout>.<layout>.<types>; Parts are these. Layouts say how the
/// factors were in memory, which fragments do not show.
static Lowered lowerProduct(CallInst &Call, const MatrixProduct &Shape,
                            ArrayRef<StringRef> Parts, CpuContext &C) {
  IRBuilder<> &B = C.B;
  MatrixProduct P = Shape;
  if (Parts.size() < 4 || !parseTypes(Parts.drop_front(3), P))
    return std::nullopt;
  const Fragment Inputs[] = {
      fragmentA(P), fragmentB(P), {P.M, P.N, P.Addend, false}};
  const Fragment D = {P.M, P.N, P.Result, false};
  if (bitsOfResult(Call.getType()) != D.bits())
    return std::nullopt;

  SmallVector<Value *, 3> Fragments;
  unsigned Arg = 0;
  for (const Fragment &Input : Inputs) {
    SmallVector<Value *> Registers;
    for (unsigned Bits = 0; Bits < Input.bits(); ++Arg) {
      if (Arg == Call.arg_size())
        return std::nullopt;
      Registers.push_back(Call.getArgOperand(Arg));
      Bits += Registers.back()->getType()->getPrimitiveSizeInBits();
    }
    Fragments.push_back(joinMatrixRegisters(Registers, B));
  }
  return splitIntoRegisters(emitMatrixProduct(P, Fragments, D.type(B), C),
                            Call.getType(), B);
}

Value *gridspan::emitMatrixProduct(const MatrixProduct &P,
                                   ArrayRef<Value *> Fragments, Type *Result,
                                   CpuContext &C) {
  IRBuilder<> &B = C.B;
  BasicBlock &First = C.F.getEntryBlock();
  IRBuilder<> Entry(&First, First.begin());
  AllocaInst *Memory = Entry.CreateAlloca(ArrayType::get(
      B.getInt8Ty(), size_t(MatrixFragmentBytes) * MatrixFragments));
  Memory->setAlignment(Align(MatrixFragmentBytes));
  const auto Place = [&](unsigned I) {
    return B.CreateConstGEP1_32(B.getInt8Ty(), Memory, I * MatrixFragmentBytes);
  };
  for (auto [I, V] : enumerate(Fragments))
    B.CreateStore(V, Place(I));
  C.callWithBlock("warp_multiply", B.getVoidTy(),
                  {B.getInt32(P.packed()), Memory});
  return B.CreateLoad(Result, Place(PlaceD));
}

Lowered gridspan::lowerMatrix(CallInst &Call, StringRef Name, CpuContext &C) {
  if (!Name.consume_front("wmma."))
    return std::nullopt;
  SmallVector<StringRef> Parts;
  Name.split(Parts, '.');
  MatrixProduct Shape;
  if (Parts.size() < 2 || !parseMatrixShape(Parts[0], Shape))
    return std::nullopt;
  const ArrayRef<StringRef> Rest = ArrayRef(Parts).drop_front();
  return Rest[0] == "mma" ? lowerProduct(Call, Shape, Rest, C)
                          : lowerTransfer(Call, Shape, Rest, C);
}
