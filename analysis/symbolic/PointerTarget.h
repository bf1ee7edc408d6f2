//===- PointerTarget.h - Where a pointer may lead ---------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The result of following a pointer of a kernel to what it was derived from.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ANALYSIS_SYMBOLIC_POINTERTARGET_H
#define GRIDSPAN_ANALYSIS_SYMBOLIC_POINTERTARGET_H

#include "analysis/expr/ExprNode.h"
#include <string>

namespace gridspan {

/// The index of a parameter that stands for an object without a name
/// (ExprBuilder::openUnknown).
constexpr unsigned OpenObject = ~0u;

/// An object that a pointer may point into, and the place in it.
struct PointerTarget {
  enum Kind {
    Parameter, ///< memory that a pointer of the parameters points to
    NotGlobal, ///< shared, local, constant, or a variable of the module
    Unknown,
  } Where;
  unsigned Param = 0;      ///< Parameter: its index,
  unsigned ByteOffset = 0; ///< and of the pointer within it
  ExprId Offset = NoExpr;  ///< Parameter: bytes from there, 64 bits wide
  std::string Why = {};    ///< Unknown: why
  /// True if other targets may be taken instead, and Offset does not say when.
  bool MayBeOther = false;
};

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_SYMBOLIC_POINTERTARGET_H
