//===- WarpUniformity.h - Values that lanes of a warp share -----*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Says of values of a kernel whether all lanes of a warp that execute an
// instruction together have the same one, whatever it is.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ANALYSIS_NVPTX_WARPUNIFORMITY_H
#define GRIDSPAN_ANALYSIS_NVPTX_WARPUNIFORMITY_H

#include <memory>

namespace llvm {
class BasicBlock;
class Function;
class LoopInfo;
class Value;
} // namespace llvm

namespace gridspan {

class WarpUniformity {
public:
  /// The function and its loops must outlive it.
  WarpUniformity(const llvm::Function &F, const llvm::LoopInfo &LI);
  ~WarpUniformity();

  /// Returns true if lanes that are in block At together see one value of V.
  bool isUniformAt(const llvm::Value *V, const llvm::BasicBlock &At) const;

private:
  struct Impl;
  std::unique_ptr<Impl> P;
};

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_NVPTX_WARPUNIFORMITY_H
