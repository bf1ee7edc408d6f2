//===- TiledClone.h - Kernels that run a tile of their grid -----*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes the variants of kernels that split launches run: each launch of one
// computes a tile, and believes that it is part of the program's grid.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_PASSES_DEVICE_CLONES_TILEDCLONE_H
#define GRIDSPAN_PASSES_DEVICE_CLONES_TILEDCLONE_H

#include "passes/device/clones/KernelDeclarer.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/PassManager.h"
#include <string>
#include <vector>

namespace llvm {
class Function;
class Module;
class StructType;
} // namespace llvm

namespace gridspan {

/// Name of the clone of the kernel or function Name. PTX allows no '.'.
std::string tiledCloneName(llvm::StringRef Name);

/// Returns true if F is such a clone.
bool isTiledClone(const llvm::Function &F);

/// Makes tiled clones in one module; functions that several kernels call are
/// cloned once.
class TiledCloner {
public:
  TiledCloner(llvm::Module &M, llvm::FunctionAnalysisManager &FAM);

  /// Makes the clone of a kernel that has passed checkLegality. It has one more
  /// parameter, `ptr byval({[3 x i32], [3 x i32]}) align 4` (a GridspanTile).
  /// Its launch properties (nvvm.annotations) are the original's. Its code is
  /// that of Body, if there is one: a function with the parameters of Kernel,
  /// and perhaps more behind them. Kind becomes part of its name.
  llvm::Function &clone(llvm::Function &Kernel, llvm::Function *Body = nullptr,
                        llvm::StringRef Kind = "");

  /// Everything created so far: kernels and device functions, in order.
  const std::vector<llvm::Function *> &created() const { return Created; }

private:
  bool needsTile(const llvm::Function &F);
  llvm::Function &declare(llvm::Function &F, bool IsKernel,
                          const llvm::Function &Body, llvm::StringRef Kind);
  void fillBody(llvm::Function &Old, llvm::Function &New, bool IsKernel);
  void rewrite(llvm::Function &New, bool IsKernel);

  llvm::Module &M;
  KernelDeclarer Declarer;
  llvm::StructType *TileTy;
  llvm::DenseMap<const llvm::Function *, bool> Needs;
  llvm::DenseMap<const llvm::Function *, llvm::Function *> Clones;
  std::vector<llvm::Function *> Created;
};

/// Implements gridspan-tile, which clones every kernel that may be split and
/// does nothing else.
class TiledClonePass : public llvm::PassInfoMixin<TiledClonePass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }
};

} // namespace gridspan

#endif // GRIDSPAN_PASSES_DEVICE_CLONES_TILEDCLONE_H
