//===- Call.h - A call of CUB on its way to a primitive ------- -*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All of CUB's functions, and most of Thrust's, end in a structure of CUB whose
// last parameters are the policies that it is tuned by. Each header here has a
// partial specialization for the policies that CUB chooses. It asks the runtime
// where the data are, and calls a primitive or the structure itself, with
// Untouched policies: these are CUB's own ones under another name, so that the
// kernels are the very same, by name and code. A program that has chosen
// policies gets what it has chosen.
//
// The first of CUB's two calls, for the size of the temporary storage, always
// is CUB's: what it says does not depend on where data are. A primitive has
// work space of its own.
//
// Clang calls the functions of the host that are here from CUB's, which are
// the host's too: kernels cannot launch kernels.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_CALLS_CALL_H
#define GRIDSPAN_CALLS_CALL_H

#include "gridspan/algorithm/Callable.h"
#include "gridspan/algorithm/Memory.h"
#include "gridspan/calls/TakenCalls.h"
#include <cstring>

namespace gridspan::calls {

using detail::Callable;
using detail::Index;
using detail::IsContiguous;

/// The memory that iterators lead to: of other ones than pointers, whatever
/// their bytes may be an address of.
class MemoryList {
public:
  template <typename Iterator> void add(const Iterator &It, Index Count) {
    if constexpr (IsContiguous<Iterator>) {
      if (Count > 0)
        append(detail::addressOf(It),
               static_cast<uint64_t>(Count) * sizeof(*detail::addressOf(It)));
    } else {
      const char *const Bytes = reinterpret_cast<const char *>(&It);
      // Padding has no value, on which nothing may depend. What this leaves
      // has one, as far as the compiler knows.
      __asm__ volatile("" : : "r"(Bytes) : "memory");
      for (size_t At = 0; At + sizeof(void *) <= sizeof(It);
           At += sizeof(void *)) {
        const void *Address = nullptr;
        std::memcpy(&Address, Bytes + At, sizeof Address);
        if (Address)
          append(Address, 0);
      }
    }
  }

  /// Adds what an iterator leads to if nobody knows how much it is.
  template <typename Iterator> void addAll(const Iterator &It) {
    if constexpr (IsContiguous<Iterator>)
      append(detail::addressOf(It), 0);
    else
      add(It, 0);
  }

  bool isTaken(const char *Function, GridspanCallReason WhyNot,
               cudaStream_t Stream) const {
#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM
    if (!Stream)
      Stream = cudaStreamPerThread;
#endif
    return __gridspan_takes_call(Function, WhyNot, List, Used, Stream) != 0;
  }

private:
  void append(const void *Address, uint64_t Bytes) {
    if (Used != sizeof List / sizeof List[0])
      List[Used++] = {Address, Bytes};
  }

  GridspanCallMemory List[32];
  unsigned Used = 0;
};

/// Returns why elements in memory cannot be those of a primitive.
template <typename T> constexpr GridspanCallReason whyNotElement() {
  if constexpr (std::is_void_v<T>)
    return GridspanCallTaken;
  else if constexpr (!std::is_trivially_copyable_v<T>)
    return GridspanCallElementNotTrivial;
  else
    return GridspanCallTaken;
}

/// The same for those that blocks have in shared memory, with Beside bytes
/// each. They are copied one by one.
template <typename T, size_t Beside = 0>
constexpr GridspanCallReason whyNotInTile() {
  if constexpr (!std::is_trivially_copy_constructible_v<T> ||
                !std::is_trivially_destructible_v<T>)
    return GridspanCallElementNotTrivial;
  else if constexpr (sizeof(T) + Beside > 512)
    return GridspanCallElementTooLarge;
  else
    return GridspanCallTaken;
}

/// The same for what an iterator leads to, if it leads to memory.
template <typename Iterator> constexpr GridspanCallReason whyNotIn() {
  if constexpr (IsContiguous<Iterator>)
    return whyNotElement<
        std::remove_cv_t<std::remove_pointer_t<detail::OnDevices<Iterator>>>>();
  else
    return GridspanCallTaken;
}

/// Returns the first reason, if there is one.
template <typename... Reasons>
constexpr GridspanCallReason firstOf(Reasons... Of) {
  GridspanCallReason First = GridspanCallTaken;
  ((First = First ? First : Of), ...);
  return First;
}

/// Returns true if CUB would have taken the temporary storage:
/// AskCub(nullptr, bytes) asks it for the size. Where it would not, it is to
/// say so itself.
template <typename Function> bool isRoomEnough(size_t Given, Function AskCub) {
  size_t Needed = 0;
  return AskCub(nullptr, Needed) == cudaSuccess && Given >= Needed;
}

} // namespace gridspan::calls

#endif // GRIDSPAN_CALLS_CALL_H
