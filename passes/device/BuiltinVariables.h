//===- BuiltinVariables.h - threadIdx and its kin ---------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// gridspan_builtin_vars.h declares threadIdx, blockIdx, blockDim and gridDim as
// nvcc does, as variables of types uint3 and dim3 that nobody defines. So they
// can be copied, passed and bound to references like any others. In device code
// their members are registers.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_PASSES_DEVICE_BUILTINVARIABLES_H
#define GRIDSPAN_PASSES_DEVICE_BUILTINVARIABLES_H

#include "llvm/IR/PassManager.h"

namespace gridspan {

/// Replaces the variables in device modules by reads of registers. It has to
/// run before any other pass asks for indices.
class BuiltinVariablesPass : public llvm::PassInfoMixin<BuiltinVariablesPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }
};

} // namespace gridspan

#endif // GRIDSPAN_PASSES_DEVICE_BUILTINVARIABLES_H
