//===- OperationLegality.cpp - Fills and copies that may wait -------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The host may look at its own memory as soon as a synchronous call returns,
// and CUDA lets it write the source of an asynchronous copy of pageable memory
// then. Neither holds for memory of devices, which it sees by later calls only.
//
//===----------------------------------------------------------------------===//

#include "runtime/outofcore/OperationLegality.h"

namespace gridspan {

/// The most rows, and planes: blocks are numbered by 32 bits.
static constexpr uint64_t MostRows = UINT32_MAX;

bool isWithin(const Allocation &A, const void *Address, size_t Bytes) {
  return Bytes <=
         A.bytes() - static_cast<size_t>(
                         static_cast<const std::byte *>(Address) - A.base());
}

bool isDeviceOnly(MemoryManager &Memory, const void *Address, size_t Bytes) {
  const std::shared_ptr<Allocation> A = Memory.find(Address);
  return A && A->kind() != AllocationKind::Managed &&
         isWithin(*A, Address, Bytes);
}

/// Returns true if the bytes are of one allocation of which the call does not
/// wait for fills and copies.
static bool isNotWaitedFor(MemoryManager &Memory,
                           const MemoryOperation::End &At,
                           const MemoryOperation::Extent &E, NoWaitFor Which) {
  if (Which == NoWaitFor::DeviceMemory)
    return isDeviceOnly(Memory, At.At, At.span(E));
  const std::shared_ptr<Allocation> A = Memory.find(At.At);
  return A && isWithin(*A, At.At, At.span(E));
}

LaunchReason whyNoOperation(MemoryManager &Memory,
                            const MemoryOperation::End &Dst,
                            const MemoryOperation::End *Src,
                            const MemoryOperation::Extent &E, NoWaitFor Which) {
  if (!Memory.pager().any() || !E.bytes() || E.Height > MostRows ||
      E.Depth > MostRows || !isNotWaitedFor(Memory, Dst, E, Which) ||
      (Src && !isNotWaitedFor(Memory, *Src, E, Which)))
    return LaunchReason::DoesNotPay;
  if (!MemoryOperation::isSound(Dst, E) ||
      (Src && (!MemoryOperation::isSound(*Src, E) ||
               !MemoryOperation::areApart(Dst, *Src, E))))
    return LaunchReason::RowsOverlap;
  return LaunchReason::None;
}

} // namespace gridspan
