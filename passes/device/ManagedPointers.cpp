//===- ManagedPointers.cpp - __managed__ variables on devices -------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs before everything else, so that all that follows sees plain pointers.
// Each function that uses a variable loads its address once, at its entry: a
// load of constant memory that cannot fault. Initializers that are no bytes,
// and initializers of other variables with the address of a managed one, are
// errors, as in CUDA.
//
// A variable of internal linkage is none that the host sees (clang gives the
// others external linkage), and stays a variable of the device.
//
//===----------------------------------------------------------------------===//

#include "passes/device/ManagedPointers.h"
#include "analysis/nvptx/AddressSpaces.h"
#include "passes/common/ManagedAnnotations.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/ReplaceConstant.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;
using namespace gridspan;

/// The operands have a name, a size and the initial bytes.
static constexpr StringLiteral ListName = "gridspan.managed";

static void refuse(Module &M, const GlobalVariable &G, const Twine &Why) {
  M.getContext().emitError("gridspan: the __managed__ variable " + G.getName() +
                           ": " + Why);
}

/// Writes the bytes of C, in the host's order. Returns false if it has an
/// address.
static bool writeBytes(const Constant &C, const DataLayout &DL,
                       MutableArrayRef<char> Out) {
  if (C.isNullValue() || isa<UndefValue>(C))
    return true;
  Type *Ty = C.getType();
  if (isa<ConstantInt, ConstantFP>(C)) {
    const APInt Bits = isa<ConstantInt>(C)
                           ? cast<ConstantInt>(C).getValue()
                           : cast<ConstantFP>(C).getValueAPF().bitcastToAPInt();
    const uint64_t Bytes = divideCeil(Bits.getBitWidth(), 8);
    for (uint64_t I = 0; I != Bytes; ++I)
      Out[I] = static_cast<char>(Bits.extractBitsAsZExtValue(
          std::min<unsigned>(8, Bits.getBitWidth() - 8 * I), 8 * I));
    return true;
  }
  if (const auto *Data = dyn_cast<ConstantDataSequential>(&C)) {
    copy(Data->getRawDataValues(), Out.begin());
    return true;
  }
  if (!isa<ConstantAggregate>(C))
    return false;
  for (unsigned I = 0, E = C.getNumOperands(); I != E; ++I) {
    const auto &Element = *cast<Constant>(C.getOperand(I));
    uint64_t At = 0;
    if (auto *Struct = dyn_cast<StructType>(Ty))
      At = DL.getStructLayout(Struct)->getElementOffset(I);
    else
      At = I * DL.getTypeAllocSize(Element.getType());
    if (!writeBytes(Element, DL, Out.drop_front(At)))
      return false;
  }
  return true;
}

/// Replaces the uses of G, all of them in instructions, by the address that
/// Pointer holds.
static void replaceUses(GlobalVariable &G, GlobalVariable &Pointer) {
  MapVector<Function *, Value *> Known;
  LLVMContext &Context = G.getContext();
  for (Use &U : make_early_inc_range(G.uses())) {
    Function *F = cast<Instruction>(U.getUser())->getFunction();
    Value *&Address = Known[F];
    if (!Address) {
      IRBuilder<> B(Context);
      B.SetInsertPointPastAllocas(F);
      B.SetCurrentDebugLocation(DebugLoc());
      LoadInst *Load = B.CreateLoad(Pointer.getValueType(), &Pointer,
                                    G.getName() + ".managed");
      Load->setMetadata(LLVMContext::MD_invariant_load,
                        MDNode::get(Context, {}));
      Load->setMetadata(LLVMContext::MD_nonnull, MDNode::get(Context, {}));
      Address = B.CreateAddrSpaceCast(Load, G.getType());
    }
    U.set(Address);
  }
}

static bool replaceVariable(Module &M, GlobalVariable &G) {
  const DataLayout &DL = M.getDataLayout();
  const uint64_t Size = DL.getTypeAllocSize(G.getValueType());
  const Constant &Initial = *G.getInitializer();
  std::string Bytes;
  if (!Initial.isNullValue() && !isa<UndefValue>(Initial)) {
    Bytes.resize(Size);
    if (!writeBytes(Initial, DL, MutableArrayRef(Bytes.data(), Size))) {
      refuse(M, G, "its initializer has an address");
      return false;
    }
  }
  convertUsersOfConstantsToInstructions({&G});
  G.removeDeadConstantUsers();
  for (const User *U : G.users())
    if (!isa<Instruction>(U)) {
      refuse(M, G, "its address is in the initializer of another variable");
      return false;
    }

  LLVMContext &Context = M.getContext();
  auto *Type = PointerType::get(Context, 0);
  // One that may be missing would be one that the runtime cannot set.
  const auto Linkage =
      G.hasLinkOnceLinkage() ? GlobalValue::WeakODRLinkage : G.getLinkage();
  auto *Pointer = new GlobalVariable(M, Type, /*isConstant=*/true, Linkage,
                                     ConstantPointerNull::get(Type), "", &G,
                                     GlobalValue::NotThreadLocal, ConstantSpace,
                                     /*isExternallyInitialized=*/true);
  Pointer->setAlignment(Align(8));
  Pointer->setVisibility(G.getVisibility());
  replaceUses(G, *Pointer);
  Pointer->takeName(&G);
  G.eraseFromParent();
  appendToCompilerUsed(M, {Pointer});

  auto *I64 = llvm::Type::getInt64Ty(Context);
  M.getOrInsertNamedMetadata(ListName)->addOperand(MDNode::get(
      Context, {MDString::get(Context, Pointer->getName()),
                ConstantAsMetadata::get(ConstantInt::get(I64, Size)),
                MDString::get(Context, Bytes)}));
  return true;
}

PreservedAnalyses ManagedPointersPass::run(Module &M, ModuleAnalysisManager &) {
  if (!Triple(M.getTargetTriple()).isNVPTX())
    return PreservedAnalyses::all();
  SmallVector<GlobalVariable *> Managed = annotatedAsManaged(M);
  erase_if(Managed, [](const GlobalVariable *G) {
    return G->isDeclaration() || G->hasLocalLinkage();
  });
  if (Managed.empty())
    return PreservedAnalyses::all();
  auto IsManaged = [&](const Constant *C) {
    return is_contained(Managed, C->stripPointerCasts());
  };
  dropAnnotations(M, [&](const GlobalVariable &G) { return IsManaged(&G); });
  removeFromUsedLists(M, [&](Constant *C) { return IsManaged(C); });
  for (GlobalVariable *G : Managed)
    if (!replaceVariable(M, *G))
      break;
  return PreservedAnalyses::none();
}

std::vector<ManagedSummary> gridspan::managedVariables(const Module &M) {
  std::vector<ManagedSummary> Out;
  const NamedMDNode *List = M.getNamedMetadata(ListName);
  if (!List)
    return Out;
  for (const MDNode *Node : List->operands())
    Out.push_back(
        {cast<MDString>(Node->getOperand(0))->getString().str(),
         mdconst::extract<ConstantInt>(Node->getOperand(1))->getZExtValue(),
         cast<MDString>(Node->getOperand(2))->getString().str()});
  return Out;
}
