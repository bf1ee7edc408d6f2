//===- DeviceClones.h - Makes the clones of kernels -------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The last act of the device pass, which changes the module: clones of kernels,
// and what is embedded for the host compilation and the CPU device.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_PASSES_DEVICE_DEVICECLONES_H
#define GRIDSPAN_PASSES_DEVICE_DEVICECLONES_H

#include "passes/device/DeviceSummary.h"

namespace gridspan {

/// Adds to M the clones that Device asks for, gives the summaries their names,
/// embeds the kernels as bitcode for the CPU device, and removes the bodies.
/// Kernels and functions of the program are not changed.
void makeClones(llvm::Module &M, DeviceSummary &Device,
                llvm::FunctionAnalysisManager &FAM);

} // namespace gridspan

#endif // GRIDSPAN_PASSES_DEVICE_DEVICECLONES_H
