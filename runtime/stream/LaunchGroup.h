//===- LaunchGroup.h - Launches that a thread keeps together ----*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a library's function launches, between two calls of a primitive that
// says what all of it may touch (__gridspan_begin_group). At the end it becomes
// one member of a chain (OpaqueOperation.h). A function that does anything else
// meanwhile dissolves the group: what was launched runs first, as it would have
// without one.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_STREAM_LAUNCHGROUP_H
#define GRIDSPAN_RUNTIME_STREAM_LAUNCHGROUP_H

#include "runtime/stream/DeferredLaunch.h"
#include "runtime/stream/OpaqueOperation.h"
#include <memory>
#include <vector>

namespace gridspan {

class LaunchGroup {
public:
  using Operand = OpaqueOperation::Operand;

  /// Owner: the runtime's part that opens it. Operands hold all that the
  /// launches touch.
  LaunchGroup(const void *Owner, ProgramStream &S,
              std::vector<Operand> Operands)
      : Owner(Owner), S(S), Operands(std::move(Operands)) {}

  /// Returns the calling thread's group, to be read and set; null: none is
  /// open. Costs a load.
  static std::shared_ptr<LaunchGroup> &open();

  /// Returns true if the launch may be kept: its request is complete.
  bool takes(const LaunchRequest &R) const {
    return &R.Stream == &S && !R.Shape.NumAttributes && !R.Shape.Cooperative;
  }
  void add(DeferredLaunch L) { Parts.push_back(std::move(L)); }

  const void *owner() const { return Owner; }
  ProgramStream &stream() const { return S; }
  const std::vector<Operand> &operands() const { return Operands; }
  const std::vector<DeferredLaunch> &parts() const { return Parts; }

private:
  const void *const Owner;
  ProgramStream &S;
  const std::vector<Operand> Operands;
  std::vector<DeferredLaunch> Parts;
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_STREAM_LAUNCHGROUP_H
