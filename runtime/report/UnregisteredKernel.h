//===- UnregisteredKernel.h - Launches of what is no kernel -----*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A launch of a function that no module has registered fails. A program that
// checks no errors would only see that nothing happens, so it is said as well.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_REPORT_UNREGISTEREDKERNEL_H
#define GRIDSPAN_RUNTIME_REPORT_UNREGISTEREDKERNEL_H

namespace gridspan {

/// Says on stderr, once in a process, that Function was launched and is no
/// kernel. Thread-safe.
void explainUnregistered(const void *Function);

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_REPORT_UNREGISTEREDKERNEL_H
