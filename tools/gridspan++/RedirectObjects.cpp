//===- RedirectObjects.cpp - Objects compiled without the plugin ----------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Does to undefined symbols of an object what passes/host/ApiRedirect.cpp does
// to declarations of a module, by LLVM's objcopy, in a copy. The linker's
// --wrap would redirect the runtime's own calls of CUDA as well. A program that
// defines a function of such a name means its own: it is redirected nowhere.
//
//===----------------------------------------------------------------------===//

#include "tools/gridspan++/RedirectObjects.h"
#include "tools/gridspan++/ArchiveSearch.h"
#include "tools/gridspan++/ToolkitLibraries.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ObjCopy/ConfigManager.h"
#include "llvm/ObjCopy/ObjCopy.h"
#include "llvm/Object/Archive.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/StringSaver.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace gridspan;

static constexpr StringLiteral ApiNames[] = {
#define GRIDSPAN_API(Name) #Name,
#define GRIDSPAN_API_PT(Name, Suffix) #Name #Suffix,
#include "gridspan/CudaApi.def"
};

namespace {

/// Names of the API that a file defines, and those that it only uses.
struct ApiSymbols {
  StringSet<> Defined;
  StringSet<> Used;
};

struct Input {
  Argument *Where;
  std::string Path;
  object::OwningBinary<object::Binary> File;
  ApiSymbols Symbols;
};

} // namespace

static const StringSet<> &apiNames() {
  static const StringSet<> Names = [] {
    StringSet<> Out;
    for (StringRef Name : ApiNames)
      Out.insert(Name);
    return Out;
  }();
  return Names;
}

/// Archives of the toolkit: the CUDA runtime, and libraries that manage memory
/// of their own.
static bool isVendorArchive(StringRef Path) {
  StringRef Name = sys::path::filename(Path);
  if (Name.ends_with("_static.a"))
    return Name.starts_with("libcu") || Name.starts_with("libn");
  return Name.ends_with(".a") &&
         sys::fs::exists(sys::path::parent_path(Path) + "/libcudart_static.a");
}

/// Returns the file of an argument of a link; empty if it names none.
static std::string fileOf(const Argument &A, const ArchiveSearch &Archives) {
  StringRef Text = A.Text;
  if (A.Kind != Argument::LinkInput)
    return "";
  if (Text.consume_front("-l"))
    return Archives.find(Text);
  return Text.starts_with("-") ? "" : Text.str();
}

/// The symbols of an object that other objects see. Local ones do not count:
/// a library that has the CUDA runtime linked in keeps it to itself.
static object::ELFObjectFileBase::elf_symbol_iterator_range
linkedSymbols(const object::ELFObjectFileBase &Object) {
  return Object.isRelocatableObject() ? Object.symbols()
                                      : Object.getDynamicSymbolIterators();
}

/// False when something of it is not understood.
static bool addSymbols(const object::Binary &File, ApiSymbols &Out) {
  if (const auto *Object = dyn_cast<object::ELFObjectFileBase>(&File)) {
    for (const object::ELFSymbolRef &Symbol : linkedSymbols(*Object)) {
      if (Symbol.getBinding() == ELF::STB_LOCAL)
        continue;
      Expected<uint32_t> Flags = Symbol.getFlags();
      Expected<StringRef> Name = Symbol.getName();
      if (!Flags || !Name) {
        consumeError(Flags.takeError());
        consumeError(Name.takeError());
        return false;
      }
      if (apiNames().contains(*Name))
        (*Flags & object::SymbolRef::SF_Undefined ? Out.Used : Out.Defined)
            .insert(*Name);
    }
    return true;
  }
  const auto *Archive = dyn_cast<object::Archive>(&File);
  if (!Archive || Archive->isThin())
    return false;
  Error E = Error::success();
  for (const object::Archive::Child &Child : Archive->children(E)) {
    Expected<std::unique_ptr<object::Binary>> Member = Child.getAsBinary();
    if (!Member || !addSymbols(**Member, Out)) {
      consumeError(Member.takeError());
      consumeError(std::move(E));
      return false;
    }
  }
  if (!E)
    return true;
  consumeError(std::move(E));
  return false;
}

static Error writeRenamed(object::Binary &File, const StringSet<> &Names,
                          StringRef Prefix, StringRef Output) {
  objcopy::ConfigManager Config;
  Config.Common.InputFilename = File.getFileName();
  Config.Common.OutputFilename = Output;
  BumpPtrAllocator Allocator;
  StringSaver Saver(Allocator);
  for (const StringMapEntry<std::nullopt_t> &Name : Names)
    Config.Common.SymbolsToRename[Name.first()] =
        Saver.save(Prefix + Name.first());
  if (auto *Archive = dyn_cast<object::Archive>(&File))
    return objcopy::executeObjcopyOnArchive(Config, *Archive);
  std::error_code Code;
  raw_fd_ostream Out(Output, Code);
  if (Code)
    return errorCodeToError(Code);
  if (Error E = objcopy::executeObjcopyOnBinary(Config, File, Out))
    return E;
  Out.close();
  return Out.has_error() ? errorCodeToError(Out.error()) : Error::success();
}

static void redirect(Input &In, const StringSet<> &Own, Temporaries &Files) {
  StringSet<> Names;
  for (const StringMapEntry<std::nullopt_t> &Name : In.Symbols.Used)
    if (!Own.contains(Name.first()))
      Names.insert(Name.first());
  if (Names.empty())
    return;
  // An input that cannot be copied is linked as it is: its launches run unseen.
  Expected<std::string> Copy =
      Files.add(sys::path::stem(In.Path),
                isa<object::Archive>(In.File.getBinary()) ? "a" : "o");
  if (!Copy)
    return consumeError(Copy.takeError());
  if (Error E = writeRenamed(*In.File.getBinary(), Names, "__gridspan_", *Copy))
    consumeError(std::move(E));
  else
    In.Where->Text = *Copy;
}

void gridspan::redirectObjects(std::vector<Argument> &Args,
                               Temporaries &Files) {
  std::vector<Input> Inputs;
  StringSet<> Own;
  const ArchiveSearch Archives(Args);
  for (Argument &A : Args) {
    const std::string Path = fileOf(A, Archives);
    if (Path.empty() || isVendorArchive(Path) || isCudaRuntime(Path))
      continue;
    Expected<object::OwningBinary<object::Binary>> File =
        object::createBinary(Path);
    if (!File) {
      consumeError(File.takeError());
      continue;
    }
    Input In = {&A, Path, std::move(*File), {}};
    const bool Understood = addSymbols(*In.File.getBinary(), In.Symbols);
    for (const StringMapEntry<std::nullopt_t> &Name : In.Symbols.Defined)
      Own.insert(Name.first());
    const auto *Object = dyn_cast<object::ObjectFile>(In.File.getBinary());
    if (Understood && (!Object || Object->isRelocatableObject()))
      Inputs.push_back(std::move(In));
  }
  for (Input &In : Inputs)
    redirect(In, Own, Files);
}

Error gridspan::writeRealNames(StringRef Archive, StringRef Output) {
  Expected<object::OwningBinary<object::Binary>> File =
      object::createBinary(Archive);
  if (!File)
    return File.takeError();
  return writeRenamed(*File->getBinary(), apiNames(), "__gridspan_real_",
                      Output);
}
