//===- Backend.cpp - The devices of one vendor ----------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Anchors of the interfaces' virtual tables.
//
//===----------------------------------------------------------------------===//

#include "Backend.h"

namespace gridspan {

Pages::~Pages() = default;
Stream::~Stream() = default;
Event::~Event() = default;
Backend::~Backend() = default;

} // namespace gridspan
