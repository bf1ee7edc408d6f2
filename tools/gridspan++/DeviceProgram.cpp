//===- DeviceProgram.cpp - Device code of several files, joined -----------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The units are bitcode as clang's front end leaves it, so the pipeline runs
// once, on the whole. Before they are joined, what a module flag says for one
// unit is settled in its code: __nvvm_reflect, by which libdevice asks whether
// denormals are flushed.
//
// Afterwards everything but kernels and the host's variables is local, which is
// what clang makes of device functions without -rdc.
//
//===----------------------------------------------------------------------===//

#include "tools/gridspan++/DeviceProgram.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;
using namespace gridspan;

static Error failure(const Twine &Message) {
  return createStringError(inconvertibleErrorCode(), Message);
}

/// Returns Name without the hash that clang appends to local names, which is
/// all of it if there is none.
static StringRef plainName(StringRef Name) {
  for (StringRef Infix : {"__static__", "__intern__"}) {
    const size_t At = Name.rfind(Infix);
    if (At != StringRef::npos && At != 0)
      return Name.take_front(At);
  }
  return Name;
}

StringMap<std::string> gridspan::plainNames(ArrayRef<DeviceInput> Inputs) {
  StringMap<StringSet<>> Users;
  for (const DeviceInput &Input : Inputs)
    for (const DeviceUnit &Unit : Input.Units)
      for (const DeviceEntry &Entry : Unit.Entries)
        Users[plainName(Entry.DeviceName)].insert(Entry.DeviceName);
  StringMap<std::string> Names;
  for (const StringMapEntry<StringSet<>> &User : Users)
    if (User.second.size() == 1) {
      StringRef Only = User.second.begin()->first();
      // A mangled name says that it is local; another may be in use elsewhere.
      if (Only != User.first() && Only.starts_with("_Z"))
        Names[Only] = User.first().str();
    }
  return Names;
}

/// Settles the unit's answers to __nvvm_reflect("__CUDA_FTZ"), and removes the
/// module flag they come from: the flags of units may differ.
static void settleDenormals(Module &M) {
  uint64_t Flush = 0;
  if (const auto *Flag = mdconst::extract_or_null<ConstantInt>(
          M.getModuleFlag("nvvm-reflect-ftz")))
    Flush = Flag->getZExtValue();
  for (StringRef Name : {"__nvvm_reflect", "llvm.nvvm.reflect"}) {
    Function *Reflect = M.getFunction(Name);
    if (!Reflect)
      continue;
    for (User *U : make_early_inc_range(Reflect->users())) {
      auto *Call = dyn_cast<CallInst>(U);
      if (!Call || Call->arg_size() != 1)
        continue;
      const auto *Question =
          dyn_cast<GlobalVariable>(Call->getArgOperand(0)->stripPointerCasts());
      const auto *Text =
          Question && Question->hasInitializer()
              ? dyn_cast<ConstantDataSequential>(Question->getInitializer())
              : nullptr;
      if (!Text || !Text->isCString() || Text->getAsCString() != "__CUDA_FTZ")
        continue;
      Call->replaceAllUsesWith(ConstantInt::get(Call->getType(), Flush));
      Call->eraseFromParent();
    }
  }
  NamedMDNode *Flags = M.getModuleFlagsMetadata();
  if (!Flags)
    return;
  SmallVector<MDNode *> Kept;
  for (MDNode *Flag : Flags->operands())
    if (cast<MDString>(Flag->getOperand(1))->getString() != "nvvm-reflect-ftz")
      Kept.push_back(Flag);
  Flags->clearOperands();
  for (MDNode *Flag : Kept)
    Flags->addOperand(Flag);
}

/// clang 19 names a static variable without its hash where code uses it before
/// the host does, and so declares what it defines under the other name.
static void bindStaticNames(Module &M) {
  for (GlobalVariable &G : make_early_inc_range(M.globals())) {
    if (G.isDeclaration())
      continue;
    StringRef Plain = plainName(G.getName());
    GlobalVariable *Declared =
        Plain == G.getName() ? nullptr : M.getNamedGlobal(Plain);
    if (!Declared || !Declared->isDeclaration() ||
        Declared->getType() != G.getType())
      continue;
    Declared->replaceAllUsesWith(&G);
    Declared->eraseFromParent();
  }
}

/// Names the variables of Names as they are to be.
static void rename(Module &M, const StringMap<std::string> &Names) {
  for (const StringMapEntry<std::string> &Name : Names)
    if (GlobalValue *Value = M.getNamedValue(Name.first()))
      Value->setName(Name.second);
}

/// Drops what clang adds so that an optimizer keeps what the host may use; the
/// entries of the units say that.
static void dropUsedByHost(Module &M) {
  GlobalVariable *List = M.getNamedGlobal("__clang_gpu_used_external");
  if (!List)
    return;
  removeFromUsedLists(
      M, [&](Constant *C) { return C->stripPointerCasts() == List; });
  if (List->use_empty())
    List->eraseFromParent();
}

static Expected<std::unique_ptr<Module>>
readUnit(const DeviceImage &Image, StringRef Name, LLVMContext &Context,
         const StringMap<std::string> &Names) {
  Expected<std::unique_ptr<Module>> M =
      parseBitcodeFile(MemoryBufferRef(Image.Bitcode, Name), Context);
  if (!M)
    return failure(Name + ": " + toString(M.takeError()));
  settleDenormals(**M);
  bindStaticNames(**M);
  dropUsedByHost(**M);
  rename(**M, Names);
  return std::move(*M);
}

namespace {

/// Who defines and who uses a symbol, for messages.
class SymbolTable {
public:
  Error add(const Module &M, StringRef Input) {
    for (const GlobalValue &G : M.global_values()) {
      if (G.isDeclaration()) {
        if (!G.use_empty())
          Users.try_emplace(G.getName(), Input);
        continue;
      }
      // Weak definitions are one.
      if (!G.hasExternalLinkage())
        continue;
      auto [Known, IsNew] = Definitions.try_emplace(G.getName(), Input);
      if (!IsNew)
        return failure("device symbol '" + demangle(G.getName().str()) +
                       "' is defined in " + Known->second + " and in " + Input);
    }
    return Error::success();
  }

  std::string userOf(StringRef Symbol) const { return Users.lookup(Symbol); }

private:
  StringMap<std::string> Definitions, Users;
};

} // namespace

/// What the device's run-time system defines.
static bool isSystemFunction(const Function &F) {
  static constexpr StringLiteral Names[] = {
      "vprintf", "malloc", "free", "__assertfail", "__nvvm_reflect",
      // passes/device/PureVirtuals.h
      "__cxa_pure_virtual", "__cxa_deleted_virtual"};
  return F.isIntrinsic() || is_contained(Names, F.getName());
}

/// The headers' threadIdx and its kin have no storage.
static bool isBuiltinVariable(const GlobalVariable &G) {
  return G.hasExternalWeakLinkage() ||
         // extern __shared__
         G.getAddressSpace() == 3;
}

/// Returns true for functions of the CUDA runtime that devices have
/// (cuda_device_runtime_api.h), such as cudaGraphSetConditional.
static bool isDeviceRuntime(const Function &F) {
  return F.getName().starts_with("cuda");
}

/// Returns whether functions of the device's CUDA runtime are used, or an error
/// for the first symbol that is used and that nothing defines.
static Expected<bool> checkDefined(const Module &M,
                                   const SymbolTable &Symbols) {
  bool UsesRuntime = false;
  auto Missing = [&](const GlobalValue &G) {
    const std::string User = Symbols.userOf(G.getName());
    return failure("device symbol '" + demangle(G.getName().str()) +
                   "' is not defined" +
                   (User.empty() ? "" : "; it is used in " + User));
  };
  for (const Function &F : M)
    if (F.isDeclaration() && !F.use_empty() && !isSystemFunction(F)) {
      if (!isDeviceRuntime(F))
        return Missing(F);
      UsesRuntime = true;
    }
  for (const GlobalVariable &G : M.globals())
    if (G.isDeclaration() && !G.use_empty() && !isBuiltinVariable(G))
      return Missing(G);
  return UsesRuntime;
}

/// Makes local what only the device uses.
static void internalize(Module &M, const StringSet<> &Kept) {
  for (GlobalValue &G : M.global_values()) {
    if (G.isDeclaration() || G.hasAppendingLinkage() ||
        G.getName().starts_with("llvm."))
      continue;
    if (auto *Object = dyn_cast<GlobalObject>(&G))
      Object->setComdat(nullptr);
    if (G.hasLocalLinkage())
      continue;
    G.setVisibility(GlobalValue::DefaultVisibility);
    G.setLinkage(Kept.contains(G.getName()) ? GlobalValue::ExternalLinkage
                                            : GlobalValue::InternalLinkage);
  }
}

/// Removes unused local functions, which may use what is defined nowhere.
static void removeUnused(Module &M) {
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (Function &F : make_early_inc_range(M)) {
      F.removeDeadConstantUsers();
      if (F.use_empty() && (F.hasLocalLinkage() || F.isDeclaration())) {
        F.eraseFromParent();
        Changed = true;
      }
    }
    for (GlobalVariable &G : make_early_inc_range(M.globals())) {
      G.removeDeadConstantUsers();
      if (G.use_empty() && (G.hasLocalLinkage() || G.isDeclaration())) {
        G.eraseFromParent();
        Changed = true;
      }
    }
  }
}

static std::string nameOf(const StringMap<std::string> &Names, StringRef Name) {
  auto Found = Names.find(Name);
  return Found == Names.end() ? Name.str() : Found->second;
}

Expected<bool> gridspan::writeDeviceProgram(ArrayRef<DeviceInput> Inputs,
                                            StringRef Arch,
                                            const StringMap<std::string> &Names,
                                            StringRef Output) {
  LLVMContext Context;
  std::string LinkErrors;
  Context.setDiagnosticHandlerCallBack(
      [](const DiagnosticInfo *Info, void *Text) {
        if (Info->getSeverity() != DS_Error)
          return;
        raw_string_ostream OS(*static_cast<std::string *>(Text));
        DiagnosticPrinterRawOStream Printer(OS);
        Info->print(Printer);
      },
      &LinkErrors);
  Module Program("device program", Context);
  Linker Linking(Program);
  SymbolTable Symbols;
  StringSet<> Kept;
  for (const DeviceInput &Input : Inputs) {
    auto Images = Input.Images.find(Arch.str());
    if (Images == Input.Images.end())
      return failure(Input.Name + " holds no device code for " + Arch);
    for (const DeviceImage &Image : Images->second) {
      Expected<std::unique_ptr<Module>> Unit =
          readUnit(Image, Input.Name, Context, Names);
      if (!Unit)
        return Unit.takeError();
      if (Program.getTargetTriple().empty()) {
        Program.setTargetTriple((*Unit)->getTargetTriple());
        Program.setDataLayout((*Unit)->getDataLayout());
        Program.setSourceFileName((*Unit)->getSourceFileName());
      }
      if (Error E = Symbols.add(**Unit, Input.Name))
        return E;
      if (Linking.linkInModule(std::move(*Unit)))
        return failure(Input.Name + ": " + LinkErrors);
    }
    for (const DeviceUnit &Unit : Input.Units)
      for (const DeviceEntry &Entry : Unit.Entries)
        Kept.insert(nameOf(Names, Entry.DeviceName));
  }
  internalize(Program, Kept);
  removeUnused(Program);
  Expected<bool> UsesRuntime = checkDefined(Program, Symbols);
  if (!UsesRuntime)
    return UsesRuntime;
  std::error_code Code;
  raw_fd_ostream Out(Output, Code);
  if (Code)
    return errorCodeToError(Code);
  WriteBitcodeToFile(Program, Out);
  Out.close();
  if (Out.has_error())
    return errorCodeToError(Out.error());
  return UsesRuntime;
}
