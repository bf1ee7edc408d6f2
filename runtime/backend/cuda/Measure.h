//===- Measure.h - What the GPUs and their links can do ---------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Fills a SystemInfo: what the driver says at once, rates and costs by short
// measurements.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_BACKEND_CUDA_MEASURE_H
#define GRIDSPAN_RUNTIME_BACKEND_CUDA_MEASURE_H

#include "runtime/backend/SystemInfo.h"
#include "runtime/backend/cuda/Device.h"
#include "runtime/backend/cuda/Memory.h"

namespace gridspan::cuda {

/// Names, counts, memory sizes and instruction rates.
SystemInfo describe(const DeviceList &Devices, const Memory &M);

/// Bandwidths and the cost of splitting. Takes a fraction of a second and some
/// hundred MiB of each device for that time. False when something could not be
/// measured: it keeps the value it had.
bool measure(const DeviceList &Devices, Memory &M,
             const std::vector<std::vector<bool>> &MayAccess, SystemInfo &Info);

} // namespace gridspan::cuda

#endif // GRIDSPAN_RUNTIME_BACKEND_CUDA_MEASURE_H
