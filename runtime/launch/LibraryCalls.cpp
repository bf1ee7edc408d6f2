//===- LibraryCalls.cpp - Calls of libraries that launch kernels ----------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A descriptor that no compiler made, as constant data. Its ranges are unknown,
// so that each allocation counts as read in full.
//
//===----------------------------------------------------------------------===//

#include "runtime/launch/LibraryCalls.h"
#include <array>
#include <cstddef>
#include <utility>

namespace gridspan {

template <size_t... I>
static constexpr auto makeParams(std::index_sequence<I...>) {
  return std::array<GridspanParam, sizeof...(I)>{
      GridspanParam{I * sizeof(void *), sizeof(void *)}...};
}

template <size_t... I>
static constexpr auto makePointers(std::index_sequence<I...>) {
  return std::array<GridspanPointer, sizeof...(I)>{
      GridspanPointer{I, 0, GridspanRead, 0}...};
}

/// Makes accesses of whole sectors: libraries read memory in its order.
template <size_t... I>
static constexpr auto makeAccesses(std::index_sequence<I...>) {
  return std::array<GridspanAccess, sizeof...(I)>{
      GridspanAccess{"", nullptr, I, GridspanRead, 32, I}...};
}

using Indices = std::make_index_sequence<NumLibraryPointers>;
static constexpr auto Params = makeParams(Indices());
static constexpr auto Pointers = makePointers(Indices());
static constexpr auto Accesses = makeAccesses(Indices());

static void everything(const GridspanBox *, GridspanRange *Out) {
  for (unsigned I = 0; I < NumLibraryPointers; ++I) {
    Out[I] = {};
    Out[I].State = GridspanRangeUnknown;
  }
}

static const char Stub = 0;

constinit const GridspanKernel LibraryKernel = [] {
  GridspanKernel K = {};
  K.HostStub = &Stub;
  K.Name = "library";
  K.Refusal = "library";
  K.Params = Params.data();
  K.Pointers = Pointers.data();
  K.Accesses = Accesses.data();
  K.Ranges = everything;
  K.NumParams = K.NumPointers = K.NumAccesses = NumLibraryPointers;
  return K;
}();

} // namespace gridspan
