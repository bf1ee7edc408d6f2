//===- Skewed.h - Launches whose blocks cost very different -----*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The problems of skewed.cu and skewed_hand.cu by name.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_BENCH_SCHEDULE_SKEWED_H
#define GRIDSPAN_BENCH_SCHEDULE_SKEWED_H

#include "bench/schedule/EscapeTime.h"
#include "bench/schedule/Frontier.h"
#include "bench/schedule/RayMarch.h"
#include "bench/schedule/Repeat.h"
#include "bench/schedule/SparseRows.h"
#include "bench/schedule/Triangle.h"
#include <string_view>

/// Calls Run.operator()<Problem>() for the problem of that name. Returns false
/// if there is none.
template <class Fn> bool withProblem(std::string_view Name, Fn Run) {
  if (Name == "triangle")
    Run.template operator()<Triangle>();
  else if (Name == "sparse_rows")
    Run.template operator()<SparseRows>();
  else if (Name == "mandelbrot")
    Run.template operator()<EscapeTime>();
  else if (Name == "frontier")
    Run.template operator()<Frontier>();
  else if (Name == "ray_march")
    Run.template operator()<RayMarch>();
  else
    return false;
  return true;
}

inline int wrongUsage(const char *Program) {
  fprintf(stderr,
          "%s triangle|sparse_rows|mandelbrot|frontier|ray_march size "
          "[seconds]\n",
          Program);
  return 2;
}

#endif // GRIDSPAN_BENCH_SCHEDULE_SKEWED_H
