//===- ThreadTile.h - Threads that run together -----------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel's inner loop is the middle one of three: the row of threads around
// it, and the turns of each. LLVM vectorizes innermost loops only. So a row is
// taken in tiles of some threads, and the loop over the threads of a tile goes
// into the loop of the kernel. What a thread keeps from turn to turn becomes
// vectors that stay in registers.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_PASSES_CPU_TILES_THREADTILE_H
#define GRIDSPAN_PASSES_CPU_TILES_THREADTILE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

namespace llvm {
class Function;
} // namespace llvm

namespace gridspan {

/// Threads of a tile: two vectors of floats with AVX2.
constexpr unsigned TileWidth = 16;

/// Returns a function with Thread's parameters that runs TileWidth threads; its
/// arguments are those of the first, of which the ones whose numbers are in
/// Growing are greater by 1 in each next thread. Returns null if threads are
/// better run one by one. Thread, whose first parameter is the block, stays as
/// it is; what it returns is dropped. Says why to OS, if not null.
llvm::Function *makeThreadTile(llvm::Function &Thread,
                               llvm::ArrayRef<unsigned> Growing,
                               llvm::StringRef Name, llvm::raw_ostream *OS);

} // namespace gridspan

#endif // GRIDSPAN_PASSES_CPU_TILES_THREADTILE_H
