//===- CpuLowerPass.h - A device module as a host module --------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// gridspan-cpu-lower, for opt only: replaces a device module by its lowering
// for the CPU device. For each kernel K there is an external GridspanCpuKernel
// named K.cpu, and __gridspan_cpu_module is a GridspanCpuModule.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_PASSES_CPU_CPULOWERPASS_H
#define GRIDSPAN_PASSES_CPU_CPULOWERPASS_H

#include "llvm/IR/PassManager.h"

namespace gridspan {

class CpuLowerPass : public llvm::PassInfoMixin<CpuLowerPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }
};

enum class CpuFacts { Regions, Tiles };

/// Prints how the threads of kernels with barriers run on the CPU device, or
/// which loops neighbouring threads take together there.
class CpuPrinterPass : public llvm::PassInfoMixin<CpuPrinterPass> {
public:
  CpuPrinterPass(CpuFacts Facts, llvm::raw_ostream &OS)
      : Facts(Facts), OS(OS) {}
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &);

private:
  CpuFacts Facts;
  llvm::raw_ostream &OS;
};

} // namespace gridspan

#endif // GRIDSPAN_PASSES_CPU_CPULOWERPASS_H
