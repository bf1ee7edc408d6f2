//===- ManagedAddresses.cpp - __managed__ variables on the host -----------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// clang registers the shadow of a variable by __cudaRegisterVar. The call
// becomes one that registers a descriptor, and each use of the shadow's address
// a call that asks for the variable's. The answer is always the same, so that
// the call may be declared to touch no memory: the optimizer then hoists and
// joins calls.
//
// An initializer with the address is completed by a constructor, before those
// of the program.
//
//===----------------------------------------------------------------------===//

#include "passes/host/ManagedAddresses.h"
#include "passes/common/AbiConstants.h"
#include "passes/common/InitializerAddresses.h"
#include "passes/common/ManagedAnnotations.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/ReplaceConstant.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"
#include <map>

using namespace llvm;
using namespace gridspan;

namespace {

/// Parameters of __cudaRegisterVar.
enum RegisterVarArg { FatBinaryArg = 0, ShadowArg = 1, DeviceNameArg = 3 };

/// The redirection of one module.
class Redirection {
public:
  explicit Redirection(Module &M) : M(M) {}

  void add(CallBase &Registration, const ManagedSummary &Variable,
           AbiConstants &Abi);
  void add(const UnitManaged &Variable);
  /// Replaces all addresses.
  void finish();
  /// Unregisters what this module registers.
  void unregisterAtExit();

private:
  void completeInitializers();
  void replaceUses(GlobalVariable &Shadow, GlobalVariable &Descriptor);

  Module &M;
  /// Descriptors by the shadows that clang made.
  MapVector<GlobalVariable *, GlobalVariable *> Descriptors;
};

} // namespace

void Redirection::add(const UnitManaged &Variable) {
  auto *Descriptor =
      new GlobalVariable(M, Type::getInt8Ty(M.getContext()),
                         /*isConstant=*/false, GlobalValue::ExternalLinkage,
                         nullptr, ManagedPrefix + Variable.DeviceName);
  Descriptor->setVisibility(GlobalValue::HiddenVisibility);
  Descriptors[Variable.Shadow] = Descriptor;
}

void Redirection::add(CallBase &Registration, const ManagedSummary &Variable,
                      AbiConstants &Abi) {
  auto *Old = dyn_cast<GlobalVariable>(
      Registration.getArgOperand(ShadowArg)->stripPointerCasts());
  if (!Old)
    return;
  LLVMContext &Context = M.getContext();
  // A key of its own, which takes no room. Not constant, so that nothing merges
  // it with another.
  auto *Byte = Type::getInt8Ty(Context);
  auto *Shadow = new GlobalVariable(
      M, Byte, /*isConstant=*/false, GlobalValue::InternalLinkage,
      ConstantInt::get(Byte, 0), "__gridspan_shadow_" + Variable.Name);
  descriptor::GridspanManaged Value;
  Value.Shadow = Shadow;
  Value.Name = Abi.string(Variable.Name);
  if (!Variable.Initial.empty())
    Value.Initial =
        Abi.global("initial_" + Variable.Name,
                   ConstantDataArray::getString(Context, Variable.Initial,
                                                /*AddNull=*/false));
  Value.Size = Variable.Size;
  GlobalVariable *Descriptor =
      Abi.global("managed_" + Variable.Name, Abi.make(Value));
  Descriptor->setConstant(false);
  Descriptors[Old] = Descriptor;

  IRBuilder<> B(&Registration);
  FunctionCallee Register = M.getOrInsertFunction(
      "__gridspan_register_managed", B.getVoidTy(), B.getPtrTy(), B.getPtrTy());
  B.CreateCall(Register,
               {Registration.getArgOperand(FatBinaryArg), Descriptor});
  Registration.eraseFromParent();
}

/// Takes the addresses out of initializers, and stores them in a constructor.
void Redirection::completeInitializers() {
  auto IsManaged = [&](const GlobalVariable &G) {
    return Descriptors.contains(const_cast<GlobalVariable *>(&G));
  };
  Function *Ctor = nullptr;
  for (GlobalVariable &G : M.globals()) {
    if (!G.hasInitializer() || G.getName().starts_with("llvm.") ||
        !refersTo(*G.getInitializer(), IsManaged))
      continue;
    // The constructor runs in one thread.
    if (G.isThreadLocal())
      M.getContext().emitError("gridspan: the thread_local variable " +
                               G.getName() +
                               " starts with the address of a __managed__ "
                               "variable; store it at run time instead");
    if (!Ctor) {
      Type *Void = Type::getVoidTy(M.getContext());
      Ctor = Function::Create(FunctionType::get(Void, false),
                              GlobalValue::InternalLinkage,
                              "__gridspan_managed_ctor", M);
      ReturnInst::Create(M.getContext(),
                         BasicBlock::Create(M.getContext(), "entry", Ctor));
      appendToGlobalCtors(M, Ctor, 101);
    }
    IRBuilder<> B(Ctor->getEntryBlock().getTerminator());
    auto Store = [&](Constant *Address, uint64_t Offset) {
      B.CreateStore(Address,
                    B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), &G, Offset));
    };
    G.setInitializer(withoutAddresses(G.getInitializer(), 0, M.getDataLayout(),
                                      IsManaged, Store));
    G.setConstant(false);
  }
}

void Redirection::replaceUses(GlobalVariable &Shadow,
                              GlobalVariable &Descriptor) {
  convertUsersOfConstantsToInstructions({&Shadow});
  Shadow.removeDeadConstantUsers();
  LLVMContext &Context = M.getContext();
  auto *Ptr = PointerType::get(Context, 0);
  FunctionCallee Ask =
      M.getOrInsertFunction("__gridspan_managed_address", Ptr, Ptr);
  auto *Asked = cast<Function>(Ask.getCallee());
  Asked->setDoesNotAccessMemory();
  Asked->setDoesNotThrow();
  Asked->setWillReturn();
  Asked->addRetAttr(Attribute::NonNull);
  // A phi has one value for all edges from a block.
  std::map<std::pair<PHINode *, BasicBlock *>, Value *> OnEdges;
  for (Use &U : make_early_inc_range(Shadow.uses())) {
    auto *User = cast<Instruction>(U.getUser());
    auto *Phi = dyn_cast<PHINode>(User);
    BasicBlock *From = Phi ? Phi->getIncomingBlock(U) : nullptr;
    Value *Unshared = nullptr;
    Value *&Address = Phi ? OnEdges[{Phi, From}] : Unshared;
    if (!Address) {
      IRBuilder<> B(Phi ? From->getTerminator() : User);
      Address = B.CreateCall(Ask, {&Descriptor});
    }
    U.set(Address);
  }
}

void Redirection::unregisterAtExit() {
  if (Descriptors.empty())
    return;
  Type *Void = Type::getVoidTy(M.getContext());
  auto Make = [&](StringRef Name) {
    auto *F = Function::Create(FunctionType::get(Void, false),
                               GlobalValue::InternalLinkage, Name, M);
    ReturnInst::Create(M.getContext(),
                       BasicBlock::Create(M.getContext(), "entry", F));
    return F;
  };
  Function *Dtor = Make("__gridspan_managed_dtor");
  IRBuilder<> B(Dtor->getEntryBlock().getTerminator());
  FunctionCallee Unregister = M.getOrInsertFunction(
      "__gridspan_unregister_managed", Void, B.getPtrTy());
  for (const auto &[Shadow, Descriptor] : Descriptors)
    B.CreateCall(Unregister, {Descriptor});
  Function *Ctor = Make("__gridspan_managed_exit_ctor");
  B.SetInsertPoint(Ctor->getEntryBlock().getTerminator());
  B.CreateCall(M.getOrInsertFunction("atexit", B.getInt32Ty(), B.getPtrTy()),
               {Dtor});
  appendToGlobalCtors(M, Ctor, 101);
}

void Redirection::finish() {
  if (Descriptors.empty())
    return;
  dropAnnotations(M, [&](const GlobalVariable &G) {
    return Descriptors.contains(const_cast<GlobalVariable *>(&G));
  });
  removeFromUsedLists(M, [&](Constant *C) {
    auto *G = dyn_cast<GlobalVariable>(C->stripPointerCasts());
    return G && Descriptors.contains(G);
  });
  completeInitializers();
  for (auto &[Shadow, Descriptor] : Descriptors) {
    replaceUses(*Shadow, *Descriptor);
    const std::string Name = Shadow->getName().str();
    Shadow->eraseFromParent();
    // In a link module the units wait for the descriptor.
    if (!StringRef(Name).starts_with(ManagedPrefix))
      continue;
    Descriptor->setName(Name);
    Descriptor->setLinkage(GlobalValue::ExternalLinkage);
    Descriptor->setVisibility(GlobalValue::HiddenVisibility);
  }
}

void gridspan::redirectManagedVariables(Module &M, AbiConstants &Abi,
                                        ArrayRef<ManagedSummary> Managed) {
  Function *Register = M.getFunction("__cudaRegisterVar");
  if (!Register || Managed.empty())
    return;
  Redirection R(M);
  for (User *U : make_early_inc_range(Register->users())) {
    auto *Call = dyn_cast<CallBase>(U);
    if (!Call || Call->getCalledFunction() != Register)
      continue;
    const auto *Name = dyn_cast<GlobalVariable>(
        Call->getArgOperand(DeviceNameArg)->stripPointerCasts());
    const auto *Text =
        Name && Name->hasInitializer()
            ? dyn_cast<ConstantDataSequential>(Name->getInitializer())
            : nullptr;
    if (!Text || !Text->isCString())
      continue;
    const auto *Found = find_if(Managed, [&](const ManagedSummary &V) {
      return V.Name == Text->getAsCString();
    });
    if (Found != Managed.end())
      R.add(*Call, *Found, Abi);
  }
  R.finish();
  R.unregisterAtExit();
}

void gridspan::redirectManagedOfUnit(Module &M, ArrayRef<UnitManaged> Managed) {
  Redirection R(M);
  for (const UnitManaged &Variable : Managed)
    R.add(Variable);
  R.finish();
}

/// Returns true for instructions of the program.
static bool isUseOfHost(const User *U) {
  const auto *Call = dyn_cast<CallBase>(U);
  const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
  return isa<Instruction>(U) &&
         !(Callee && Callee->getName() == "__cudaRegisterVar");
}

void gridspan::checkManagedVariables(Module &M) {
  for (const GlobalVariable *G : annotatedAsManaged(M))
    if (any_of(G->users(), isUseOfHost))
      M.getContext().emitError(
          "gridspan: the __managed__ variable " + G->getName() +
          " is unknown to the device code; was that compiled without "
          "Gridspan?");
}
