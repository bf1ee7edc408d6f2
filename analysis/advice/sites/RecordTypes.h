//===- RecordTypes.h - Whose a struct type is -------------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is known of a struct type beside its fields: whether the program may
// change it, the alignment that it is declared with, and where.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ANALYSIS_ADVICE_SITES_RECORDTYPES_H
#define GRIDSPAN_ANALYSIS_ADVICE_SITES_RECORDTYPES_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace llvm {
class Module;
class StructType;
} // namespace llvm

namespace gridspan {

struct RecordType {
  enum OwnerKind {
    Program,
    Vector,  ///< float4 and the like
    Library, ///< a type of CUDA's or C++'s libraries
  } Owner = Program;
  unsigned Alignment = 1; ///< bytes, at least
  /// "file:line" of the declaration if that is a header, and known.
  std::string Header;
};

/// Returns true for the names of types and functions of CUDA's and C++'s
/// libraries.
bool isOfLibrary(llvm::StringRef Name);

/// Returns true for a variable's name that C++ leaves to implementations, as
/// those of libdevice's tables are ([lex.name]).
inline bool isLibraryVariable(llvm::StringRef Name) {
  return Name.starts_with("__");
}

/// Looks at the type's name and elements, and at the debug information of the
/// module if it describes types.
RecordType recordTypeOf(const llvm::StructType &Type, const llvm::Module &M);

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_ADVICE_SITES_RECORDTYPES_H
