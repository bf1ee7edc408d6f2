//===- ParallelFor.h - Work that threads share ------------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Threads that live as long as one piece of work, so that an idle program has
// none and neither fork nor exit can meet one. They take none of the program's
// signals, and work does not depend on whether there are any to be had.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_SUPPORT_PARALLELFOR_H
#define GRIDSPAN_RUNTIME_SUPPORT_PARALLELFOR_H

#include <cstddef>
#include <functional>

namespace gridspan {

/// Calls Work(0) ... Work(Count - 1), each on a thread of its own but for the
/// first, which the calling thread does, and those for which the system gives
/// no thread, which it does afterwards: so none may wait for another. The first
/// exception is thrown again when all have ended.
void parallelFor(size_t Count, const std::function<void(size_t)> &Work);

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_SUPPORT_PARALLELFOR_H
