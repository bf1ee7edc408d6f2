//===- TilePosition.h - Questions of a kernel about its tile ----*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Between the rewriting of grid-stride loops and the tiled clone, a kernel asks
// for the tile that it is part of by calling functions without a body:
//
//   i32 gridspan.tile.origin.{x,y,z}()   the first block of the tile
//   i32 gridspan.tile.count.{x,y,z}()    its blocks along the axis
//
// The analyses know them as expressions; the clone puts the tile's field and
// %nctaid in their place, so that none is left in a finished module.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ANALYSIS_NVPTX_TILEPOSITION_H
#define GRIDSPAN_ANALYSIS_NVPTX_TILEPOSITION_H

#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"
#include <optional>
#include <string>

namespace gridspan {

/// One of these functions.
struct TilePosition {
  bool IsCount; ///< else the origin
  unsigned Axis;
};

inline std::string tilePositionName(TilePosition P) {
  return std::string(P.IsCount ? "gridspan.tile.count."
                               : "gridspan.tile.origin.") +
         "xyz"[P.Axis];
}

/// Returns the function, declared in M.
inline llvm::FunctionCallee tilePositionFunction(llvm::Module &M,
                                                 TilePosition P) {
  llvm::FunctionCallee Callee = M.getOrInsertFunction(
      tilePositionName(P), llvm::Type::getInt32Ty(M.getContext()));
  auto *F = llvm::cast<llvm::Function>(Callee.getCallee());
  F->setDoesNotAccessMemory();
  F->setDoesNotThrow();
  F->setWillReturn();
  F->setSpeculatable();
  return Callee;
}

/// Returns the question of V, if it is such a call.
inline std::optional<TilePosition> tilePositionOf(const llvm::Value &V) {
  const auto *Call = llvm::dyn_cast<llvm::CallBase>(&V);
  const llvm::Function *Callee = Call ? Call->getCalledFunction() : nullptr;
  if (!Callee || !Callee->getName().starts_with("gridspan.tile."))
    return std::nullopt;
  for (bool IsCount : {false, true})
    for (unsigned Axis = 0; Axis != 3; ++Axis)
      if (Callee->getName() == tilePositionName({IsCount, Axis}))
        return TilePosition{IsCount, Axis};
  return std::nullopt;
}

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_NVPTX_TILEPOSITION_H
