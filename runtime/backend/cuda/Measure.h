//===- Measure.h - Rates of the GPUs and of their links ---------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Fills a SystemInfo with the driver's answers, and with rates and costs from
// short measurements.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_BACKEND_CUDA_MEASURE_H
#define GRIDSPAN_RUNTIME_BACKEND_CUDA_MEASURE_H

#include "runtime/backend/SystemInfo.h"
#include "runtime/backend/cuda/Device.h"
#include "runtime/backend/cuda/Memory.h"

namespace gridspan::cuda {

/// Returns names, counts and memory sizes, which the driver knows at once, and
/// guesses of the rest, but for what measure() surely finds.
SystemInfo describe(const DeviceList &Devices, const Memory &M);

/// Finds instruction rates, and measures bandwidths and the cost of splitting.
/// Takes a fraction of a second and some hundred MiB of each device. Returns
/// false if something could not be measured; it keeps its value.
bool measure(const DeviceList &Devices, Memory &M,
             const std::vector<std::vector<bool>> &MayAccess, SystemInfo &Info);

} // namespace gridspan::cuda

#endif // GRIDSPAN_RUNTIME_BACKEND_CUDA_MEASURE_H
