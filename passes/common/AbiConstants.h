//===- AbiConstants.h - The structures of ABI.def as constants --*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For each structure S of ABI.def there is a plain struct descriptor::S with
// the same fields. A pointer in it is a Constant (null by default), a number is
// a number, and a function makes an LLVM constant of it.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_PASSES_COMMON_ABICONSTANTS_H
#define GRIDSPAN_PASSES_COMMON_ABICONSTANTS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace llvm {
class Constant;
class GlobalVariable;
class Module;
} // namespace llvm

namespace gridspan {

namespace descriptor {
#define GRIDSPAN_HOST_FIELD_Ptr(Name) llvm::Constant *Name = nullptr;
#define GRIDSPAN_HOST_FIELD_I32(Name) uint32_t Name = 0;
#define GRIDSPAN_HOST_FIELD_I64(Name) uint64_t Name = 0;
#define GRIDSPAN_STRUCT(Name) struct Name {
#define GRIDSPAN_FIELD(Kind, CType, Name) GRIDSPAN_HOST_FIELD_##Kind(Name)
#define GRIDSPAN_STRUCT_END(Name)                                              \
  }                                                                            \
  ;
#include "gridspan/ABI.def"
#undef GRIDSPAN_HOST_FIELD_Ptr
#undef GRIDSPAN_HOST_FIELD_I32
#undef GRIDSPAN_HOST_FIELD_I64
} // namespace descriptor

/// Makes the constants of one module. Names of the globals it adds start with
/// __gridspan_; they are internal.
class AbiConstants {
public:
  explicit AbiConstants(llvm::Module &M) : M(M) {}

#define GRIDSPAN_STRUCT(Name)                                                  \
  llvm::Constant *make(const descriptor::Name &Value);
#include "gridspan/ABI.def"

  /// Returns a zero-terminated string; equal strings are one.
  llvm::Constant *string(llvm::StringRef Text);
  /// Returns the same, or null for an empty one.
  llvm::Constant *stringOrNull(llvm::StringRef Text);

  /// Returns an internal constant with the given contents.
  llvm::GlobalVariable *global(llvm::StringRef Name, llvm::Constant *Value);

  /// Returns a global array of structures, or null for none.
  template <typename T>
  llvm::Constant *array(llvm::StringRef Name, llvm::ArrayRef<T> Values) {
    llvm::SmallVector<llvm::Constant *> Elements;
    for (const T &Value : Values)
      Elements.push_back(make(Value));
    return arrayOf(Name, Elements);
  }

private:
  llvm::Constant *arrayOf(llvm::StringRef Name,
                          llvm::ArrayRef<llvm::Constant *> Elements);

  llvm::Module &M;
  llvm::StringMap<llvm::Constant *> Strings;
};

} // namespace gridspan

#endif // GRIDSPAN_PASSES_COMMON_ABICONSTANTS_H
