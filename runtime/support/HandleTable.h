//===- HandleTable.h - From handles to our objects --------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The program holds the vendor's own handles (Stream::native()), so that it can
// give them to libraries; this finds what they stand for. Thread-safe. An
// object that was found lives as long as its pointer is held.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_SUPPORT_HANDLETABLE_H
#define GRIDSPAN_RUNTIME_SUPPORT_HANDLETABLE_H

#include "runtime/support/ThreadSafety.h"
#include <memory>
#include <unordered_map>
#include <vector>

namespace gridspan {

template <typename Handle, typename Object> class HandleTable {
public:
  void insert(Handle H, std::shared_ptr<Object> O) {
    WriterLock Guard(Lock);
    Table.insert_or_assign(H, std::move(O));
  }

  /// Null when there is none.
  std::shared_ptr<Object> find(Handle H) const {
    ReaderLock Guard(Lock);
    auto It = Table.find(H);
    return It == Table.end() ? nullptr : It->second;
  }

  std::shared_ptr<Object> remove(Handle H) {
    WriterLock Guard(Lock);
    auto It = Table.find(H);
    if (It == Table.end())
      return nullptr;
    std::shared_ptr<Object> O = std::move(It->second);
    Table.erase(It);
    return O;
  }

  /// Returns all objects, in no particular order.
  std::vector<std::shared_ptr<Object>> all() const {
    ReaderLock Guard(Lock);
    std::vector<std::shared_ptr<Object>> Out;
    for (const auto &[H, O] : Table)
      Out.push_back(O);
    return Out;
  }

private:
  mutable SharedMutex Lock;
  std::unordered_map<Handle, std::shared_ptr<Object>> Table GUARDED_BY(Lock);
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_SUPPORT_HANDLETABLE_H
