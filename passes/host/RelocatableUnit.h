//===- RelocatableUnit.h - The host side of -rdc ----------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Leaves in a relocatable object what the device link needs of its host side
// (passes/common/DeviceUnit.h).
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_PASSES_HOST_RELOCATABLEUNIT_H
#define GRIDSPAN_PASSES_HOST_RELOCATABLEUNIT_H

namespace llvm {
class Module;
} // namespace llvm

namespace gridspan {

/// Replaces clang's offloading entries by the description of a device unit, and
/// makes M need its marker. Returns false, without a change, if M has no device
/// code to be linked.
bool describeRelocatableUnit(llvm::Module &M);

} // namespace gridspan

#endif // GRIDSPAN_PASSES_HOST_RELOCATABLEUNIT_H
