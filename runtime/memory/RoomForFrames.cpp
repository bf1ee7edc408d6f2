//===- RoomForFrames.cpp - Which allocations leave for frames -------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The shortest prefix of the candidates by age that is enough, without those of
// it that the later ones make unnecessary: the most recently used of these stay
// first. To make an allocation paged takes as long as to copy it.
//
//===----------------------------------------------------------------------===//

#include "runtime/memory/RoomForFrames.h"
#include <algorithm>
#include <numeric>
#include <tuple>

namespace gridspan {

std::vector<size_t> leavingForFrames(const std::vector<RoomCandidate> &Of,
                                     uint64_t Lacking) {
  std::vector<size_t> Order(Of.size());
  std::iota(Order.begin(), Order.end(), size_t(0));
  std::erase_if(Order, [&](size_t I) { return Of[I].Bytes == 0; });
  const auto Key = [&](size_t I) {
    return std::tuple(Of[I].LastUse, ~Of[I].Bytes, I);
  };
  std::sort(Order.begin(), Order.end(),
            [&](size_t L, size_t R) { return Key(L) < Key(R); });
  uint64_t Room = 0;
  size_t Count = 0;
  for (; Count < Order.size() && Room < Lacking; ++Count)
    Room += Of[Order[Count]].Bytes;
  Order.resize(Count);
  for (size_t I = Order.size(); I-- > 0;)
    if (const uint64_t Bytes = Of[Order[I]].Bytes;
        Room >= Lacking && Room - Lacking >= Bytes) {
      Room -= Bytes;
      Order.erase(Order.begin() + static_cast<ptrdiff_t>(I));
    }
  return Order;
}

} // namespace gridspan
