//===- HostMemory.h - How much memory the host has --------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_BACKEND_CUDA_HOSTMEMORY_H
#define GRIDSPAN_RUNTIME_BACKEND_CUDA_HOSTMEMORY_H

#include <cstddef>
#include <string>

namespace gridspan::cuda {

/// What this process may still take, and what there is. A limit of the control
/// group counts; so does memory that a virtual machine grows on demand. Root is
/// in front of the system's files.
void hostMemoryInfo(size_t &Free, size_t &Total, const std::string &Root = "");

} // namespace gridspan::cuda

#endif // GRIDSPAN_RUNTIME_BACKEND_CUDA_HOSTMEMORY_H
