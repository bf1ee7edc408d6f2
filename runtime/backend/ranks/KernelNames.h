//===- KernelNames.h - Kernels by their place in the program ----*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ranks run the same executable, so that a kernel of it is named by the number
// of its module in the order of registration, its place there, and which of its
// descriptors is meant. A checksum of the module tells whether both ranks mean
// the same one. A module of a library is named by its place in the file: ranks
// load libraries at any time.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_BACKEND_RANKS_KERNELNAMES_H
#define GRIDSPAN_RUNTIME_BACKEND_RANKS_KERNELNAMES_H

#include "gridspan/ABI.h"
#include "runtime/backend/ranks/LoadedFiles.h"
#include <optional>

namespace gridspan::ranks {

enum class KernelVariant : uint32_t { Own, Packed, Recording };

struct KernelName {
  uint32_t Module = 0;
  uint64_t Checksum = 0;
  uint32_t Index = 0;
  KernelVariant Variant = KernelVariant::Own;
  FilePlace Library; ///< of the module; no file: Module is its number
};

/// Returns nothing for a kernel of a module that is not registered.
std::optional<KernelName> nameOf(const GridspanKernel *Kernel);

/// Returns null if this process has not got the kernel, with a Message if there
/// is more to say. Loads its library if need be.
const GridspanKernel *findKernel(const KernelName &Name,
                                 const LoadLibrary &Around,
                                 std::string &Message);

/// Returns the bytes of the arguments, each at its offset.
uint64_t argumentBytes(const GridspanKernel &Kernel);

} // namespace gridspan::ranks

#endif // GRIDSPAN_RUNTIME_BACKEND_RANKS_KERNELNAMES_H
