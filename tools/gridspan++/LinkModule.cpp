//===- LinkModule.cpp - The host module of a device link ------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stubs and shadow variables are referred to weakly: of an archive the linker
// may take some members only. What is not there is not registered. Templates
// are in several units and registered once.
//
//===----------------------------------------------------------------------===//

#include "tools/gridspan++/LinkModule.h"
#include "passes/common/ManagedAnnotations.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;
using namespace gridspan;

namespace {

class LinkModuleWriter {
public:
  LinkModuleWriter(Module &M, const StringMap<std::string> &Names)
      : M(M), Names(Names), B(M.getContext()) {}

  void defineMarkers(ArrayRef<DeviceInput> Inputs);
  void registerFatbin(ArrayRef<DeviceInput> Inputs, StringRef Fatbin);

private:
  void registerEntry(Value *Handle, const DeviceEntry &Entry);
  Function *emitRegisterGlobals(ArrayRef<DeviceInput> Inputs);
  Function *emitDestructor(GlobalVariable *Handle);
  GlobalVariable *emitWrapper(StringRef Fatbin);
  Function *function(const Twine &Name, ArrayRef<Type *> Parameters);
  Constant *weakSymbol(const DeviceEntry &Entry);

  Module &M;
  const StringMap<std::string> &Names;
  IRBuilder<> B;
  StringSet<> Registered;
};

} // namespace

Function *LinkModuleWriter::function(const Twine &Name,
                                     ArrayRef<Type *> Parameters) {
  auto *F = Function::Create(
      FunctionType::get(B.getVoidTy(), Parameters, /*isVarArg=*/false),
      GlobalValue::InternalLinkage, Name, M);
  B.SetInsertPoint(BasicBlock::Create(M.getContext(), "entry", F));
  return F;
}

/// Defines the units' markers: their device code is linked.
void LinkModuleWriter::defineMarkers(ArrayRef<DeviceInput> Inputs) {
  SmallVector<GlobalValue *> Markers;
  for (const DeviceInput &Input : Inputs)
    for (const DeviceUnit &Unit : Input.Units) {
      auto *Marker = new GlobalVariable(M, B.getInt8Ty(), /*isConstant=*/true,
                                        GlobalValue::ExternalLinkage,
                                        B.getInt8(0), Unit.Marker);
      Marker->setVisibility(GlobalValue::HiddenVisibility);
      Markers.push_back(Marker);
    }
  appendToUsed(M, Markers);
}

Constant *LinkModuleWriter::weakSymbol(const DeviceEntry &Entry) {
  if (Constant *Known = M.getNamedValue(Entry.HostName))
    return Known;
  // The host pass makes this one's descriptor of it.
  if (StringRef(Entry.HostName).starts_with(ManagedPrefix))
    return new GlobalVariable(M, B.getInt8Ty(), /*isConstant=*/false,
                              GlobalValue::ExternalLinkage, B.getInt8(0),
                              Entry.HostName);
  if (Entry.Kind == DeviceEntry::EntryKind::Kernel)
    return Function::Create(FunctionType::get(B.getVoidTy(), false),
                            GlobalValue::ExternalWeakLinkage, Entry.HostName,
                            M);
  return new GlobalVariable(M, B.getInt8Ty(), /*isConstant=*/false,
                            GlobalValue::ExternalWeakLinkage, nullptr,
                            Entry.HostName);
}

void LinkModuleWriter::registerEntry(Value *Handle, const DeviceEntry &Entry) {
  if (!Registered.insert(Entry.DeviceName).second)
    return;
  auto Known = Names.find(Entry.DeviceName);
  Constant *Name = B.CreateGlobalStringPtr(
      Known == Names.end() ? Entry.DeviceName : Known->second);
  Constant *Symbol = weakSymbol(Entry);
  Function *F = B.GetInsertBlock()->getParent();
  auto *There = BasicBlock::Create(M.getContext(), "there", F);
  auto *Next = BasicBlock::Create(M.getContext(), "next", F);
  B.CreateCondBr(B.CreateIsNotNull(Symbol), There, Next);
  B.SetInsertPoint(There);
  Type *Ptr = B.getPtrTy(), *Int = B.getInt32Ty();
  Constant *Null = Constant::getNullValue(Ptr);
  if (Entry.Kind == DeviceEntry::EntryKind::Kernel)
    B.CreateCall(M.getOrInsertFunction("__cudaRegisterFunction", Int, Ptr, Ptr,
                                       Ptr, Ptr, Int, Ptr, Ptr, Ptr, Ptr, Ptr),
                 {Handle, Symbol, Name, Name, B.getInt32(-1), Null, Null, Null,
                  Null, Null});
  else
    B.CreateCall(
        M.getOrInsertFunction("__cudaRegisterVar", B.getVoidTy(), Ptr, Ptr, Ptr,
                              Ptr, Int, B.getInt64Ty(), Int, Int),
        {Handle, Symbol, Name, Name, B.getInt32(0), B.getInt64(Entry.Bytes),
         B.getInt32(Entry.Constant), B.getInt32(0)});
  B.CreateBr(Next);
  B.SetInsertPoint(Next);
}

Function *LinkModuleWriter::emitRegisterGlobals(ArrayRef<DeviceInput> Inputs) {
  Function *F = function("__cuda_register_globals", {B.getPtrTy()});
  for (const DeviceInput &Input : Inputs)
    for (const DeviceUnit &Unit : Input.Units)
      for (const DeviceEntry &Entry : Unit.Entries)
        registerEntry(F->getArg(0), Entry);
  B.CreateRetVoid();
  return F;
}

Function *LinkModuleWriter::emitDestructor(GlobalVariable *Handle) {
  Function *F = function("__cuda_module_dtor", {});
  B.CreateCall(M.getOrInsertFunction("__cudaUnregisterFatBinary", B.getVoidTy(),
                                     B.getPtrTy()),
               {B.CreateLoad(B.getPtrTy(), Handle)});
  B.CreateRetVoid();
  return F;
}

/// Returns the structure by which the CUDA runtime finds a fat binary.
GlobalVariable *LinkModuleWriter::emitWrapper(StringRef Fatbin) {
  constexpr uint32_t Magic = 0x466243b1, Version = 1;
  Constant *Bytes = ConstantDataArray::getString(M.getContext(), Fatbin,
                                                 /*AddNull=*/false);
  auto *Code =
      new GlobalVariable(M, Bytes->getType(), /*isConstant=*/true,
                         GlobalValue::InternalLinkage, Bytes, "__cuda_fatbin");
  Code->setSection(".nv_fatbin");
  Code->setAlignment(Align(16));
  Constant *Members[] = {B.getInt32(Magic), B.getInt32(Version), Code,
                         Constant::getNullValue(B.getPtrTy())};
  Constant *Init = ConstantStruct::getAnon(M.getContext(), Members);
  auto *Wrapper = new GlobalVariable(M, Init->getType(), /*isConstant=*/true,
                                     GlobalValue::InternalLinkage, Init,
                                     "__cuda_fatbin_wrapper");
  Wrapper->setSection(".nvFatBinSegment");
  Wrapper->setAlignment(Align(8));
  return Wrapper;
}

void LinkModuleWriter::registerFatbin(ArrayRef<DeviceInput> Inputs,
                                      StringRef Fatbin) {
  Type *Ptr = B.getPtrTy();
  GlobalVariable *Wrapper = emitWrapper(Fatbin);
  auto *Handle = new GlobalVariable(
      M, Ptr, /*isConstant=*/false, GlobalValue::InternalLinkage,
      Constant::getNullValue(Ptr), "__cuda_gpubin_handle");
  Function *Globals = emitRegisterGlobals(Inputs);
  Function *Dtor = emitDestructor(Handle);
  Function *Ctor = function("__cuda_module_ctor", {});
  Value *Registration = B.CreateCall(
      M.getOrInsertFunction("__cudaRegisterFatBinary", Ptr, Ptr), {Wrapper});
  B.CreateStore(Registration, Handle);
  B.CreateCall(Globals, {Registration});
  B.CreateCall(
      M.getOrInsertFunction("__cudaRegisterFatBinaryEnd", B.getVoidTy(), Ptr),
      {Registration});
  B.CreateCall(M.getOrInsertFunction("atexit", B.getInt32Ty(), Ptr), {Dtor});
  B.CreateRetVoid();
  // As of other modules (registerFatbinEarly in passes/host/Descriptors.h).
  constexpr int Priority = 102;
  appendToGlobalCtors(M, Ctor, Priority);
}

Error gridspan::writeLinkModule(ArrayRef<DeviceInput> Inputs,
                                const StringMap<std::string> &Names,
                                StringRef Fatbin, StringRef Output) {
  LLVMContext Context;
  Module M("device link", Context);
  if (!Inputs.empty()) {
    const DeviceUnit &First = Inputs.front().Units.front();
    M.setTargetTriple(First.Triple);
    M.setDataLayout(First.Layout);
    // Several sources: the first stands for all.
    M.setSourceFileName(First.Source);
  }
  LinkModuleWriter Writer(M, Names);
  Writer.defineMarkers(Inputs);
  if (!Fatbin.empty())
    Writer.registerFatbin(Inputs, Fatbin);
  std::error_code Code;
  raw_fd_ostream Out(Output, Code);
  if (Code)
    return errorCodeToError(Code);
  WriteBitcodeToFile(M, Out);
  Out.close();
  return Out.has_error() ? errorCodeToError(Out.error()) : Error::success();
}
