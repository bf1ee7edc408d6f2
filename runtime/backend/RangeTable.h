//===- RangeTable.h - Ranges of addresses and what they are -----*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Disjoint ranges of addresses, each with a value, found by an address in them.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_BACKEND_RANGETABLE_H
#define GRIDSPAN_RUNTIME_BACKEND_RANGETABLE_H

#include <cstdint>
#include <map>

namespace gridspan {

template <typename Value> class RangeTable {
public:
  struct Range {
    uint64_t End;
    Value What;
  };

  /// Replaces whatever is there.
  void set(uint64_t Address, uint64_t Bytes, Value What) {
    erase(Address, Bytes);
    Ranges.emplace(Address, Range{Address + Bytes, std::move(What)});
  }

  void erase(uint64_t Address, uint64_t Bytes) {
    const uint64_t End = Address + Bytes;
    auto It = Ranges.upper_bound(Address);
    if (It != Ranges.begin() && std::prev(It)->second.End > Address)
      --It;
    while (It != Ranges.end() && It->first < End) {
      const uint64_t Lo = It->first;
      const Range Old = It->second;
      It = Ranges.erase(It);
      if (Lo < Address)
        Ranges.emplace(Lo, Range{Address, Old.What});
      if (Old.End > End)
        It = Ranges.emplace(End, Old).first;
    }
  }

  /// Returns what is at Address; null if nothing is.
  const Value *find(uint64_t Address) const {
    auto It = Ranges.upper_bound(Address);
    if (It == Ranges.begin() || std::prev(It)->second.End <= Address)
      return nullptr;
    return &std::prev(It)->second.What;
  }

  /// Returns where the range that Address is in ends, or where the next one
  /// begins; Most if there is none.
  uint64_t endOf(uint64_t Address, uint64_t Most) const {
    auto It = Ranges.upper_bound(Address);
    if (It != Ranges.begin() && std::prev(It)->second.End > Address)
      return std::prev(It)->second.End;
    return It == Ranges.end() ? Most : It->first;
  }

  /// Returns true if there is something at each of these addresses.
  bool covers(uint64_t Address, uint64_t Bytes) const {
    auto It = Ranges.upper_bound(Address);
    if (It == Ranges.begin() || Bytes > UINT64_MAX - Address)
      return false;
    uint64_t At = Address;
    for (--It; It != Ranges.end() && It->first <= At; ++It) {
      At = It->second.End > At ? It->second.End : At;
      if (At >= Address + Bytes)
        return true;
    }
    return false;
  }

private:
  std::map<uint64_t, Range> Ranges; ///< by the first address
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_BACKEND_RANGETABLE_H
