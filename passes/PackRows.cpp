//===- PackRows.cpp - Kernels that read packed rows -----------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A load from X becomes one from
//
//   X + Move + row * Step
//       with   row = mulhi(u32((X - Base) >> Before), Magic) >> After
//
// (GridspanPacking): the pieces of rows that the tile touches, which are a
// pitch apart in the program's memory, lie -Step bytes closer together where
// they are read from. The quotient by a pitch that is known at the launch only
// is a product with its reciprocal (T. Granlund, P. L. Montgomery, "Division by
// invariant integers using multiplication", PLDI 1994); the runtime chooses
// the numbers so that it is exact. It is one of 32 bits, since GPUs have no
// multiplier of 64, and loops of little else wait for it at every load.
//
// It is sound because the pointer is used for nothing but loads, so that only
// they may know where its data lies; that each loads from within the pieces is
// the range functions' promise.
//
//===----------------------------------------------------------------------===//

#include "gridspan/Passes/PackRows.h"
#include "gridspan/Analysis/RowWalks.h"
#include "gridspan/Runtime/ABI.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace gridspan {

namespace {

/// The values of a GridspanPacking, by the names of its fields.
struct PackingValues {
  Value *Base, *Move, *Before, *Magic, *After, *Step;
};

} // namespace

/// Reads the packing with this number, at the entry.
static PackingValues readPacking(Argument &Packings, unsigned Number) {
  BasicBlock &Entry = Packings.getParent()->getEntryBlock();
  IRBuilder<> B(&Entry, Entry.getFirstInsertionPt());
  auto Read = [&](const char *Name, Type *Ty, size_t Offset) {
    Value *Address = B.CreateConstInBoundsGEP1_32(
        B.getInt8Ty(), &Packings, Number * sizeof(GridspanPacking) + Offset);
    return B.CreateAlignedLoad(Ty, Address, Align(Ty->getIntegerBitWidth() / 8),
                               Name);
  };
  Type *I32 = B.getInt32Ty(), *I64 = B.getInt64Ty();
  return {Read("base", I64, offsetof(GridspanPacking, Base)),
          Read("move", I64, offsetof(GridspanPacking, Move)),
          Read("before", I32, offsetof(GridspanPacking, Before)),
          Read("magic", I32, offsetof(GridspanPacking, Magic)),
          Read("after", I32, offsetof(GridspanPacking, After)),
          Read("step", I32, offsetof(GridspanPacking, Step))};
}

/// Has U's instruction load from where the packing P says.
static void redirectLoad(Use &U, const PackingValues &P) {
  IRBuilder<> B(cast<Instruction>(U.getUser()));
  Type *I32 = B.getInt32Ty(), *I64 = B.getInt64Ty();
  Value *From = B.CreateSub(B.CreatePtrToInt(U.get(), I64), P.Base);
  Value *Units =
      B.CreateTrunc(B.CreateLShr(From, B.CreateZExt(P.Before, I64)), I32);
  Value *Product =
      B.CreateMul(B.CreateZExt(Units, I64), B.CreateZExt(P.Magic, I64));
  Value *High = B.CreateTrunc(B.CreateLShr(Product, 32), I32);
  Value *Row = B.CreateLShr(High, P.After, "row");
  Value *Back = B.CreateMul(B.CreateSExt(Row, I64), B.CreateSExt(P.Step, I64));
  // As offsets: the back end still sees what the address is based on.
  Value *Moved = B.CreateGEP(B.getInt8Ty(), U.get(), P.Move);
  U.set(B.CreateGEP(B.getInt8Ty(), Moved, Back, "packed"));
}

Function *packRows(Function &Body, ArrayRef<unsigned> Params) {
  Module &M = *Body.getParent();
  LLVMContext &C = M.getContext();
  SmallVector<Type *, 8> Types(Body.getFunctionType()->params());
  Types.push_back(PointerType::getUnqual(C));
  auto *New = Function::Create(
      FunctionType::get(Body.getReturnType(), Types, /*isVarArg=*/false),
      GlobalValue::InternalLinkage, Body.getAddressSpace(),
      Body.getName() + PackedKind, &M);
  ValueToValueMapTy Map;
  for (auto [Old, Arg] : zip(Body.args(), New->args())) {
    Arg.setName(Old.getName());
    Map[&Old] = &Arg;
  }
  SmallVector<ReturnInst *, 2> Returns;
  CloneFunctionInto(New, &Body, Map, CloneFunctionChangeType::LocalChangesOnly,
                    Returns);
  New->setLinkage(GlobalValue::InternalLinkage);
  New->setVisibility(GlobalValue::DefaultVisibility);
  New->setComdat(nullptr);
  Argument *Packings = New->getArg(New->arg_size() - 1);
  Packings->setName("packings");
  AttrBuilder Attributes(C);
  Attributes.addByValAttr(
      ArrayType::get(ArrayType::get(Type::getInt64Ty(C),
                                    sizeof(GridspanPacking) / sizeof(uint64_t)),
                     Params.size()));
  Attributes.addAlignmentAttr(Align(8));
  Attributes.addAttribute(Attribute::NoUndef);
  Packings->addAttrs(Attributes);
  // It also reads its packings, through a pointer argument.
  New->removeFnAttr(Attribute::Memory);
  for (auto [Number, Param] : enumerate(Params)) {
    Argument &Pointer = *New->getArg(Param);
    // The memory behind the pointer itself may be none.
    for (Attribute::AttrKind Kind :
         {Attribute::Dereferenceable, Attribute::DereferenceableOrNull})
      Pointer.removeAttr(Kind);
    const PackingValues P = readPacking(*Packings, Number);
    for (Use *U : onlyLoadsOf(Pointer))
      redirectLoad(*U, P);
  }
  return New;
}

} // namespace gridspan
