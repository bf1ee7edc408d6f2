//===- Transport.cpp - Messages from rank to rank -------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Keeps the virtual table in one object file.
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/ranks/Transport.h"

namespace gridspan::ranks {

Transport::~Transport() = default;

} // namespace gridspan::ranks
