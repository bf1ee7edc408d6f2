//===- DevicePass.h - The device side of a CUDA file ------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Summarizes the kernels of a device module, makes tiled clones of those that
// may be split, and leaves both for the host compilation and the CPU device.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_PASSES_DEVICE_DEVICEPASS_H
#define GRIDSPAN_PASSES_DEVICE_DEVICEPASS_H

#include "llvm/IR/PassManager.h"

namespace gridspan {

/// Runs once on each NVPTX module; others, and one that it has processed
/// already, are left as they are.
class DevicePass : public llvm::PassInfoMixin<DevicePass> {
public:
  /// Unoptimized: the pipeline is -O0's, where nothing is analysed.
  explicit DevicePass(bool Unoptimized = false) : Unoptimized(Unoptimized) {}
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &);
  /// Returns true: the CPU device needs the bitcode at -O0 too.
  static bool isRequired() { return true; }

private:
  bool Unoptimized;
};

} // namespace gridspan

#endif // GRIDSPAN_PASSES_DEVICE_DEVICEPASS_H
