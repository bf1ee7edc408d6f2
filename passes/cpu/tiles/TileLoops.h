//===- TileLoops.h - Loops that a tile of threads takes ---------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds the loops of a kernel in which threads of a tile should take each turn
// together, as lanes of a vector, and puts barriers around a turn. Such a
// barrier orders nothing that a program could see; it cuts the code into
// regions (CpuRegions.h), as the implicit barriers of pocl do.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_PASSES_CPU_TILES_TILELOOPS_H
#define GRIDSPAN_PASSES_CPU_TILES_TILELOOPS_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <optional>

namespace llvm {
class Function;
} // namespace llvm

namespace gridspan {

enum class TileRefusal {
#define GRIDSPAN_TILE_REFUSAL(Kind, Name, Text) Kind,
#include "passes/cpu/tiles/TileLoops.def"
};

/// Returns the stable name, and a text for people.
llvm::StringRef refusalName(TileRefusal R);
llvm::StringRef refusalText(TileRefusal R);

struct TileLoops {
  /// Set if nothing is taken together, whatever the loops are.
  std::optional<TileRefusal> Refusal;
  /// Of each loop, in the order of the code, why it is not taken together;
  /// nothing if it is.
  llvm::SmallVector<std::optional<TileRefusal>> Loops;
  /// True if barriers were inserted.
  bool Found = false;
};

/// Puts barriers into Row, a kernel with thread parameters whose threadIdx.x is
/// the number of a thread in the tile. Changes nothing that Row computes.
TileLoops insertTileBarriers(llvm::Function &Row);

} // namespace gridspan

#endif // GRIDSPAN_PASSES_CPU_TILES_TILELOOPS_H
