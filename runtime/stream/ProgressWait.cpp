//===- ProgressWait.cpp - Shows that a launch in place runs ---------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Asks the stream again and again instead of blocking, and shows the line in
// between.
//
//===----------------------------------------------------------------------===//

#include "runtime/stream/ProgressWait.h"
#include <algorithm>
#include <chrono>
#include <thread>

namespace gridspan {

void waitWithProgress(Backend &B, Progress &Line, ProgramStream &S) {
  if (Line.silent() || B.isCapturing(S.main()) ||
      !S.LaunchedInPlace.exchange(false))
    return;
  ProgressScope Shown(Line, 0);
  auto Pause = std::chrono::microseconds(5);
  while (B.query(S.main()) == cudaErrorNotReady) {
    Line.redraw();
    std::this_thread::sleep_for(Pause);
    Pause = std::min(2 * Pause, std::chrono::microseconds(1000));
  }
}

} // namespace gridspan
