//===- CpuUnsupported.h - Instructions that have no rule --------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Instructions without a lowering rule: the build goes on with a warning, and a
// launch that would execute one fails with the same text.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_PASSES_CPU_CPUUNSUPPORTED_H
#define GRIDSPAN_PASSES_CPU_CPUUNSUPPORTED_H

#include "llvm/ADT/MapVector.h"
#include <string>

namespace llvm {
class CallInst;
class Function;
class Instruction;
class Module;
} // namespace llvm

namespace gridspan {

class UnsupportedInstructions {
public:
  /// Warns of the call, in its module's context.
  void add(llvm::CallInst &Call);
  /// Adds uses of variables that other modules define.
  void addExternalVariables(llvm::Module &M);
  /// Returns the text on the first one of F, or nothing.
  std::string message(llvm::Function &F) const;

private:
  void add(llvm::Instruction &I, const std::string &What);

  llvm::MapVector<llvm::Function *, std::string> First;
};

} // namespace gridspan

#endif // GRIDSPAN_PASSES_CPU_CPUUNSUPPORTED_H
