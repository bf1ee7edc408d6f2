//===- HostMemoryOps.h - Work of the processors on large memory -*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Anonymous memory of the host, and copies and fills of it by several threads.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_SUPPORT_HOSTMEMORYOPS_H
#define GRIDSPAN_RUNTIME_SUPPORT_HOSTMEMORYOPS_H

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

namespace gridspan {

/// The system's smallest page.
inline constexpr size_t HostPage = 4096;

/// Addresses of memory that exists from the first touch on, in huge pages where
/// there are some; null when there are none. Bytes is a multiple of the page
/// size.
void *reserveHostMemory(size_t Bytes);
void releaseHostMemory(void *Address, size_t Bytes);

/// Has the pages exist that were not touched yet; what is there stays. Others
/// may write there meanwhile.
void makeHostPages(void *Address, size_t Bytes);

/// Sets how many threads inParallel() uses from now on, in this process;
/// nothing: as many as are of use. 0 and 1: the calling thread only.
void limitHostThreads(std::optional<unsigned> Most);

/// Returns the number of threads that inParallel() uses for large work.
unsigned hostThreads();

/// Calls Work(0) ... Work(Count - 1), by several threads when the Bytes that
/// they work on together are worth it (ParallelFor.h). After an exception of
/// one, which is thrown again, others may not be called.
void inParallel(size_t Count, uint64_t Bytes,
                const std::function<void(size_t)> &Work);

/// Copies or fills as std::memcpy and std::memset do. Large ranges bypass the
/// cache.
void copyHostBytes(void *Dst, const void *Src, size_t Bytes);
void fillHostBytes(void *Dst, int Byte, size_t Bytes);

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_SUPPORT_HOSTMEMORYOPS_H
