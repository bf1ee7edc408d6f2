//===- VendorCalls.cpp - CUDA functions that need a driver ----------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every use of a declared function of VendorCalls.def or DriverCalls.def
// becomes one of a function of the same type, which asks the runtime and calls
// the declared one. All files of a program share it, so that its address is the
// same everywhere. Functions of the program that happen to have such a name are
// not known to the tables, or are definitions.
//
//===----------------------------------------------------------------------===//

#include "passes/host/VendorCalls.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

using namespace llvm;

static bool needsDriver(StringRef Name) {
  static const StringSet<> Names = {
#define GRIDSPAN_VENDOR_CALL(Name) #Name,
#include "passes/host/VendorCalls.def"
  };
  static const StringSet<> OfDriver = {
#define GRIDSPAN_DRIVER_CALL(Name) #Name,
#include "passes/host/DriverCalls.def"
  };
  // Spellings for the default stream of each thread.
  if (!Name.consume_back("_ptsz"))
    Name.consume_back("_ptds");
  if (Names.contains(Name))
    return true;
  // Those of the driver have versions.
  const size_t Version = Name.rfind("_v");
  if (Version != StringRef::npos && Version + 2 != Name.size() &&
      all_of(Name.drop_front(Version + 2), isDigit))
    Name = Name.take_front(Version);
  return OfDriver.contains(Name);
}

/// Makes the function that asks, and calls F.
static Function *makeGuard(Function &F) {
  Module &M = *F.getParent();
  LLVMContext &C = M.getContext();
  auto *Guard =
      Function::Create(F.getFunctionType(), GlobalValue::LinkOnceODRLinkage,
                       "__gridspan_guarded_" + F.getName(), M);
  Guard->setCallingConv(F.getCallingConv());
  // Of F's function attributes some (memory effects) would be wrong here.
  const AttributeList Of = F.getAttributes();
  SmallVector<AttributeSet> Params;
  for (const Argument &A : F.args())
    Params.push_back(Of.getParamAttrs(A.getArgNo()));
  Guard->setAttributes(
      AttributeList::get(C, AttributeSet(), Of.getRetAttrs(), Params));
  BasicBlock *Entry = BasicBlock::Create(C, "entry", Guard);
  BasicBlock *Call = BasicBlock::Create(C, "call", Guard);
  BasicBlock *Fail = BasicBlock::Create(C, "fail", Guard);
  IRBuilder<> B(Entry);
  FunctionCallee Ask = M.getOrInsertFunction("__gridspan_vendor_call",
                                             B.getInt32Ty(), B.getPtrTy());
  Value *Error = B.CreateCall(Ask, {B.CreateGlobalString(F.getName())});
  B.CreateCondBr(B.CreateIsNull(Error), Call, Fail);
  B.SetInsertPoint(Call);
  SmallVector<Value *> Args;
  for (Argument &A : Guard->args())
    Args.push_back(&A);
  CallInst *Result = B.CreateCall(&F, Args);
  Result->setCallingConv(F.getCallingConv());
  Result->setAttributes(Of);
  B.CreateRet(Result);
  B.SetInsertPoint(Fail);
  B.CreateRet(Error);
  return Guard;
}

bool gridspan::guardVendorCalls(Module &M) {
  SmallVector<Function *> Found;
  for (Function &F : M)
    if (F.isDeclaration() && !F.use_empty() && !F.isVarArg() &&
        F.getReturnType()->isIntegerTy(32) && needsDriver(F.getName()))
      Found.push_back(&F);
  for (Function *F : Found) {
    SmallVector<Use *> Uses;
    for (Use &U : F->uses())
      Uses.push_back(&U);
    Function *Guard = makeGuard(*F);
    F->replaceUsesWithIf(Guard,
                         [&](const Use &U) { return is_contained(Uses, &U); });
  }
  return !Found.empty();
}
