//===- OperationLegality.h - Fills and copies that may wait -----*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Decides which fills and copies may wait among launches on memory larger than
// the devices (MemoryOperation.h): those of memory that the program cannot look
// at when the call returns, whose parts may run in any order.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_OUTOFCORE_OPERATIONLEGALITY_H
#define GRIDSPAN_RUNTIME_OUTOFCORE_OPERATIONLEGALITY_H

#include "runtime/memory/MemoryManager.h"
#include "runtime/outofcore/MemoryOperation.h"
#include "runtime/support/LaunchReasons.h"

namespace gridspan {

/// The memory of which a call does not wait for its fills and copies.
enum class NoWaitFor {
  DeviceMemory, ///< none that the host may touch
  AnyMemory,    ///< managed memory as well
};

/// Returns true if the bytes at an address of the allocation are all its own.
bool isWithin(const Allocation &A, const void *Address, size_t Bytes);
/// Returns true if the bytes at the address are memory that only devices may
/// touch, all of one allocation.
bool isDeviceOnly(MemoryManager &Memory, const void *Address, size_t Bytes = 0);

/// Returns why the fill, or the copy, cannot wait among launches; None if it
/// may. Src is null for a fill. DoesNotPay: it does not concern launches.
LaunchReason whyNoOperation(MemoryManager &Memory,
                            const MemoryOperation::End &Dst,
                            const MemoryOperation::End *Src,
                            const MemoryOperation::Extent &E, NoWaitFor Which);

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_OUTOFCORE_OPERATIONLEGALITY_H
