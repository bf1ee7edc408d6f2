//===- BuiltinVariables.cpp - threadIdx and its kin -----------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A load of a member becomes a read of its register in the same place. Where a
// function does something else with a variable (copies it, binds a reference),
// it gets a copy of it on its stack, filled at its entry: the registers never
// change while a thread runs. After inlining and SROA most copies are gone.
//
// Precondition: no address of the variables is stored in global memory or
// outlives its function. nvcc refuses to take the address; of references that a
// function returns the same holds as of those to other local variables.
//
// Source: CUDA C++ Programming Guide, "Built-in Variables".
//
//===----------------------------------------------------------------------===//

#include "passes/device/BuiltinVariables.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/ReplaceConstant.h"
#include "llvm/TargetParser/Triple.h"

using namespace llvm;
using namespace gridspan;

namespace {

struct Variable {
  StringLiteral Name;
  Intrinsic::ID Members[3];
};

} // namespace

static constexpr Variable Variables[] = {
    {"threadIdx",
     {Intrinsic::nvvm_read_ptx_sreg_tid_x, Intrinsic::nvvm_read_ptx_sreg_tid_y,
      Intrinsic::nvvm_read_ptx_sreg_tid_z}},
    {"blockIdx",
     {Intrinsic::nvvm_read_ptx_sreg_ctaid_x,
      Intrinsic::nvvm_read_ptx_sreg_ctaid_y,
      Intrinsic::nvvm_read_ptx_sreg_ctaid_z}},
    {"blockDim",
     {Intrinsic::nvvm_read_ptx_sreg_ntid_x,
      Intrinsic::nvvm_read_ptx_sreg_ntid_y,
      Intrinsic::nvvm_read_ptx_sreg_ntid_z}},
    {"gridDim",
     {Intrinsic::nvvm_read_ptx_sreg_nctaid_x,
      Intrinsic::nvvm_read_ptx_sreg_nctaid_y,
      Intrinsic::nvvm_read_ptx_sreg_nctaid_z}},
};

/// Replaces loads of members through an address that is Offset bytes behind the
/// variable's.
static void replaceLoads(const Variable &V, Instruction *Address,
                         int64_t Offset) {
  const DataLayout &Layout = Address->getModule()->getDataLayout();
  for (User *U : make_early_inc_range(Address->users())) {
    if (auto *Gep = dyn_cast<GetElementPtrInst>(U)) {
      APInt Bytes(Layout.getIndexTypeSizeInBits(Gep->getType()), 0);
      if (Gep->accumulateConstantOffset(Layout, Bytes))
        replaceLoads(V, Gep, Offset + Bytes.getSExtValue());
    } else if (auto *Load = dyn_cast<LoadInst>(U)) {
      if (!Load->getType()->isIntegerTy(32) || Offset < 0 || Offset > 8 ||
          Offset % 4)
        continue;
      IRBuilder<> B(Load);
      Value *Register = B.CreateIntrinsic(V.Members[Offset / 4], {}, {});
      Register->takeName(Load);
      Load->replaceAllUsesWith(Register);
      Load->eraseFromParent();
    }
  }
  if (Address->use_empty())
    Address->eraseFromParent();
}

/// Returns a copy of the variable on the function's stack.
static AllocaInst *copyInto(const Variable &V, Type *T, Function &F) {
  IRBuilder<> B(&*F.getEntryBlock().getFirstInsertionPt());
  AllocaInst *Copy = B.CreateAlloca(T, nullptr, V.Name);
  for (unsigned I = 0; I < 3; ++I)
    B.CreateStore(B.CreateIntrinsic(V.Members[I], {}, {}),
                  B.CreateConstInBoundsGEP2_32(T, Copy, 0, I));
  return Copy;
}

static void replace(const Variable &V, GlobalVariable &G) {
  // clang casts it to the generic address space.
  convertUsersOfConstantsToInstructions({&G});
  for (User *U : make_early_inc_range(G.users()))
    if (auto *Cast = dyn_cast<AddrSpaceCastInst>(U))
      replaceLoads(V, Cast, 0);
  MapVector<Function *, AllocaInst *> Copies;
  for (Use &U : make_early_inc_range(G.uses())) {
    auto *User = dyn_cast<Instruction>(U.getUser());
    if (!User)
      continue;
    AllocaInst *&Copy = Copies[User->getFunction()];
    if (!Copy)
      Copy = copyInto(V, G.getValueType(), *User->getFunction());
    if (auto *Cast = dyn_cast<AddrSpaceCastInst>(User);
        Cast && Cast->getType() == Copy->getType()) {
      Cast->replaceAllUsesWith(Copy);
      Cast->eraseFromParent();
    } else {
      IRBuilder<> B(&*std::next(Copy->getIterator()));
      U.set(B.CreateAddrSpaceCast(Copy, G.getType()));
    }
  }
  if (G.use_empty())
    G.eraseFromParent();
  else
    G.getContext().emitError("gridspan: the address of " + V.Name +
                             " is stored in a global variable");
}

PreservedAnalyses BuiltinVariablesPass::run(Module &M,
                                            ModuleAnalysisManager &) {
  if (!Triple(M.getTargetTriple()).isNVPTX())
    return PreservedAnalyses::all();
  bool Changed = false;
  for (const Variable &V : Variables) {
    GlobalVariable *G = M.getNamedGlobal(V.Name);
    // A program may have such a name in a namespace, but not this one.
    if (!G || !G->isDeclaration() || !G->getValueType()->isStructTy() ||
        M.getDataLayout().getTypeAllocSize(G->getValueType()) != 12)
      continue;
    replace(V, *G);
    Changed = true;
  }
  return Changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}
