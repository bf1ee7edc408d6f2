//===- FixReduxOperands.h - Operands of warp reductions ---------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Clang 19's header defines __reduce_add_sync(mask, value) and its siblings as
// __nvvm_redux_sync_add(mask, value). But the intrinsic behind it takes the
// value first, so that PTX reduces the mask over the lanes of the value. This
// pass swaps the operands in these functions, before they are inlined.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_PASSES_DEVICE_FIXREDUXOPERANDS_H
#define GRIDSPAN_PASSES_DEVICE_FIXREDUXOPERANDS_H

#include "llvm/IR/PassManager.h"

namespace gridspan {

class FixReduxOperandsPass : public llvm::PassInfoMixin<FixReduxOperandsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }
};

} // namespace gridspan

#endif // GRIDSPAN_PASSES_DEVICE_FIXREDUXOPERANDS_H
