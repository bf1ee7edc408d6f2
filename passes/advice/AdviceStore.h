//===- AdviceStore.h - Where advice files of a build are --------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The compilations of a build, of several sources and for several
// architectures, at once or one after the other, are all given the same option.
// Each replaces what an earlier compilation of its source for its architecture
// said, and nothing else: in the one file, or in a file of its own where a
// folder is named.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_PASSES_ADVICE_ADVICESTORE_H
#define GRIDSPAN_PASSES_ADVICE_ADVICESTORE_H

#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

namespace gridspan {

/// Path: a file, or a folder if it ends in '/' or is one; folders are made.
/// Advice: of one compilation, as adviceToJSON() gives it.
llvm::Error storeAdvice(llvm::StringRef Path, llvm::json::Object Advice);

} // namespace gridspan

#endif // GRIDSPAN_PASSES_ADVICE_ADVICESTORE_H
