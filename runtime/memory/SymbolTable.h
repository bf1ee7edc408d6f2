//===- SymbolTable.h - Variables that exist per device ----------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The program sees one __constant__ or __device__ variable; every device has
// its own. Copies by symbol write all of them. An address that the program asks
// for is device 0's; what is copied there later is mirrored to the others, but
// a kernel that writes through it cannot be: so from then on kernels of that
// variable's module stay on device 0.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_MEMORY_SYMBOLTABLE_H
#define GRIDSPAN_RUNTIME_MEMORY_SYMBOLTABLE_H

#include "runtime/backend/Backend.h"
#include "runtime/support/Expected.h"
#include "runtime/support/ThreadSafety.h"
#include <atomic>
#include <cstddef>
#include <map>
#include <vector>

namespace gridspan {

/// Thread-safe.
class SymbolTable {
public:
  explicit SymbolTable(Backend &B) : B(B) {}

  /// The copies of a variable, device 0's first.
  struct Copies {
    std::vector<std::byte *> Addresses;
    size_t Bytes = 0; ///< of each
  };
  /// Returns the variable's copies on the devices that may run a kernel that
  /// sees it: on device 0 alone while no kernel of the program may be split.
  Expected<Copies> copiesOf(const void *Symbol);

  /// Returns the address of device 0's, and remembers that the program has it.
  Expected<void *> handOut(const void *Symbol);

  /// Forgets a variable that is unloaded.
  void forget(const void *Symbol);

  /// Returns the other addresses that a write to Address has to go to: the same
  /// byte on the other devices. Empty if no variable there was handed out.
  std::vector<void *> mirrors(const void *Address) const;

  /// True if kernels of Kernel's module may find device 0's variables changed.
  bool mayHaveDiverged(const GridspanKernel *Kernel) const;

private:
  struct HandedOut {
    const void *Symbol = nullptr;
    Copies Variable;
    bool Constant = false; ///< kernels cannot write it
    const GridspanCpuModule *Module = nullptr;
  };

  Backend &B;
  mutable SharedMutex Lock;
  std::map<uintptr_t, HandedOut> ByAddress GUARDED_BY(Lock);
  std::atomic<bool> AnyMutable{false};
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_MEMORY_SYMBOLTABLE_H
