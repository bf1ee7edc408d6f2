//===- MemoryOperation.h - Fills and copies as launches ---------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A fill of device memory, or a copy within it, in the form of a launch: blocks
// of so many bytes, with a descriptor that says what each of them touches. So
// it may wait among launches and run in chunks between theirs. No code stands
// behind the descriptor; run() does what it says.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_OUTOFCORE_MEMORYOPERATION_H
#define GRIDSPAN_RUNTIME_OUTOFCORE_MEMORYOPERATION_H

#include "runtime/backend/Backend.h"
#include "runtime/stream/LaunchRequest.h"

namespace gridspan {

class MemoryOperation {
public:
  /// Bytes is not 0.
  MemoryOperation(void *Dst, int Byte, uint64_t Bytes);
  /// The two do not overlap.
  MemoryOperation(void *Dst, const void *Src, uint64_t Bytes);
  MemoryOperation(const MemoryOperation &) = delete;

  /// Valid while this is where it is.
  LaunchRequest request(ProgramStream &S) const {
    return {{Kernel, Kernel->HostStub}, Shape, Values.Addresses, S};
  }

  static bool isOne(const GridspanKernel &Kernel);
  /// Returns the bytes of an operation with these arguments.
  static uint64_t bytes(void *const *Args);
  /// Returns true if it is a fill.
  static bool isFill(const GridspanKernel &Kernel);
  /// The bytes of Count blocks from the First on.
  struct Part {
    uint64_t Lo;
    uint64_t Hi;
  };
  static Part part(void *const *Args, uint32_t First, uint32_t Count);
  /// Enqueues a part of an operation with the arguments that a launch of it
  /// has.
  static cudaError_t run(Backend &B, Stream &S, const GridspanKernel &Kernel,
                         void *const *Args, Part What);

private:
  struct Arguments {
    void *Dst;
    const void *Src;
    uint64_t Bytes;
    int Byte;
    void *Addresses[4];
  };
  void setShape();

  const GridspanKernel *Kernel;
  LaunchShape Shape;
  Arguments Values;
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_OUTOFCORE_MEMORYOPERATION_H
