//===- RelocatableUnit.cpp - The host side of -rdc ------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With its new offload driver clang embeds the device code as an object, and
// describes kernels and variables by constants
//   { ptr stub or variable, ptr name, i64 size, i32 flags, i32 data }
// in the section cuda_offloading_entries, which a loop would register at run
// time. Here the device link writes the registration as clang does for a whole
// program, so that the host pass finds the same code there. For that it has to
// know the host's symbols: local ones get a hidden alias, named after the
// device's, which clang has made unique.
//
//===----------------------------------------------------------------------===//

#include "passes/host/RelocatableUnit.h"
#include "passes/common/DeviceUnit.h"
#include "passes/common/ManagedAnnotations.h"
#include "passes/host/ManagedAddresses.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/GlobalAlias.h"
#include "llvm/IR/Module.h"
#include "llvm/Object/OffloadBinary.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/xxhash.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;
using namespace gridspan;

namespace {

/// Members of an offloading entry, and bits of its flags
/// (llvm/Frontend/Offloading/Utility.h).
enum EntryMember { AddressMember, NameMember, SizeMember, FlagsMember };
enum EntryFlag : uint64_t {
  ManagedEntry = 1,
  SurfaceEntry = 2,
  TextureEntry = 3,
  KindMask = 7,
  ExternEntry = 8,
  ConstantEntry = 16,
};

} // namespace

static bool isEntry(const GlobalVariable &G) {
  return G.getSection() == "cuda_offloading_entries" && G.hasInitializer();
}

/// Returns true for a package with device code of CUDA; OpenMP has its own.
static bool holdsCuda(const GlobalVariable &G) {
  const auto *Bytes = dyn_cast<ConstantDataSequential>(G.getInitializer());
  if (!Bytes)
    return false;
  // The reader needs an aligned buffer.
  std::unique_ptr<MemoryBuffer> Copy =
      MemoryBuffer::getMemBufferCopy(Bytes->getRawDataValues());
  Expected<std::unique_ptr<object::OffloadBinary>> Package =
      object::OffloadBinary::create(*Copy);
  if (Package)
    return (*Package)->getOffloadKind() == object::OFK_Cuda;
  consumeError(Package.takeError());
  return false;
}

/// Returns the embedded device code of CUDA, or null.
static GlobalVariable *embeddedCode(Module &M) {
  const NamedMDNode *Objects = M.getNamedMetadata("llvm.embedded.objects");
  if (!Objects)
    return nullptr;
  for (const MDNode *Node : Objects->operands()) {
    const auto *Section = dyn_cast<MDString>(Node->getOperand(1));
    auto *Object = mdconst::dyn_extract<GlobalVariable>(Node->getOperand(0));
    if (Object && Section && Section->getString() == DeviceCodeSection &&
        holdsCuda(*Object))
      return Object;
  }
  return nullptr;
}

/// Returns a name by which another object can refer to Value.
static StringRef hostSymbol(GlobalValue &Value, StringRef DeviceName) {
  if (!Value.hasLocalLinkage())
    return Value.getName();
  auto *Alias = GlobalAlias::create(
      Value.getValueType(), Value.getAddressSpace(),
      GlobalValue::ExternalLinkage, "__gridspan_host_" + DeviceName, &Value,
      Value.getParent());
  Alias->setVisibility(GlobalValue::HiddenVisibility);
  return Alias->getName();
}

/// Reads the entry G. The managed variables among Annotated are added to
/// Managed.
static std::optional<DeviceEntry>
readEntry(const GlobalVariable &G, ArrayRef<GlobalVariable *> Annotated,
          std::vector<UnitManaged> &Managed) {
  const auto *Init = dyn_cast<ConstantStruct>(G.getInitializer());
  if (!Init || Init->getNumOperands() <= FlagsMember)
    return std::nullopt;
  auto *Value = dyn_cast<GlobalValue>(
      Init->getOperand(AddressMember)->stripPointerCasts());
  const auto *Name = dyn_cast<GlobalVariable>(
      Init->getOperand(NameMember)->stripPointerCasts());
  const auto *Size = dyn_cast<ConstantInt>(Init->getOperand(SizeMember));
  const auto *Flags = dyn_cast<ConstantInt>(Init->getOperand(FlagsMember));
  if (!Value || !Name || !Name->hasInitializer() || !Size || !Flags)
    return std::nullopt;
  const auto *Text = dyn_cast<ConstantDataSequential>(Name->getInitializer());
  if (!Text || !Text->isCString())
    return std::nullopt;
  DeviceEntry Entry;
  Entry.DeviceName = Text->getAsCString();
  Entry.Bytes = Size->getZExtValue();
  Entry.Kind = isa<Function>(Value) ? DeviceEntry::EntryKind::Kernel
                                    : DeviceEntry::EntryKind::Variable;
  Entry.Constant = Flags->getZExtValue() & ConstantEntry;
  // Another unit registers it.
  if (Flags->getZExtValue() & ExternEntry)
    return std::nullopt;
  if (Entry.Kind == DeviceEntry::EntryKind::Variable &&
      (Flags->getZExtValue() & KindMask)) {
    G.getContext().emitError("gridspan: variable '" + Entry.DeviceName +
                             "': textures and surfaces are not supported in "
                             "relocatable device code");
    return std::nullopt;
  }
  if (auto *Variable = dyn_cast<GlobalVariable>(Value);
      Variable && is_contained(Annotated, Variable)) {
    Managed.push_back({Variable, Entry.DeviceName});
    Entry.HostName = ManagedPrefix + Entry.DeviceName;
  } else {
    Entry.HostName = hostSymbol(*Value, Entry.DeviceName);
  }
  return Entry;
}

/// Returns a symbol that no other unit of a program has: of the source's name
/// and a hash of all that makes it differ from others.
static std::string markerOf(const Module &M, const GlobalVariable &Code) {
  std::string Key = M.getSourceFileName();
  if (const auto *Bytes =
          dyn_cast<ConstantDataSequential>(Code.getInitializer()))
    Key += Bytes->getRawDataValues();
  for (const GlobalValue &G : M.global_values())
    if (!G.isDeclaration())
      Key += (" " + G.getName()).str();
  std::string Marker = MarkerPrefix;
  for (char C : sys::path::filename(M.getSourceFileName()))
    Marker += isAlnum(C) ? C : '_';
  return Marker + "_" +
         utohexstr(xxh3_64bits(Key), /*LowerCase=*/true, /*Width=*/16);
}

/// Makes M not link without a definition of Marker.
static void requireMarker(Module &M, StringRef Marker) {
  auto *Byte = Type::getInt8Ty(M.getContext());
  auto *Symbol =
      new GlobalVariable(M, Byte, /*isConstant=*/true,
                         GlobalValue::ExternalLinkage, nullptr, Marker);
  Symbol->setVisibility(GlobalValue::HiddenVisibility);
  auto *Need = new GlobalVariable(M, Symbol->getType(), /*isConstant=*/true,
                                  GlobalValue::PrivateLinkage, Symbol,
                                  "__gridspan_need");
  appendToUsed(M, {Need});
}

bool gridspan::describeRelocatableUnit(Module &M) {
  GlobalVariable *Code = embeddedCode(M);
  if (!Code)
    return false;
  DeviceUnit Unit;
  Unit.Marker = markerOf(M, *Code);
  Unit.Source = M.getSourceFileName();
  Unit.Triple = M.getTargetTriple();
  Unit.Layout = M.getDataLayoutStr();
  const SmallVector<GlobalVariable *> Annotated = annotatedAsManaged(M);
  std::vector<UnitManaged> Managed;
  for (GlobalVariable &G : make_early_inc_range(M.globals())) {
    if (!isEntry(G))
      continue;
    if (std::optional<DeviceEntry> Entry = readEntry(G, Annotated, Managed))
      Unit.Entries.push_back(std::move(*Entry));
    G.replaceAllUsesWith(PoisonValue::get(G.getType()));
    G.eraseFromParent();
  }
  for (GlobalVariable *G : declaredAsManaged(M))
    Managed.push_back({G, G->getName().str()});
  redirectManagedOfUnit(M, Managed);
  requireMarker(M, Unit.Marker);
  std::string Text = toText(Unit);
  embedBufferInModule(M, MemoryBufferRef(Text, "unit"), UnitSection, Align(1));
  return true;
}
