//===- Memory.h - The memory that a primitive works on -------- -*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds the memory behind iterators and makes it one that kernels may use, for
// the time of a primitive (withMemory).
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

/// Returns the same, for memory that kernels may use as it is.
template <typename Iterator> OnDevices<Iterator> asIs(Iterator It) {
  if constexpr (IsContiguous<Iterator>)
    return addressOf(It);
  else
    return It;
}

/// An operand of a primitive: Count elements from First on.
template <typename Iterator> struct Operand {
  Iterator First;
  Index Count;
  GridspanOperandUse Use;

  GridspanOperand described() const {
    GridspanOperand O = {};
    if constexpr (IsContiguous<Iterator>)
      if (Count > 0) {
        using Value = std::remove_pointer_t<OnDevices<Iterator>>;
        static_assert(std::is_trivially_copyable_v<Value>,
                      "elements are copied between devices byte by byte");
        O.Address = const_cast<std::remove_cv_t<Value> *>(addressOf(First));
        O.Bytes = static_cast<uint64_t>(Count) * sizeof(Value);
        O.Use = Use;
      }
    return O;
  }

  /// Returns what kernels use in the place of the iterator.
  OnDevices<Iterator> at(const GridspanOperand &O) const {
    if constexpr (IsContiguous<Iterator>)
      return static_cast<OnDevices<Iterator>>(O.OnDevice);
    else
      return First;
  }
};

template <typename Iterator>
Operand<Iterator> reads(Iterator First, Index Count) {
  return {First, Count, GridspanOperandReads};
}
template <typename Iterator>
Operand<Iterator> writes(Iterator First, Index Count) {
  return {First, Count, GridspanOperandWrites};
}
template <typename Iterator>
Operand<Iterator> overwrites(Iterator First, Index Count) {
  return {First, Count, GridspanOperandOverwrites};
}

/// The pieces in which an array comes to devices: Elements elements each, but
/// for the first one, of which Before are before the array. 0: it is there, or
/// comes in pieces that end within elements.
struct FrameGrid {
  Index Elements = 0, Before = 0;
};

/// The bytes of the pieces in which each operand comes to devices, 0 of those
/// that are there, and how many of the first one are before it.
template <size_t Count> struct Residence {
  uint64_t FrameBytes[Count] = {};
  uint64_t FrameOffset[Count] = {};

  /// Returns that of the last operands, with elements of these types, if it is
  /// the same of all of them. Of elements of two sizes it is not.
  template <typename... Ts> FrameGrid gridOfLast() const {
    static_assert(sizeof...(Ts) <= Count, "there are not so many operands");
    FrameGrid Out;
    size_t I = Count - sizeof...(Ts);
    for (const size_t Size : {sizeof(Ts)...}) {
      const FrameGrid This = {static_cast<Index>(FrameBytes[I] / Size),
                              static_cast<Index>(FrameOffset[I] / Size)};
      if (FrameBytes[I] % Size || FrameOffset[I] % Size)
        return {};
      if (I != Count - sizeof...(Ts) &&
          (This.Elements != Out.Elements || This.Before != Out.Before))
        return {};
      Out = This;
      ++I;
    }
    return Out;
  }

  /// Returns where the work is if what makes use of several devices' links
  /// takes more passes over the data: on one device, if they stream.
  int oneDevice() const { return frameBytes() ? 0 : GridspanAnyDevice; }

  /// Returns those of the operand that has the largest.
  uint64_t frameBytes() const {
    uint64_t Most = 0;
    for (uint64_t Bytes : FrameBytes)
      Most = Bytes > Most ? Bytes : Most;
    return Most;
  }
};

template <typename Work, typename... Iterators, size_t... I>
cudaError_t withMemory(cudaStream_t Stream, const Work &Do,
                       std::index_sequence<I...>,
                       const Operand<Iterators> &...Of) {
  constexpr unsigned Count = sizeof...(Of);
  GridspanOperand List[] = {Of.described()...};
  if (cudaError_t Error = __gridspan_borrow(List, Count, Stream))
    return Error;
  const Residence<Count> Where = {{List[I].FrameBytes...},
                                  {List[I].FrameOffset...}};
  const cudaError_t Error = Do(Where, Of.at(List[I])...);
  const cudaError_t Saving = __gridspan_give_back(List, Count, Stream);
  return Error ? Error : Saving;
}

/// Calls Do(residence, what kernels use in the place of each operand) and ends
/// with the operands up to date. What Do makes in the stream, such as work
/// space, goes before that. Returns the first error.
template <typename Work, typename... Iterators>
cudaError_t withMemory(cudaStream_t Stream, const Work &Do,
                       const Operand<Iterators> &...Of) {
  return withMemory(Stream, Do, std::index_sequence_for<Iterators...>(), Of...);
}

/// Has launches and new work space be on a device while it lives
/// (__gridspan_choose_device); GridspanAnyDevice: as before.
class OnDevice {
public:
  explicit OnDevice(int Device) : Before(__gridspan_choose_device(Device)) {
    if (Device == GridspanAnyDevice)
      (void)__gridspan_choose_device(Before);
  }
  OnDevice(const OnDevice &) = delete;
  OnDevice &operator=(const OnDevice &) = delete;
  ~OnDevice() { (void)__gridspan_choose_device(Before); }

private:
  const int Before;
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
    if (Elements == 0)
      return cudaSuccess;
    return cudaMallocAsync(&Memory, static_cast<size_t>(Elements) * sizeof(T),
                           Stream);
  }
  T *get() const { return static_cast<T *>(Memory); }

  /// Exchanges the memory of two work spaces of one stream.
  void swap(WorkSpace &Other) { std::swap(Memory, Other.Memory); }

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

inline constexpr unsigned ElementThreads = 256;

/// Launches a kernel with a thread for each element.
template <typename... Parameters, typename... Arguments>
cudaError_t launchForEach(void (*Kernel)(Parameters...), Index Elements,
                          cudaStream_t Stream, Arguments... Values) {
  return launch(Kernel, blocksFor(Elements, ElementThreads), ElementThreads,
                Stream, Values...);
}

template <typename T, typename Output>
__global__ void __launch_bounds__(ElementThreads)
    copyElements(const T *From, Output To, Index Elements) {
  const Index I = Index(blockIdx.x) * blockDim.x + threadIdx.x;
  if (I < Elements)
    To[I] = From[I];
}

/// Copies between any memory that kernels use.
template <typename T, typename Output>
cudaError_t copyOnDevices(const T *From, Output To, Index Elements,
                          cudaStream_t Stream) {
  if (Elements == 0)
    return cudaSuccess;
  return launchForEach(copyElements<T, Output>, Elements, Stream, From, To,
                       Elements);
}

} // namespace gridspan::detail

#endif // GRIDSPAN_ALGORITHM_MEMORY_H
