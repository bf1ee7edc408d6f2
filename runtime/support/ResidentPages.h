//===- ResidentPages.h - Pages of a range that exist ------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Anonymous memory exists from its first touch on, by whomever that is.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_SUPPORT_RESIDENTPAGES_H
#define GRIDSPAN_RUNTIME_SUPPORT_RESIDENTPAGES_H

#include <cstddef>
#include <cstdint>

namespace gridspan {

/// Bytes of the range that are in memory; 0 where the system does not say.
/// Address and Bytes are multiples of the page size. Takes a millisecond for
/// some 4 GiB.
uint64_t residentBytes(const void *Address, uint64_t Bytes);

/// True if the page of Address is mapped for the host.
bool isResident(const void *Address);

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_SUPPORT_RESIDENTPAGES_H
