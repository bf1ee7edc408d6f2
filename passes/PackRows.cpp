//===- PackRows.cpp - Kernels that read packed rows -----------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A load from X becomes one from
//
//   X + Move - row * Delta    with    row = mulhi(X - Base, Magic) >> Shift
//
// (GridspanPacking): the pieces of rows that the tile touches, which are a
// pitch apart in the program's memory, lie Delta bytes closer together where
// they are read from. The quotient by a pitch that is known at the launch only
// is a product with its reciprocal (T. Granlund, P. L. Montgomery, "Division by
// invariant integers using multiplication", PLDI 1994); the runtime chooses
// Magic and Shift so that it is exact.
//
// It is sound because the pointer is used for nothing but loads, so that only
// they may know where its data lies; that each loads from within the pieces is
// the range functions' promise.
//
//===----------------------------------------------------------------------===//

#include "gridspan/Passes/PackRows.h"
#include "gridspan/Analysis/RowWalks.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace gridspan {

/// The fields of GridspanPacking, in order.
enum PackingField { Base, Magic, Shift, Delta, Move, NumFields };

/// Reads the fields of the packing with this number, at the entry.
static SmallVector<Value *, NumFields> readPacking(Argument &Packings,
                                                   unsigned Number) {
  constexpr const char *Names[] = {"base", "magic", "shift", "delta", "move"};
  BasicBlock &Entry = Packings.getParent()->getEntryBlock();
  IRBuilder<> B(&Entry, Entry.getFirstInsertionPt());
  SmallVector<Value *, NumFields> Fields;
  for (unsigned Field = 0; Field != NumFields; ++Field) {
    Value *Address = B.CreateConstInBoundsGEP1_32(B.getInt8Ty(), &Packings,
                                                  (Number * NumFields + Field) *
                                                      sizeof(uint64_t));
    Fields.push_back(
        B.CreateAlignedLoad(B.getInt64Ty(), Address, Align(8), Names[Field]));
  }
  return Fields;
}

/// Has U's instruction load from where the packing P says.
static void redirectLoad(Use &U, ArrayRef<Value *> P) {
  auto *User = cast<Instruction>(U.getUser());
  IRBuilder<> B(User);
  Type *I128 = B.getInt128Ty();
  Value *From = B.CreateSub(B.CreatePtrToInt(U.get(), B.getInt64Ty()), P[Base]);
  Value *Product =
      B.CreateMul(B.CreateZExt(From, I128), B.CreateZExt(P[Magic], I128));
  Value *High = B.CreateTrunc(B.CreateLShr(Product, 64), B.getInt64Ty());
  Value *Row = B.CreateLShr(High, P[Shift], "row");
  Value *Distance = B.CreateSub(P[Move], B.CreateMul(Row, P[Delta]));
  // As an offset: the back end still sees what the address is based on.
  U.set(B.CreateGEP(B.getInt8Ty(), U.get(), Distance, "packed"));
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
  Attributes.addByValAttr(ArrayType::get(
      ArrayType::get(Type::getInt64Ty(C), NumFields), Params.size()));
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
    const SmallVector<Value *, NumFields> P = readPacking(*Packings, Number);
    for (Use *U : onlyLoadsOf(Pointer))
      redirectLoad(*U, P);
  }
  return New;
}

} // namespace gridspan
