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
// Devices that are not open yet are not opened for that, which takes 0.1 s
// each: what is written before goes to them when they are, and before any work
// does. Nothing of the program waits for that.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_MEMORY_SYMBOLTABLE_H
#define GRIDSPAN_RUNTIME_MEMORY_SYMBOLTABLE_H

#include "runtime/backend/Backend.h"
#include "runtime/support/Expected.h"
#include "runtime/support/ThreadSafety.h"
#include <atomic>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <vector>

namespace gridspan {

/// Thread-safe.
class SymbolTable {
public:
  explicit SymbolTable(Backend &B);
  ~SymbolTable();
  SymbolTable(const SymbolTable &) = delete;
  SymbolTable &operator=(const SymbolTable &) = delete;

  /// The copies of a variable, device 0's first.
  struct Copies {
    std::vector<std::byte *> Addresses;
    size_t Bytes = 0; ///< of each
  };
  /// Returns the variable's copies on the devices that may run a kernel that
  /// sees it: on device 0 alone while no kernel of the program may be split.
  /// Opens these devices.
  Expected<Copies> copiesOf(const void *Symbol) const {
    return copiesOn(numDevices(), Symbol);
  }
  /// Returns device 0's alone.
  Expected<Copies> firstOf(const void *Symbol) const {
    return copiesOn(1, Symbol);
  }

  /// Writes a copy's byte at an address, in the order of a stream.
  using Writer = std::function<cudaError_t(std::byte *)>;

  /// Has Write, which has written in S to device 0's copy, write to the others
  /// at Offset: now to those on devices that are in use, and to the rest before
  /// they are. Writes that are captured open all of them.
  cudaError_t writeOthers(const void *Symbol, uint64_t Offset, Stream &S,
                          const Writer &Write);

  /// Returns the address of device 0's, and remembers that the program has it.
  Expected<void *> handOut(const void *Symbol);

  /// Forgets a variable that is unloaded.
  void forget(const void *Symbol);

  /// Has Write, which has written in S to an address that a variable may have
  /// been handed out at, write to the same byte on the other devices.
  cudaError_t mirror(const void *Address, Stream &S, const Writer &Write);

  /// True if kernels of Kernel's module may find device 0's variables changed.
  bool mayHaveDiverged(const GridspanKernel *Kernel) const;

private:
  struct HandedOut {
    const void *Symbol = nullptr;
    size_t Bytes = 0;
    bool Constant = false; ///< kernels cannot write it
    const GridspanCpuModule *Module = nullptr;
  };
  /// The end of the last write in a stream, which may be gone.
  struct WriteEnd {
    const Stream *In;
    std::unique_ptr<Event> At;
  };
  using Writes = std::vector<WriteEnd>;

  unsigned numDevices() const;
  Expected<Copies> copiesOn(unsigned Devices, const void *Symbol) const;
  bool isCurrent() const { return Current.load(std::memory_order_acquire); }
  cudaError_t orderBehind(const void *Symbol, Stream &S, bool &IsBehind);
  cudaError_t catchUp();
  cudaError_t bringAll() REQUIRES(BehindLock);

  Backend &B;
  mutable SharedMutex Lock;
  std::map<uintptr_t, HandedOut> ByAddress GUARDED_BY(Lock);
  std::atomic<bool> AnyMutable{false};

  Mutex BehindLock;
  /// Variables that were written on device 0 alone.
  std::map<const void *, Writes> Behind GUARDED_BY(BehindLock);
  std::unique_ptr<Stream> Bringer GUARDED_BY(BehindLock);
  /// The end of what Bringer brings, until that is over. Where there is one,
  /// nothing else is behind.
  std::shared_ptr<Event> Brought GUARDED_BY(BehindLock);
  /// All devices are open, and have all that was written. Set with BehindLock.
  std::atomic<bool> Current;
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_MEMORY_SYMBOLTABLE_H
