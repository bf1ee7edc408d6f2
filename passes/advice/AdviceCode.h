//===- AdviceCode.h - Advice once more, for other launches ------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Keeps the device code of a compilation beside its advice. When a run has
// shown how kernels are launched, the advice can be computed for these launches
// without the compiler and its command line.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_PASSES_ADVICE_ADVICECODE_H
#define GRIDSPAN_PASSES_ADVICE_ADVICECODE_H

#include "analysis/advice/sites/MeasuredSites.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include <string>

namespace llvm {
class Module;
} // namespace llvm

namespace gridspan {

struct AdviceOrigin;

/// Returns the module and the options of its advice as a member of "modules" of
/// an advice file.
llvm::json::Object adviceCode(const llvm::Module &M,
                              const AdviceOrigin &Origin);

/// Returns the advice on such a module, as adviceToJSON() does, with More
/// options ("-gridspan-grid=smooth:64") that override the earlier ones, and
/// with what a run has recorded. Sets the options of the process: not
/// thread-safe.
llvm::Expected<llvm::json::Object> adviceAgain(const llvm::json::Object &Code,
                                               llvm::ArrayRef<std::string> More,
                                               MeasuredKernels Measured = {});

} // namespace gridspan

#endif // GRIDSPAN_PASSES_ADVICE_ADVICECODE_H
