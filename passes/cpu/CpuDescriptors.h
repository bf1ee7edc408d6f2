//===- CpuDescriptors.h - The CPU device's code, described ------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Builds the constants that tell the runtime where the CPU device's code of
// each kernel and variable is (gridspan/ABI.def).
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_PASSES_CPU_CPUDESCRIPTORS_H
#define GRIDSPAN_PASSES_CPU_CPUDESCRIPTORS_H

#include "passes/common/AbiConstants.h"
#include "passes/cpu/CpuLowering.h"

namespace gridspan {

/// Returns a GridspanCpuKernel. A null Kernel gives that of a kernel that the
/// device code lacks.
llvm::Constant *describeCpuKernel(AbiConstants &Abi,
                                  const CpuKernelCode *Kernel);

/// Returns a GridspanCpuModule.
llvm::Constant *describeCpuModule(AbiConstants &Abi, const CpuModuleCode &Code);

} // namespace gridspan

#endif // GRIDSPAN_PASSES_CPU_CPUDESCRIPTORS_H
