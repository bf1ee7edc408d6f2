//===- OpaqueOperation.h - A library's work as one launch -------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Work on memory of one device, such as the launches of a library's function,
// in the form of a launch: one block, with a descriptor that says which bytes
// it may read and write. So it may wait among launches and run between their
// chunks, whole. What it does, nobody looks at.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_STREAM_OPAQUEOPERATION_H
#define GRIDSPAN_RUNTIME_STREAM_OPAQUEOPERATION_H

#include "runtime/backend/Backend.h"
#include "runtime/stream/LaunchRequest.h"
#include <array>
#include <functional>
#include <span>

namespace gridspan {

class OpaqueOperation {
public:
  static constexpr unsigned MostOperands = 4;
  struct Operand {
    std::byte *At = nullptr;
    uint64_t Bytes = 0;
  };
  /// Enqueues the work on a stream of the device that the memory is on.
  using Work = std::function<cudaError_t(Stream &)>;

  /// Operands, at most MostOperands and none empty, hold all that the work
  /// touches. It lives until the operation has been enqueued.
  OpaqueOperation(std::span<const Operand> Operands, const Work &Of);
  OpaqueOperation(const OpaqueOperation &) = delete;

  /// Valid while this is where it is.
  LaunchRequest request(ProgramStream &S) const {
    return {{&kernel(), kernel().HostStub}, Shape, Values.data(), S};
  }

  /// Returns the descriptor of all of them.
  static const GridspanKernel &kernel();
  static bool isOne(const GridspanKernel &Kernel) {
    return &Kernel == &kernel();
  }
  /// Enqueues the operation that has these arguments.
  static cudaError_t run(Stream &S, void *const *Args);

private:
  LaunchShape Shape;
  std::array<std::byte *, MostOperands> Begins = {};
  std::array<uint64_t, MostOperands> Sizes = {};
  const Work *Of;
  std::array<void *, MostOperands + 2> Values;
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_STREAM_OPAQUEOPERATION_H
