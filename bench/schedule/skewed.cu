//===- skewed.cu - Launches of skewed work, one GPU -----------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Usage: skewed problem size [seconds]
//
//===----------------------------------------------------------------------===//

#include "bench/schedule/Skewed.h"

int main(int Argc, char **Argv) {
  if (Argc < 3)
    return wrongUsage(Argv[0]);
  size_t Size = argument(Argc, Argv, 2, 0);
  double Seconds = secondsArgument(Argc, Argv, 3, 2);
  bool IsKnown = withProblem(Argv[1], [&]<class Problem> {
    Problem P(Size);
    CHECK(cudaDeviceSynchronize());
    LaunchTimes Times = repeatLaunches(
        Seconds, [&] { P.launch(0, P.blocks(), nullptr); },
        [] { CHECK(cudaDeviceSynchronize()); });
    reportLaunches(Argv[1], Times, P.sum(0, P.blocks()));
  });
  return IsKnown ? 0 : wrongUsage(Argv[0]);
}
