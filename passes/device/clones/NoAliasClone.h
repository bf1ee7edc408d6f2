//===- NoAliasClone.h - Kernels for distinct arguments ----------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes the variant of a kernel that runs when the arguments of a launch do not
// overlap.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_PASSES_DEVICE_CLONES_NOALIASCLONE_H
#define GRIDSPAN_PASSES_DEVICE_CLONES_NOALIASCLONE_H

#include "analysis/legality/NoAlias.h"
#include "passes/device/clones/KernelDeclarer.h"

namespace gridspan {

/// Returns a clone of Kernel, or of its tiled clone, for launches in which no
/// memory that is written through one pointer is accessed through another. Its
/// launch properties are the original's. Precondition: Facts are of Kernel, and
/// say that a clone is worth it.
llvm::Function &cloneForNoAlias(llvm::Function &Kernel,
                                const NoAliasFacts &Facts,
                                KernelDeclarer &Declarer);

} // namespace gridspan

#endif // GRIDSPAN_PASSES_DEVICE_CLONES_NOALIASCLONE_H
