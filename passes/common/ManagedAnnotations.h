//===- ManagedAnnotations.h - Variables declared __managed__ ----*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The compatibility header of gridspan++ annotates __managed__ variables, in
// both compilations of a file.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_PASSES_COMMON_MANAGEDANNOTATIONS_H
#define GRIDSPAN_PASSES_COMMON_MANAGEDANNOTATIONS_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace llvm {
class GlobalVariable;
class Module;
} // namespace llvm

namespace gridspan {

/// How the names of descriptors begin that objects of relocatable device code
/// share: the device link defines them.
inline constexpr char ManagedPrefix[] = "__gridspan_managed_";

/// Returns the variables of M that are annotated as managed.
llvm::SmallVector<llvm::GlobalVariable *>
annotatedAsManaged(const llvm::Module &M);

/// Returns the declarations of managed variables that another unit defines.
/// clang annotates none, but puts them into a section.
llvm::SmallVector<llvm::GlobalVariable *> declaredAsManaged(llvm::Module &M);

/// Takes the annotations of the variables for which Drop returns true out of M.
void dropAnnotations(
    llvm::Module &M,
    llvm::function_ref<bool(const llvm::GlobalVariable &)> Drop);

} // namespace gridspan

#endif // GRIDSPAN_PASSES_COMMON_MANAGEDANNOTATIONS_H
