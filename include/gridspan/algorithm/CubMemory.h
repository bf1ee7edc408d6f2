//===- CubMemory.h - Temporary storage of CUB's functions ----- -*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// CUB's functions want memory beside their operands. A primitive that calls one
// again and again keeps it in between: to allocate or to free it would have
// launches run that wait, and end a chain of them. The calls themselves are
// members of the chain.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ALGORITHM_CUBMEMORY_H
#define GRIDSPAN_ALGORITHM_CUBMEMORY_H

#include "gridspan/algorithm/Memory.h"
#include <algorithm>

namespace gridspan::detail {

class CubMemory {
public:
  CubMemory() = default;
  CubMemory(const CubMemory &) = delete;
  CubMemory &operator=(const CubMemory &) = delete;
  ~CubMemory() { release(); }

  /// Memory that a function works on.
  struct Range {
    void *Begin;
    size_t Bytes;
  };

  /// Calls Sort(null, bytes), which sets the bytes that it wants, and then
  /// Sort(memory, its bytes), which uses it in the order of Stream: that of all
  /// calls.
  template <typename Function>
  cudaError_t call(const Function &Sort, cudaStream_t Stream) {
    if (cudaError_t Error = reserveFor(Sort, Stream))
      return Error;
    size_t Has = Bytes;
    return Sort(Memory, Has);
  }

  /// The same for what uses nothing else but Both, so that it may be a member
  /// of a chain.
  template <typename Function>
  cudaError_t callOn(const Range (&Both)[2], const Function &Sort,
                     cudaStream_t Stream) {
    if (cudaError_t Error = reserveFor(Sort, Stream))
      return Error;
    GridspanOperand All[3] = {};
    const Range Ranges[] = {Both[0], Both[1], {Memory, Bytes}};
    for (unsigned I = 0; I < 3; ++I) {
      All[I].Address = Ranges[I].Begin;
      All[I].Bytes = Ranges[I].Bytes;
    }
    if (cudaError_t Error = __gridspan_begin_group(All, 3, Stream))
      return Error;
    size_t Has = Bytes;
    const cudaError_t Error = Sort(Memory, Has);
    const cudaError_t Ending = __gridspan_end_group();
    return Error ? Error : Ending;
  }

  /// Has so many bytes at least, in the order of a stream.
  cudaError_t reserve(size_t Wanted, cudaStream_t Of) {
    Wanted = std::max<size_t>(Wanted, 1);
    if (Wanted <= Bytes)
      return cudaSuccess;
    release();
    Stream = Of;
    if (cudaError_t Error = cudaMallocAsync(&Memory, Wanted, Stream))
      return Error;
    Bytes = Wanted;
    return cudaSuccess;
  }

private:
  template <typename Function>
  cudaError_t reserveFor(const Function &Sort, cudaStream_t Of) {
    size_t Wanted = 0;
    if (cudaError_t Error = Sort(nullptr, Wanted))
      return Error;
    return reserve(Wanted, Of);
  }

  void release() {
    if (Bytes)
      (void)cudaFreeAsync(Memory, Stream);
    Bytes = 0;
  }

  void *Memory = nullptr;
  size_t Bytes = 0; ///< 0: there is no memory
  cudaStream_t Stream = nullptr;
};

} // namespace gridspan::detail

#endif // GRIDSPAN_ALGORITHM_CUBMEMORY_H
