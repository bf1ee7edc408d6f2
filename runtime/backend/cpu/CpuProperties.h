//===- CpuProperties.h - Properties of a CPU device -------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Limits of a recent GPU, so that programs that choose launches by them choose
// as they would on it.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_BACKEND_CPU_CPUPROPERTIES_H
#define GRIDSPAN_RUNTIME_BACKEND_CPU_CPUPROPERTIES_H

#include <cstddef>
#include <driver_types.h>

namespace gridspan {

constexpr int CpuMaxThreadsPerBlock = 1024;
constexpr size_t CpuSharedBytes = 48 << 10; ///< without cudaFuncSetAttribute
constexpr size_t CpuSharedBytesOptin = 227 << 10;

cudaDeviceProp cpuDeviceProperties(int Device, size_t MemoryBytes);

/// Returns cudaErrorInvalidValue for an attribute that does not exist.
cudaError_t cpuDeviceAttribute(const cudaDeviceProp &Properties,
                               cudaDeviceAttr Attribute, int &Out);

/// Returns the number of blocks that fit on a multiprocessor at one time.
int cpuOccupancy(int BlockThreads, size_t SharedBytes);

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_BACKEND_CPU_CPUPROPERTIES_H
