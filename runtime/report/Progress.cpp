//===- Progress.cpp - A line for long launches ----------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prints ten times a second on a terminal and every two seconds elsewhere, so
// that it may be called for each chunk. The rate is the mean since the first
// work began.
//
//===----------------------------------------------------------------------===//

#include "runtime/report/Progress.h"
#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <unistd.h>

namespace gridspan {

/// The seconds that a work takes at least to be worth a line.
static constexpr double Patience = 2;
static constexpr double RedrawSeconds = 0.1;
static constexpr double LineSeconds = 2;

/// ECMA-48: erases from the cursor to the end of the line.
static constexpr const char *EraseLine = "\x1b[K";

Progress Progress::onStderr(std::optional<bool> Wanted) {
  const bool Terminal = isatty(STDERR_FILENO) == 1;
  const Style How = !Wanted.value_or(Terminal) ? Style::Silent
                    : Terminal                 ? Style::Redrawn
                                               : Style::Lines;
  return Progress(
      How,
      [] {
        return std::chrono::duration<double>(
                   std::chrono::steady_clock::now().time_since_epoch())
            .count();
      },
      [](const std::string &Text) {
        // One call, so that other output does not come in between. A line that
        // is lost is no harm.
        (void)!write(STDERR_FILENO, Text.data(), Text.size());
      });
}

void Progress::begin(uint64_t TotalBytes) {
  if (silent())
    return;
  MutexLock Guard(Lock);
  if (Works++ == 0) {
    Total = Done = 0;
    Began = Shown = Now();
    Visible = false;
  }
  Total += TotalBytes;
}

/// Returns a duration as "12:34" or "1:02:03".
static std::string duration(double Seconds) {
  const auto S = static_cast<uint64_t>(Seconds + 0.5);
  return S < 3600
             ? fmt::format("{}:{:02}", S / 60, S % 60)
             : fmt::format("{}:{:02}:{:02}", S / 3600, S / 60 % 60, S % 60);
}

std::string Progress::text(double Seconds) const {
  if (Total == 0)
    return fmt::format("gridspan: a launch on data larger than the devices, "
                       "running for {}",
                       duration(Seconds));
  constexpr double GiB = 1 << 30;
  const std::string Moved = fmt::format("gridspan: {:.1f} of {:.1f} GiB",
                                        static_cast<double>(Done) / GiB,
                                        static_cast<double>(Total) / GiB);
  // How long a kernel takes nobody knows.
  if (Done == 0 || Done == Total)
    return fmt::format("{}, running for {}", Moved, duration(Seconds));
  const double Rate = static_cast<double>(Done) / Seconds;
  return fmt::format("{}, {:.1f} GB/s, {} left", Moved, Rate * 1e-9,
                     duration(static_cast<double>(Total - Done) / Rate));
}

void Progress::advance(uint64_t MoreBytes) {
  if (silent())
    return;
  MutexLock Guard(Lock);
  // An estimate of the total that was too low is not shown as more than all.
  Done = std::min(Total, Done + MoreBytes);
  const double Time = Now();
  const double Pause = How == Style::Lines ? LineSeconds : RedrawSeconds;
  if (Time - Began < Patience || Time - Shown < Pause)
    return;
  Shown = Time;
  Visible = true;
  const std::string Text = text(Time - Began);
  Print(How == Style::Lines ? Text + "\n" : Text + EraseLine + "\r");
}

void Progress::end() {
  if (silent())
    return;
  MutexLock Guard(Lock);
  if (--Works == 0 && Visible && How == Style::Redrawn)
    Print(EraseLine);
}

} // namespace gridspan
