//===- AddressSpace.h - From an address to its allocation ----- -*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All allocations by their addresses. A pointer into the middle of a buffer
// finds it in O(log n). Thread-safe; an allocation that was found stays alive
// while its pointer is held, also when the program frees it meanwhile.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_ADDRESSSPACE_H
#define GRIDSPAN_RUNTIME_ADDRESSSPACE_H

#include "Allocation.h"
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>

namespace gridspan {

class AddressSpace {
public:
  /// Adds an allocation whose range overlaps no other.
  void insert(std::shared_ptr<Allocation> A);

  /// The allocation that holds Address, or null.
  std::shared_ptr<Allocation> find(const void *Address) const;

  /// Takes out the allocation that begins at Address; null when none does.
  std::shared_ptr<Allocation> remove(const void *Address);

  /// A copy of the list, by ascending address.
  std::vector<std::shared_ptr<Allocation>> all() const;

private:
  mutable std::shared_mutex Lock;
  std::map<uintptr_t, std::shared_ptr<Allocation>> ByBase;
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_ADDRESSSPACE_H
