//===- CpuContext.cpp - State of lowering an instruction ------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loads of the block's fields are marked invariant, so that they leave loops
// although the kernel stores through pointers that might alias.
//
//===----------------------------------------------------------------------===//

#include "passes/cpu/CpuContext.h"
#include "gridspan/ABI.h"
#include "llvm/IR/MDBuilder.h"

using namespace llvm;
using namespace gridspan;

static LoadInst *loadInvariant(CpuContext &C, Type *Ty, uint64_t Offset) {
  Value *Address =
      C.B.CreateConstInBoundsGEP1_64(C.B.getInt8Ty(), C.block(), Offset);
  LoadInst *Load = C.B.CreateLoad(Ty, Address);
  Load->setMetadata(LLVMContext::MD_invariant_load,
                    MDNode::get(C.B.getContext(), {}));
  return Load;
}

Value *CpuContext::pointerField(uint64_t Offset) {
  return loadInvariant(*this, B.getPtrTy(), Offset);
}

Value *CpuContext::numberField(uint64_t Offset, uint64_t Lo, uint64_t Hi) {
  LoadInst *Load = loadInvariant(*this, i32(), Offset);
  if (Hi > Lo)
    Load->setMetadata(
        LLVMContext::MD_range,
        MDBuilder(B.getContext()).createRange(APInt(32, Lo), APInt(32, Hi)));
  return Load;
}

Value *CpuContext::linearThread() {
  Value *DimX = numberField(offsetof(GridspanCpuBlock, BlockDimX), 1, 1025);
  Value *DimY = numberField(offsetof(GridspanCpuBlock, BlockDimY), 1, 1025);
  Value *Row = B.CreateAdd(tid(1), B.CreateMul(tid(2), DimY, "", true, true),
                           "", true, true);
  return B.CreateAdd(tid(0), B.CreateMul(Row, DimX, "", true, true), "", true,
                     true);
}

CallInst *CpuContext::call(const Twine &Name, Type *Result,
                           ArrayRef<Value *> Args) {
  SmallVector<Type *> Types;
  for (Value *Arg : Args)
    Types.push_back(Arg->getType());
  FunctionCallee Callee = module().getOrInsertFunction(
      ("__gridspan_cpu_" + Name).str(),
      FunctionType::get(Result, Types, /*isVarArg=*/false));
  cast<Function>(Callee.getCallee())->setDoesNotThrow();
  return B.CreateCall(Callee, Args);
}

CallInst *CpuContext::callWithBlock(const Twine &Name, Type *Result,
                                    ArrayRef<Value *> Args) {
  SmallVector<Value *> All = {block()};
  All.append(Args.begin(), Args.end());
  return call(Name, Result, All);
}
