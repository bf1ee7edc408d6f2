//===- ProgressWait.h - Shows that a launch in place runs -------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A launch that works on paged memory in place is one kernel, over the bus, and
// may take long. How far it is nobody knows, but for how long the program has
// waited for it can be shown: by the thread that waits, so that no other one is
// needed.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_STREAM_PROGRESSWAIT_H
#define GRIDSPAN_RUNTIME_STREAM_PROGRESSWAIT_H

#include "runtime/report/Progress.h"
#include "runtime/stream/ProgramStream.h"

namespace gridspan {

/// The program is about to wait for S. Where S was given a launch in place
/// since the last time, and a line may be shown, returns when S has ended or
/// failed; else at once. A stream that is captured is not asked.
void waitWithProgress(Backend &B, Progress &Line, ProgramStream &S);

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_STREAM_PROGRESSWAIT_H
