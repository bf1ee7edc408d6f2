//===- IntermediateJob.h - Commands of -cuda --------------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plans -cuda: a preprocessed C++ file of each CUDA source, which any host
// compiler makes the object of. nvcc's has the host code as C++ in it. clang
// makes no such code, so that this one has its assembly, device code included,
// in one asm declaration.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_TOOLS_GRIDSPANXX_INTERMEDIATEJOB_H
#define GRIDSPAN_TOOLS_GRIDSPANXX_INTERMEDIATEJOB_H

#include "tools/gridspan++/Commands.h"

namespace gridspan {

/// Plans -cuda. Fails for several sources with one output, and for relocatable
/// device code.
llvm::Expected<Job> planIntermediate(const Request &R, const Setting &S);

/// Writes the C++ file To, which holds the assembly of the file From.
llvm::Error wrapAssembly(llvm::StringRef From, llvm::StringRef To);

} // namespace gridspan

#endif // GRIDSPAN_TOOLS_GRIDSPANXX_INTERMEDIATEJOB_H
