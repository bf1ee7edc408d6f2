//===- KernelNames.h - Kernels by their place in the program ----*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ranks run the same executable, so that a kernel is named by the number of its
// module in the order of registration, its place there, and which of its
// descriptors is meant. A checksum of the module tells whether both ranks mean
// the same one.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_BACKEND_RANKS_KERNELNAMES_H
#define GRIDSPAN_RUNTIME_BACKEND_RANKS_KERNELNAMES_H

#include "gridspan/ABI.h"
#include <optional>

namespace gridspan::ranks {

enum class KernelVariant : uint32_t { Own, Packed, Recording };

struct KernelName {
  uint32_t Module = 0;
  uint64_t Checksum = 0;
  uint32_t Index = 0;
  KernelVariant Variant = KernelVariant::Own;
};

/// Returns nothing for a kernel of a module that is not registered.
std::optional<KernelName> nameOf(const GridspanKernel *Kernel);

/// Returns null if this process has not got the kernel.
const GridspanKernel *findKernel(const KernelName &Name);

/// Returns the bytes of the arguments, each at its offset.
uint64_t argumentBytes(const GridspanKernel &Kernel);

} // namespace gridspan::ranks

#endif // GRIDSPAN_RUNTIME_BACKEND_RANKS_KERNELNAMES_H
