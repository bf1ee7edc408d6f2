//===- ProcessEnd.h - When the process is about to end ----------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Destructors of a module run when it is unloaded, and when the process ends.
// They cannot tell: destructors of the program may close libraries as well. The
// program itself is never unloaded.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_SUPPORT_PROCESSEND_H
#define GRIDSPAN_RUNTIME_SUPPORT_PROCESSEND_H

namespace gridspan {

/// Returns true when exit() has been called. It is true for everything that was
/// to run at exit when noteProcessEnd() was last called, and for what the
/// dynamic linker runs afterwards. Thread-safe.
bool isProcessEnding();

/// Lets isProcessEnding() become true before anything runs that is to run at
/// exit by now. Costs a few bytes each time.
void noteProcessEnd();

/// Returns true if the address is within the program, not within a library.
bool isOfProgram(const void *Address);

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_SUPPORT_PROCESSEND_H
