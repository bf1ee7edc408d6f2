//===- HostMemory.h - Free and total memory of the host ---------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The host's memory as this process may use it.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_BACKEND_CUDA_HOSTMEMORY_H
#define GRIDSPAN_RUNTIME_BACKEND_CUDA_HOSTMEMORY_H

#include <cstddef>
#include <string>

namespace gridspan::cuda {

/// Sets the bytes that this process may still take, and all there are. A limit
/// of the control group counts; so does memory that a virtual machine grows on
/// demand. Root is put in front of the system's file names.
void hostMemoryInfo(size_t &Free, size_t &Total, const std::string &Root = "");

} // namespace gridspan::cuda

#endif // GRIDSPAN_RUNTIME_BACKEND_CUDA_HOSTMEMORY_H
