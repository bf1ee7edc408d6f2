//===- DeferredLaunch.h - A launch to be made later -------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A launch, or a fill or copy in its form, with all that it needs of the call
// that asked for it.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_STREAM_DEFERREDLAUNCH_H
#define GRIDSPAN_RUNTIME_STREAM_DEFERREDLAUNCH_H

#include "runtime/plan/LaunchArguments.h"
#include "runtime/report/Tracing.h"
#include "runtime/stream/LaunchRequest.h"
#include <functional>
#include <optional>
#include <utility>

namespace gridspan {

/// A launch with copies of its arguments. Its stream outlives it: calls that
/// destroy streams run what is deferred first.
class DeferredLaunch {
public:
  /// Alone runs it if it is no launch of a kernel; else it is empty.
  explicit DeferredLaunch(const LaunchRequest &R,
                          std::function<cudaError_t()> Alone = {})
      : Target(R.Target), Shape(R.Shape), Stream(&R.Stream), Device(R.Device),
        Arguments(R.kernel(), R.Arguments), Context(TraceContext::current()),
        Alone(std::move(Alone)) {
    Arguments.copy();
  }

  /// Valid as long as this is where it is.
  LaunchRequest request() const {
    return {Target, Shape, Arguments.get(), *Stream, Device};
  }

  /// Returns the launch's place in the timeline.
  const TraceContext &context() const { return Context; }
  const std::function<cudaError_t()> &alone() const { return Alone; }

private:
  LaunchTarget Target;
  LaunchShape Shape;
  ProgramStream *Stream;
  std::optional<int> Device;
  LaunchArguments Arguments;
  TraceContext Context;
  std::function<cudaError_t()> Alone;
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_STREAM_DEFERREDLAUNCH_H
