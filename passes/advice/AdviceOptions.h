//===- AdviceOptions.h - Options of the advice ------------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   -gridspan-block=32x8          threads of a block
//   -gridspan-grid=128x512        blocks of the grid
//   -gridspan-shared=49152        bytes of dynamic shared memory of a block
//   -gridspan-shared=smooth=49152 ... of kernel smooth
//   -gridspan-param=smooth:2=4096 value of parameter 2 of kernel smooth
//   -gridspan-param=2=4096        ... of every kernel
//   -gridspan-param=0+16=4096     ... of the field at byte 16 of parameter 0
//   -gridspan-base=0              base addresses modulo 256
//   -gridspan-base=smooth:0=4     ... of parameter 0 of kernel smooth
//   -gridspan-requests=4096       requests evaluated for a site, about
//   -gridspan-layout-launches=10  data is converted at run time for 10 launches
//   -gridspan-kernel=smooth       only kernels whose name has this in it
//
// Block and grid may be a kernel's: -gridspan-block=smooth:32x8.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_PASSES_ADVICE_ADVICEOPTIONS_H
#define GRIDSPAN_PASSES_ADVICE_ADVICEOPTIONS_H

#include "analysis/advice/cost/Cost.h"
#include "analysis/advice/layout/Layout.h"

namespace gridspan {

/// Returns what the options say of launches. A malformed option ends the
/// program with a message, as any wrong option does.
LaunchAssumptions launchAssumptions();

TrafficOptions trafficOptions();

LayoutOptions layoutOptions();

/// Returns true if advice is wanted on the kernel.
bool isKernelSelected(const llvm::Function &Kernel);

CostOptions costOptions();

/// Returns the options' texts that speak of a kernel which is none of Kernels.
std::vector<std::string>
optionsOfOtherKernels(llvm::ArrayRef<llvm::Function *> Kernels);

/// Returns all of these options that were given, as arguments of a command
/// line.
std::vector<std::string> givenAdviceOptions();

/// The machine that all times are predicted for, if one is given.
const MachineModel *givenMachine();

} // namespace gridspan

#endif // GRIDSPAN_PASSES_ADVICE_ADVICEOPTIONS_H
