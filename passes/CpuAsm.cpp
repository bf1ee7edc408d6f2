//===- CpuAsm.cpp - Inline assembly on the CPU ----------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CpuRules.h"

using namespace llvm;
using namespace gridspan;

Lowered gridspan::lowerAsm(CallInst &Call, CpuContext &C) {
  return std::nullopt;
}
