//===- LaunchRequest.h - A launch as the program asks for it ----*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The four things that a launch call names. Non-owning: a request lives as long
// as the call does.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_STREAM_LAUNCHREQUEST_H
#define GRIDSPAN_RUNTIME_STREAM_LAUNCHREQUEST_H

#include "runtime/stream/ProgramStream.h"
#include <cassert>
#include <optional>

namespace gridspan {

/// Returns the box of all blocks of a launch.
inline GridspanBox boxOf(const LaunchShape &Shape, void *const *Arguments) {
  const dim3 &G = Shape.Grid, &B = Shape.Block;
  return {Arguments, {G.x, G.y, G.z}, {B.x, B.y, B.z}, {}, {G.x, G.y, G.z}};
}

struct LaunchRequest {
  LaunchTarget Target;
  const LaunchShape &Shape;
  void *const *Arguments; ///< addresses of the parameters' values
  ProgramStream &Stream;
  /// Where the thread that launches it wants it (ChosenDevice.h).
  std::optional<int> Device = std::nullopt;

  /// Returns the descriptor. Precondition: the target has one.
  const GridspanKernel &kernel() const {
    assert(Target.Kernel && "a function without descriptor");
    return *Target.Kernel;
  }
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_STREAM_LAUNCHREQUEST_H
