//===- FunctionTable.h - From a host stub to driver functions ---*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The program names a kernel by the address of its host stub; the CUDA runtime
// that the program links knows the driver's kernel for it (cudaGetKernel), and
// the driver each device's function. Launches find that again with a hash probe
// and no lock.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_BACKEND_CUDA_FUNCTIONTABLE_H
#define GRIDSPAN_RUNTIME_BACKEND_CUDA_FUNCTIONTABLE_H

#include "runtime/backend/cuda/Device.h"
#include "runtime/support/ThreadSafety.h"
#include <atomic>
#include <memory>
#include <vector>

namespace gridspan::cuda {

class FunctionTable {
public:
  explicit FunctionTable(const DeviceList &Devices);

  /// Finds the function of a stub on a device, whose context is current. Its
  /// errors are those of a launch by the CUDA runtime.
  cudaError_t function(const void *Stub, int Device, CUfunction &Out) {
    if (Entry *E = lookup(Stub))
      if (CUfunction F = E->Functions[Device].load(std::memory_order_acquire)) {
        Out = F;
        return cudaSuccess;
      }
    return resolve(Stub, Device, Out);
  }

  /// Returns the sizes of a stub's parameters; none for an unknown stub.
  std::vector<size_t> parameterSizes(const void *Stub);

  /// Forgets all functions, as some are unloaded.
  void clear();

private:
  struct Entry {
    const void *Stub;
    CUkernel Kernel; ///< null after clear(); only used with the lock
    std::unique_ptr<std::atomic<CUfunction>[]> Functions; ///< one per device
    std::vector<size_t> ParameterSizes; ///< filled at the first question
  };
  /// Open addressing with linear probing; at most half full.
  struct Table {
    explicit Table(size_t Count)
        : Mask(Count - 1), At(new std::atomic<Entry *>[Count]()) {}
    size_t Mask;
    std::unique_ptr<std::atomic<Entry *>[]> At;
  };

  static size_t hash(const void *Stub) {
    // Fibonacci hashing (Knuth, TAOCP 3, 6.4): stubs are aligned code.
    return (reinterpret_cast<uintptr_t>(Stub) * 0x9E3779B97F4A7C15u) >> 32;
  }
  Entry *lookup(const void *Stub) const {
    const Table *S = Current.load(std::memory_order_acquire);
    for (size_t I = hash(Stub);; ++I) {
      Entry *E = S->At[I & S->Mask].load(std::memory_order_acquire);
      if (!E || E->Stub == Stub)
        return E;
    }
  }
  cudaError_t resolve(const void *Stub, int Device, CUfunction &Out);
  cudaError_t addLocked(const void *Stub, Entry *&Out) REQUIRES(Lock);
  static void insert(Table &S, Entry *E);

  const DeviceList &Devices;
  Mutex Lock; ///< for additions
  std::vector<std::unique_ptr<Entry>> Entries GUARDED_BY(Lock);
  /// All tables so far: a reader may still be in an old one.
  std::vector<std::unique_ptr<Table>> Tables GUARDED_BY(Lock);
  std::atomic<Table *> Current;
};

} // namespace gridspan::cuda

#endif // GRIDSPAN_RUNTIME_BACKEND_CUDA_FUNCTIONTABLE_H
