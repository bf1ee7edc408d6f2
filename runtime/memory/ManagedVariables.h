//===- ManagedVariables.h - __managed__ variables ---------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A __managed__ variable lives in memory like that of cudaMallocManaged, from
// its first use to the end of the program. Host code asks for its address
// (passes/host/ManagedAddresses.h); device code finds it in a variable of each
// device (passes/device/ManagedPointers.h), which install() sets before
// anything runs there.
//
// Variables are registered from constructors, before there is a runtime, and
// host code may use one that is not registered yet. So the table is the
// process's, and memory and installation are two steps.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_MEMORY_MANAGEDVARIABLES_H
#define GRIDSPAN_RUNTIME_MEMORY_MANAGEDVARIABLES_H

#include "gridspan/ABI.h"
#include "runtime/support/ThreadSafety.h"
#include <atomic>
#include <driver_types.h>
#include <map>
#include <optional>

namespace gridspan {

class Backend;
class MemoryManager;
class SymbolTable;

/// Thread-safe.
class ManagedVariables {
public:
  /// Returns the table of the process. Never destroyed, as static destructors
  /// may use it.
  static ManagedVariables &get();

  void add(GridspanManaged *Variable);
  /// Returns the address of its memory; null if it has none.
  void *remove(GridspanManaged *Variable);

  /// Gives every registered variable memory, and devices its address. Before
  /// anything that may run kernels.
  cudaError_t install(Backend &B, MemoryManager &Memory, SymbolTable &Symbols) {
    return Pending.load(std::memory_order_acquire)
               ? installPending(B, Memory, Symbols)
               : cudaSuccess;
  }

  /// Sets Variable->Address; gives it memory if it has none.
  cudaError_t allocate(GridspanManaged &Variable, MemoryManager &Memory);

  /// A variable's memory.
  struct Place {
    void *Address;
    size_t Bytes;
  };
  /// Returns the memory of the variable with this address, or nothing.
  std::optional<Place> find(const void *Symbol) const;

  /// Gives all variables their initial values. Precondition: no device uses
  /// them.
  void reset();

private:
  cudaError_t installPending(Backend &B, MemoryManager &Memory,
                             SymbolTable &Symbols);
  cudaError_t allocateLocked(GridspanManaged &Variable, MemoryManager &Memory)
      REQUIRES(Lock);

  mutable Mutex Lock;
  /// The registered variables, and whether the devices have their addresses.
  std::map<GridspanManaged *, bool> Installed GUARDED_BY(Lock);
  /// All that have memory, by its address.
  std::map<const void *, GridspanManaged *> ByAddress GUARDED_BY(Lock);
  std::atomic<bool> Pending{false};
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_MEMORY_MANAGEDVARIABLES_H
