//===- GlobalAnnotations.h - What sources annotate --------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the annotations of a module's variables and functions. The
// compatibility header of gridspan++ makes some for attributes of nvcc that
// clang does not know.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_PASSES_COMMON_GLOBALANNOTATIONS_H
#define GRIDSPAN_PASSES_COMMON_GLOBALANNOTATIONS_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

namespace llvm {
class GlobalValue;
class Module;
class Value;
} // namespace llvm

namespace gridspan {

struct GlobalAnnotation {
  llvm::GlobalValue *On = nullptr;
  llvm::StringRef Text;
  /// Those that are integers, in order.
  llvm::SmallVector<uint64_t, 3> Arguments;
};

/// Returns the text that an annotation's operand leads to; empty if it is none.
llvm::StringRef annotationText(const llvm::Value &Operand);

/// Returns the annotations of M in order.
llvm::SmallVector<GlobalAnnotation> globalAnnotations(const llvm::Module &M);

/// Takes the annotations for which Drop returns true out of M.
void dropGlobalAnnotations(
    llvm::Module &M, llvm::function_ref<bool(const GlobalAnnotation &)> Drop);

} // namespace gridspan

#endif // GRIDSPAN_PASSES_COMMON_GLOBALANNOTATIONS_H
