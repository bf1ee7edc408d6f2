//===- CloneRegistration.cpp - Kernels that a module registers ------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// clang puts one call
//   __cudaRegisterFunction(handle, stub, name, name, -1, 0, 0, 0, 0, 0)
// for each kernel into __cuda_register_globals (which may have been inlined
// when the input was optimized already). The stub's address is only a key; a
// clone has no host function, so a byte of its own serves. It is not a
// constant, so that nothing merges it with another.
//
//===----------------------------------------------------------------------===//

#include "passes/host/CloneRegistration.h"
#include "passes/common/AbiConstants.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace gridspan;

namespace {
/// Parameters of __cudaRegisterFunction.
enum RegisterFunctionArg { StubArg = 1, HostNameArg = 2, DeviceNameArg = 3 };
} // namespace

/// Returns the string that a pointer to a constant holds, or nothing.
static std::optional<StringRef> stringAt(const Value *Pointer) {
  const auto *G = dyn_cast<GlobalVariable>(Pointer->stripPointerCasts());
  if (!G || !G->hasInitializer())
    return std::nullopt;
  const auto *Text = dyn_cast<ConstantDataSequential>(G->getInitializer());
  if (!Text || !Text->isCString())
    return std::nullopt;
  return Text->getAsCString();
}

/// Returns the kernel that Call registers, or nothing.
static std::optional<RegisteredKernel> registeredBy(CallBase &Call) {
  if (Call.arg_size() <= DeviceNameArg)
    return std::nullopt;
  auto *Stub = dyn_cast<Constant>(Call.getArgOperand(StubArg));
  std::optional<StringRef> Name = stringAt(Call.getArgOperand(DeviceNameArg));
  if (!Stub || !Name)
    return std::nullopt;
  return RegisteredKernel{Name->str(), Stub, &Call};
}

std::vector<RegisteredKernel> gridspan::findRegisteredKernels(Module &M) {
  std::vector<RegisteredKernel> Kernels;
  Function *Register = M.getFunction("__cudaRegisterFunction");
  if (!Register)
    return Kernels;
  SmallPtrSet<Function *, 1> Callers;
  for (User *U : Register->users())
    if (auto *Call = dyn_cast<CallBase>(U))
      Callers.insert(Call->getFunction());
  for (Function &Caller : M) {
    if (!Callers.contains(&Caller))
      continue;
    for (Instruction &I : instructions(Caller)) {
      auto *Call = dyn_cast<CallBase>(&I);
      if (!Call || Call->getCalledFunction() != Register)
        continue;
      if (std::optional<RegisteredKernel> Kernel = registeredBy(*Call))
        Kernels.push_back(std::move(*Kernel));
    }
  }
  return Kernels;
}

Constant *gridspan::registerClone(const RegisteredKernel &Kernel,
                                  StringRef Clone) {
  Module &M = *Kernel.Call->getModule();
  auto *Byte = Type::getInt8Ty(M.getContext());
  auto *Stub = new GlobalVariable(
      M, Byte, /*isConstant=*/false, GlobalValue::InternalLinkage,
      ConstantInt::get(Byte, 0), "__gridspan_stub_" + Clone);
  Constant *Name = AbiConstants(M).string(Clone);
  auto *Call = cast<CallBase>(Kernel.Call->clone());
  Call->setArgOperand(StubArg, Stub);
  Call->setArgOperand(HostNameArg, Name);
  Call->setArgOperand(DeviceNameArg, Name);
  Call->insertAfter(Kernel.Call);
  return Stub;
}
