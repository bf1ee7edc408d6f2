//===- TextureHandles.h - Where kernels get textures from -------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A texture object belongs to one device. Devices may each receive the handle
// of an object of their own if the kernel gets it as a parameter, and does
// nothing with it but read the texture.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ANALYSIS_LEGALITY_TEXTUREHANDLES_H
#define GRIDSPAN_ANALYSIS_LEGALITY_TEXTUREHANDLES_H

#include "analysis/summary/KernelSummary.h"
#include <vector>

namespace llvm {
class CallBase;
class Function;
class Instruction;
} // namespace llvm

namespace gridspan {

/// The textures of a kernel.
struct TextureHandles {
  /// The parameters that are handles, and those fields of by-value structs, in
  /// order.
  std::vector<TextureSummary> Received;
  /// The first instruction that reads a texture by a handle from memory, or
  /// null.
  const llvm::Instruction *FromMemory = nullptr;
  /// The first one whose handle is neither a parameter nor from memory, or
  /// that does something else with a handle; or null.
  const llvm::Instruction *Computed = nullptr;
};

/// Returns true if Call reads or asks about a texture, or is assembly that does
/// and accesses no surface.
bool readsTexture(const llvm::CallBase &Call);
/// Returns true if Call accesses or asks about a surface.
bool usesSurface(const llvm::CallBase &Call);

TextureHandles findTextureHandles(const llvm::Function &Kernel);

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_LEGALITY_TEXTUREHANDLES_H
