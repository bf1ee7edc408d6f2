//===- DeviceRemarks.h - Remarks about kernels ------------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The remarks that users see of the device compilation: -Rpass=gridspan for
// kernels that can be split, -Rpass-missed=gridspan for every reason against
// it.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_PASSES_DEVICE_DEVICEREMARKS_H
#define GRIDSPAN_PASSES_DEVICE_DEVICEREMARKS_H

#include "passes/device/DeviceSummary.h"

namespace gridspan {

/// Emits the remarks about all kernels of Device, in its order. Computes
/// nothing; the kernels must still have the code that Device was made from.
void emitRemarks(const DeviceSummary &Device,
                 llvm::FunctionAnalysisManager &FAM);

} // namespace gridspan

#endif // GRIDSPAN_PASSES_DEVICE_DEVICEREMARKS_H
