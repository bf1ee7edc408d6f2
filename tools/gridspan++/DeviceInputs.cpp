//===- DeviceInputs.cpp - Relocatable device code of inputs ---------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every member of an archive takes part, as with nvlink: which of them the
// host's linker will take is not known yet. What it leaves out is registered
// nowhere, because the link module refers to stubs weakly (LinkModule.h).
//
//===----------------------------------------------------------------------===//

#include "tools/gridspan++/DeviceInputs.h"
#include "tools/gridspan++/ArchiveSearch.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Object/Archive.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Object/OffloadBinary.h"
#include "llvm/Support/FileSystem.h"

using namespace llvm;
using namespace gridspan;

static Error failure(const Twine &Message) {
  return createStringError(inconvertibleErrorCode(), Message);
}

namespace {

/// Collects the units of one file after the other.
class Reader {
public:
  /// WantsPlain: for a link of what was compiled without Gridspan.
  explicit Reader(bool WantsPlain) : WantsPlain(WantsPlain) {}
  Error readAll(ArrayRef<Argument> Args);
  std::vector<DeviceInput> take();
  bool foundPlain() const { return FoundPlain; }

private:
  Error readFile(StringRef Path);
  Error readObject(const object::ELFObjectFileBase &Object, StringRef Name,
                   bool InArchive);
  Error readArchive(const object::Archive &Archive, StringRef Name);
  Error readSymbols(const object::ELFObjectFileBase &Object, StringRef Name,
                    bool InArchive);
  static Error readImages(MemoryBufferRef Section, DeviceInput &Input);

  const bool WantsPlain;
  bool FoundPlain = false;
  std::vector<DeviceInput> Inputs;
  StringSet<> Linked; ///< markers that are defined
};

} // namespace

Error Reader::readSymbols(const object::ELFObjectFileBase &Object,
                          StringRef Name, bool InArchive) {
  for (const object::SymbolRef &Symbol : Object.symbols()) {
    Expected<StringRef> Text = Symbol.getName();
    Expected<uint32_t> Flags = Symbol.getFlags();
    if (!Text || !Flags) {
      consumeError(Text.takeError());
      consumeError(Flags.takeError());
      return failure(Name + ": its symbol table is damaged");
    }
    const bool Undefined = *Flags & object::SymbolRef::SF_Undefined;
    if (!Undefined && Text->starts_with(MarkerPrefix))
      Linked.insert(*Text);
    // Of an archive such a member may be left out. If not, the linker says it.
    if (Undefined && !InArchive &&
        Text->starts_with("__cudaRegisterLinkedBinary_"))
      return failure(Name + ": its relocatable device code was compiled by "
                            "nvcc; compile it with gridspan++");
  }
  return Error::success();
}

Error Reader::readImages(MemoryBufferRef Section, DeviceInput &Input) {
  // The reader needs an aligned buffer.
  uint64_t Offset = 0;
  while (Offset < Section.getBufferSize()) {
    std::unique_ptr<MemoryBuffer> Copy = MemoryBuffer::getMemBufferCopy(
        Section.getBuffer().drop_front(Offset), Input.Name);
    Expected<std::unique_ptr<object::OffloadBinary>> Binary =
        object::OffloadBinary::create(*Copy);
    if (!Binary)
      return failure(Input.Name + ": " + toString(Binary.takeError()));
    if ((*Binary)->getOffloadKind() == object::OFK_Cuda) {
      if ((*Binary)->getImageKind() != object::IMG_Bitcode)
        return failure(Input.Name + ": its relocatable device code is not "
                                    "bitcode; compile it with gridspan++");
      std::vector<DeviceImage> &Images =
          Input.Images[(*Binary)->getArch().str()];
      // With -save-temps clang embeds it twice.
      if (Images.empty() || Images.back().Bitcode != (*Binary)->getImage())
        Images.push_back({(*Binary)->getImage().str(),
                          (*Binary)->getString("gridspan").str()});
    }
    Offset += (*Binary)->getSize();
  }
  return Error::success();
}

Error Reader::readObject(const object::ELFObjectFileBase &Object,
                         StringRef Name, bool InArchive) {
  if (Error E = readSymbols(Object, Name, InArchive))
    return E;
  DeviceInput Input;
  Input.Name = Name.str();
  for (const object::ELFSectionRef Section : Object.sections()) {
    Expected<StringRef> Title = Section.getName();
    if (!Title) {
      consumeError(Title.takeError());
      continue;
    }
    if (*Title != UnitSection && *Title != DeviceCodeSection)
      continue;
    Expected<StringRef> Contents = Section.getContents();
    if (!Contents)
      return Contents.takeError();
    if (*Title == DeviceCodeSection) {
      if (WantsPlain)
        FoundPlain = true;
      else if (Error E = readImages(MemoryBufferRef(*Contents, Name), Input))
        return E;
      continue;
    }
    Expected<std::vector<DeviceUnit>> Units = parseDeviceUnits(*Contents);
    if (!Units)
      return failure(Name + ": " + toString(Units.takeError()));
    llvm::append_range(Input.Units, *Units);
  }
  if (WantsPlain && !Input.Units.empty())
    return failure(Name + ": its relocatable device code was compiled with "
                          "Gridspan; link it without -fno-gridspan");
  if (Input.Units.empty()) {
    if (Input.Images.empty())
      return Error::success();
    return failure(Name + ": its relocatable device code was compiled without "
                          "Gridspan (-fno-gridspan)");
  }
  for (const auto &[Arch, Images] : Input.Images)
    if (Images.size() != Input.Units.size())
      return failure(Name + ": not all of its parts hold device code for " +
                     Arch);
  Inputs.push_back(std::move(Input));
  return Error::success();
}

Error Reader::readArchive(const object::Archive &Archive, StringRef Name) {
  Error E = Error::success();
  for (const object::Archive::Child &Child : Archive.children(E)) {
    Expected<std::unique_ptr<object::Binary>> Member = Child.getAsBinary();
    if (!Member) {
      // Not an object: text, bitcode.
      consumeError(Member.takeError());
      continue;
    }
    Expected<StringRef> Title = Child.getName();
    std::string Full = (Name + "(" + (Title ? *Title : "?") + ")").str();
    if (!Title)
      consumeError(Title.takeError());
    if (auto *Object = dyn_cast<object::ELFObjectFileBase>(Member->get()))
      if (Error Inner = readObject(*Object, Full, /*InArchive=*/true)) {
        consumeError(std::move(E));
        return Inner;
      }
  }
  return E;
}

Error Reader::readFile(StringRef Path) {
  Expected<object::OwningBinary<object::Binary>> File =
      object::createBinary(Path);
  if (!File) {
    // A linker script, a file that is not there: the linker's business.
    consumeError(File.takeError());
    return Error::success();
  }
  if (const auto *Archive = dyn_cast<object::Archive>(File->getBinary()))
    return readArchive(*Archive, Path);
  const auto *Object = dyn_cast<object::ELFObjectFileBase>(File->getBinary());
  // Shared libraries have linked their device code themselves.
  if (!Object || !Object->isRelocatableObject())
    return Error::success();
  return readObject(*Object, Path, /*InArchive=*/false);
}

std::vector<DeviceInput> Reader::take() {
  // An object is linked as a whole or not at all.
  llvm::erase_if(Inputs, [&](const DeviceInput &Input) {
    const bool Known = all_of(Input.Units, [&](const DeviceUnit &Unit) {
      return Linked.contains(Unit.Marker);
    });
    for (const DeviceUnit &Unit : Input.Units)
      Linked.insert(Unit.Marker);
    return Known;
  });
  return std::move(Inputs);
}

Error Reader::readAll(ArrayRef<Argument> Args) {
  const ArchiveSearch Archives(Args);
  for (size_t I = 0; I < Args.size(); ++I) {
    StringRef Text = Args[I].Text;
    if (Args[I].Kind != Argument::LinkInput &&
        Args[I].Kind != Argument::OwnObject)
      continue;
    std::string Path = Text.str();
    if (Text == "-Xlinker" || Text == "-x") {
      ++I; // its value
      continue;
    }
    if (Text.consume_front("-l"))
      Path = Archives.find(Text);
    else if (Text.starts_with("-"))
      continue;
    if (Path.empty())
      continue;
    if (Error E = readFile(Path))
      return E;
  }
  return Error::success();
}

Expected<std::vector<DeviceInput>>
gridspan::readDeviceInputs(ArrayRef<Argument> Args) {
  Reader Result(/*WantsPlain=*/false);
  if (Error E = Result.readAll(Args))
    return std::move(E);
  return Result.take();
}

Expected<bool> gridspan::hasPlainDeviceCode(ArrayRef<Argument> Args) {
  Reader Result(/*WantsPlain=*/true);
  if (Error E = Result.readAll(Args))
    return std::move(E);
  return Result.foundPlain();
}
