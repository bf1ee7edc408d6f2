//===- Memory.h - The memory that a primitive works on -------- -*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds the memory behind iterators and makes it one that kernels may use, for
// the time of a primitive.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ALGORITHM_MEMORY_H
#define GRIDSPAN_ALGORITHM_MEMORY_H

#include "gridspan/algorithm/Operands.h"
#include <cstddef>
#include <iterator>
#include <thrust/detail/raw_pointer_cast.h>
#include <thrust/type_traits/is_contiguous_iterator.h>
#include <type_traits>
#include <utility>

namespace gridspan::detail {

/// Numbers of elements and of blocks.
using Index = long long;

template <typename Iterator>
using ValueOf =
    std::remove_cv_t<typename std::iterator_traits<Iterator>::value_type>;

template <typename Iterator>
inline constexpr bool IsContiguous =
    std::is_pointer_v<Iterator> || thrust::is_contiguous_iterator_v<Iterator>;

/// Returns the address of the element that the iterator leads to.
template <typename Iterator> auto *addressOf(Iterator It) {
  if constexpr (std::is_pointer_v<Iterator>)
    return It;
  else
    return thrust::raw_pointer_cast(&*It);
}

/// What kernels use in the place of an iterator: a pointer, if it leads to
/// memory, else the iterator itself.
template <typename Iterator, bool = IsContiguous<Iterator>> struct ForKernels {
  using Type = Iterator;
};
template <typename Iterator> struct ForKernels<Iterator, true> {
  using Type = decltype(addressOf(std::declval<Iterator>()));
};
template <typename Iterator>
using OnDevices = typename ForKernels<Iterator>::Type;

/// Operands of one primitive, at most Most. Usage: add() each, borrow(), use
/// what at() returns, giveBack().
template <unsigned Most> class Operands {
public:
  explicit Operands(cudaStream_t Stream) : Stream(Stream) {}
  Operands(const Operands &) = delete;
  Operands &operator=(const Operands &) = delete;
  ~Operands() { (void)giveBack(cudaSuccess); }

  /// Adds Elements elements, and returns their number.
  template <typename Iterator>
  unsigned add(Iterator First, Index Elements, GridspanOperandUse Use) {
    GridspanOperand &O = List[Count];
    O = {};
    if constexpr (IsContiguous<Iterator>)
      if (Elements) {
        using Value = std::remove_pointer_t<OnDevices<Iterator>>;
        static_assert(std::is_trivially_copyable_v<Value>,
                      "elements are copied between devices byte by byte");
        O.Address = const_cast<std::remove_cv_t<Value> *>(addressOf(First));
        O.Bytes = static_cast<uint64_t>(Elements) * sizeof(Value);
        O.Use = Use;
      }
    return Count++;
  }

  cudaError_t borrow() {
    const cudaError_t Error = __gridspan_borrow(List, Count, Stream);
    IsBorrowed = !Error;
    return Error;
  }

  /// Returns what kernels use in the place of the iterator that was added
  /// with that number.
  template <typename Iterator>
  OnDevices<Iterator> at(unsigned Number, Iterator First) const {
    if constexpr (IsContiguous<Iterator>)
      return static_cast<OnDevices<Iterator>>(List[Number].OnDevice);
    else
      return First;
  }

  /// Returns the bytes of the pieces in which the operands come to devices; 0
  /// if all are there.
  uint64_t frameBytes() const {
    uint64_t Bytes = 0;
    for (unsigned I = 0; I != Count; ++I)
      if (List[I].FrameBytes)
        Bytes = List[I].FrameBytes;
    return Bytes;
  }

  /// Returns Error, or else the one that came up meanwhile.
  cudaError_t giveBack(cudaError_t Error) {
    if (!std::exchange(IsBorrowed, false))
      return Error;
    const cudaError_t Saving = __gridspan_give_back(List, Count, Stream);
    return Error ? Error : Saving;
  }

private:
  GridspanOperand List[Most] = {};
  unsigned Count = 0;
  bool IsBorrowed = false;
  const cudaStream_t Stream;
};

/// Memory of devices for intermediate results, in the order of a stream.
template <typename T> class WorkSpace {
public:
  explicit WorkSpace(cudaStream_t Stream) : Stream(Stream) {}
  WorkSpace(const WorkSpace &) = delete;
  WorkSpace &operator=(const WorkSpace &) = delete;
  ~WorkSpace() {
    if (Memory)
      (void)cudaFreeAsync(Memory, Stream);
  }

  cudaError_t allocate(Index Elements) {
    return cudaMallocAsync(&Memory, static_cast<size_t>(Elements) * sizeof(T),
                           Stream);
  }
  T *get() const { return static_cast<T *>(Memory); }

private:
  void *Memory = nullptr;
  const cudaStream_t Stream;
};

/// Launches a kernel with Blocks blocks of Threads threads.
template <typename... Parameters, typename... Arguments>
cudaError_t launch(void (*Kernel)(Parameters...), Index Blocks,
                   unsigned Threads, cudaStream_t Stream, Arguments... Values) {
  // As the kernel has them.
  return [&](Parameters... Converted) {
    void *Addresses[] = {
        const_cast<void *>(static_cast<const void *>(&Converted))...};
    return cudaLaunchKernel(reinterpret_cast<const void *>(Kernel),
                            dim3(static_cast<unsigned>(Blocks)), dim3(Threads),
                            Addresses, 0, Stream);
  }(Values...);
}

inline Index blocksFor(Index Elements, Index PerBlock) {
  return (Elements + PerBlock - 1) / PerBlock;
}

inline constexpr unsigned CopyThreads = 256;

template <typename T>
__global__ void __launch_bounds__(CopyThreads)
    copyTo(const T *From, T *To, Index Elements) {
  const Index I = Index(blockIdx.x) * blockDim.x + threadIdx.x;
  if (I < Elements)
    To[I] = From[I];
}

} // namespace gridspan::detail

#endif // GRIDSPAN_ALGORITHM_MEMORY_H
