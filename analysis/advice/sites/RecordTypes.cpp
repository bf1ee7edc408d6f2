//===- RecordTypes.cpp - Whose a struct type is ---------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Types of libraries and vector types are known by their names
// (RecordTypes.def). The alignment is that of the elements, and what makes the
// size end where it does: clang fills a struct up to a multiple of its
// alignment with an array of bytes, which is the last element. A larger one
// that leaves no gap is only in debug information.
//
//===----------------------------------------------------------------------===//

#include "analysis/advice/sites/RecordTypes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MathExtras.h"
#include <optional>

using namespace llvm;

namespace gridspan {

/// Returns the name in the source: without `struct.` and the number by which
/// LLVM tells types of one name apart.
static StringRef sourceName(StringRef Name) {
  for (StringRef Prefix : {"struct.", "class.", "union."})
    if (Name.consume_front(Prefix))
      break;
  auto [Front, Number] = Name.rsplit('.');
  return !Number.empty() && all_of(Number, isDigit) ? Front : Name;
}

/// Returns the alignment of a vector type of CUDA (vector_types.h).
static std::optional<unsigned> vectorAlignment(StringRef Name) {
  unsigned Most = 16;
  if (Name.consume_back("_32a"))
    Most = 32;
  else
    Name.consume_back("_16a");
  unsigned Count = Name.empty() ? 0 : Name.back() - '0';
  if (Count < 1 || Count > 4)
    return std::nullopt;
  StringRef Element = Name.drop_back();
#define GRIDSPAN_VECTOR_ELEMENT(Text, Bytes)                                   \
  if (Element == Text)                                                         \
    return std::min(Most, unsigned(Bytes) * (Count == 3 ? 1 : Count));
#include "analysis/advice/sites/RecordTypes.def"
  return std::nullopt;
}

bool isOfLibrary(StringRef Name) {
  static constexpr StringLiteral Prefixes[] = {
#define GRIDSPAN_LIBRARY_PREFIX(Text) Text,
#include "analysis/advice/sites/RecordTypes.def"
  };
  return any_of(Prefixes,
                [&](StringRef Prefix) { return Name.starts_with(Prefix); });
}

/// Returns the largest alignment for which the last element fills the struct
/// up. A smaller one may do, but who has filled it up meant to align it.
static unsigned alignmentByFilling(const StructType &Type,
                                   const DataLayout &DL) {
  auto *Ty = const_cast<StructType *>(&Type);
  unsigned Natural = unsigned(DL.getABITypeAlign(Ty).value());
  const auto *Last = Type.getNumElements() < 2
                         ? nullptr
                         : dyn_cast<ArrayType>(Type.elements().back());
  if (!Last || !Last->getElementType()->isIntegerTy(8))
    return Natural;
  uint64_t Size = DL.getTypeAllocSize(Ty);
  uint64_t Used = Size - Last->getNumElements();
  unsigned Out = Natural;
  for (unsigned Alignment = Natural * 2; Alignment <= Size; Alignment *= 2)
    if (alignTo(Used, Alignment) == Size)
      Out = Alignment;
  return Out;
}

/// Returns what debug information says of the type, or null.
static const DICompositeType *declarationOf(StringRef Name, uint64_t Size,
                                            const Module &M) {
  if (none_of(M.debug_compile_units(), [](const DICompileUnit *Unit) {
        return Unit->getEmissionKind() == DICompileUnit::FullDebug;
      }))
    return nullptr;
  DebugInfoFinder Finder;
  Finder.processModule(M);
  StringRef Last = Name.substr(Name.rfind(':') + 1);
  for (const DIType *Type : Finder.types())
    if (const auto *Struct = dyn_cast<DICompositeType>(Type))
      if (Struct->getName() == Last && Struct->getSizeInBits() == Size * 8)
        return Struct;
  return nullptr;
}

static std::string headerOf(const DICompositeType &Type) {
  const DIFile *File = Type.getFile();
  if (!File)
    return "";
  // A source of its own is no header, whatever CUDA calls it.
  StringRef Name = File->getFilename();
  for (StringRef Source : {".cu", ".cpp", ".cc", ".cxx", ".c"})
    if (Name.ends_with(Source))
      return "";
  return (Name + ":" + Twine(Type.getLine())).str();
}

RecordType recordTypeOf(const StructType &Type, const Module &M) {
  RecordType Out;
  if (!Type.hasName() || Type.isOpaque() || !Type.isSized())
    return Out;
  StringRef Name = sourceName(Type.getName());
  const DataLayout &DL = M.getDataLayout();
  Out.Alignment = alignmentByFilling(Type, DL);
  if (std::optional<unsigned> Alignment = vectorAlignment(Name)) {
    Out.Owner = RecordType::Vector;
    Out.Alignment = *Alignment;
    return Out;
  }
  if (isOfLibrary(Name)) {
    Out.Owner = RecordType::Library;
    return Out;
  }
  uint64_t Size = DL.getTypeAllocSize(const_cast<StructType *>(&Type));
  if (const DICompositeType *Declared = declarationOf(Name, Size, M)) {
    Out.Alignment = std::max(Out.Alignment, Declared->getAlignInBytes());
    Out.Header = headerOf(*Declared);
  }
  return Out;
}

} // namespace gridspan
