//===- Reduction.cpp - Combining partial results on the host --------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One instance of each loop for each row of the table. Elements are combined by
// compare-and-swap of their bits, since kernels of other streams may have
// atomics on the same memory at the same time.
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/Reduction.h"
#include <atomic>
#include <bit>
#include <cstring>
#include <type_traits>

namespace gridspan {

namespace {

template <GridspanReduction Kind> struct Operation;

#define GRIDSPAN_REDUCTION(Kind, Name, Element, Neutral, Combined)             \
  template <> struct Operation<GridspanReduction::Kind> {                      \
    using Type = Element;                                                      \
    static constexpr Type Identity = Neutral;                                  \
    static Type combine(Type A, Type B) { return Combined; }                   \
  };
#include "gridspan/Reductions.def"

template <typename T>
using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;

} // namespace

/// Calls Fn with the operation's traits; returns Default for None.
template <typename Result, typename Function>
static Result dispatch(GridspanReduction Kind, Result Default, Function Fn) {
  switch (Kind) {
#define GRIDSPAN_REDUCTION(Kind, Name, Type, Identity, Combined)               \
  case GridspanReduction::Kind:                                                \
    return Fn(Operation<GridspanReduction::Kind>());
#include "gridspan/Reductions.def"
  case GridspanReduction::None:
    break;
  }
  return Default;
}

unsigned elementBytes(GridspanReduction Kind) {
  return dispatch(Kind, 0U, []<typename Op>(Op) {
    return static_cast<unsigned>(sizeof(typename Op::Type));
  });
}

bool isRounding(GridspanReduction Kind) {
  return dispatch(Kind, false, []<typename Op>(Op) {
    return std::is_floating_point_v<typename Op::Type>;
  });
}

uint64_t identityOf(GridspanReduction Kind) {
  return dispatch(Kind, uint64_t(0), []<typename Op>(Op) {
    return uint64_t(std::bit_cast<Bits<typename Op::Type>>(Op::Identity));
  });
}

void fillIdentityOnHost(GridspanReduction Kind, void *Out, uint64_t Count) {
  const uint64_t Identity = identityOf(Kind);
  const unsigned Bytes = elementBytes(Kind);
  for (uint64_t I = 0; I != Count; ++I)
    std::memcpy(static_cast<std::byte *>(Out) + I * Bytes, &Identity, Bytes);
}

void combineOnHost(GridspanReduction Kind, void *Into, const void *From,
                   uint64_t Count) {
  dispatch(Kind, false, [&]<typename Op>(Op) {
    using Type = typename Op::Type;
    using Word = Bits<Type>;
    auto *To = static_cast<Word *>(Into);
    const auto *Part = static_cast<const Word *>(From);
    for (uint64_t I = 0; I != Count; ++I) {
      if (Part[I] == std::bit_cast<Word>(Op::Identity))
        continue;
      const std::atomic_ref<Word> Element(To[I]);
      Word Old = Element.load(std::memory_order_relaxed);
      while (!Element.compare_exchange_weak(
          Old,
          std::bit_cast<Word>(Op::combine(std::bit_cast<Type>(Old),
                                          std::bit_cast<Type>(Part[I]))),
          std::memory_order_relaxed)) {
      }
    }
    return true;
  });
}

} // namespace gridspan
