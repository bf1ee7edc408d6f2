//===- Progress.h - A line for long launches --------------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A line for what takes longer than two seconds: bytes, bytes per second, time
// left, or how long it has taken where nothing is known. It appears while work
// advances or is waited for, so no thread and no signal handler is needed, and
// on a terminal the cursor is left at its beginning: whatever ends the program,
// Ctrl-C too, writes over it. It is erased at the end.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_REPORT_PROGRESS_H
#define GRIDSPAN_RUNTIME_REPORT_PROGRESS_H

#include "runtime/support/ThreadSafety.h"
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace gridspan {

/// Thread-safe. Several works at once are shown as one.
class Progress {
public:
  enum class Style {
    Silent,
    Redrawn, ///< one line, for a terminal
    Lines,   ///< a line each time, for a file
  };
  /// Seconds, from any origin.
  using Clock = std::function<double()>;
  using Printer = std::function<void(const std::string &)>;

  Progress(Style How, Clock Now, Printer Print)
      : How(How), Now(std::move(Now)), Print(std::move(Print)) {}

  /// Makes one that prints on stderr. Wanted is what the user asks for;
  /// nothing: only on a terminal.
  static Progress onStderr(std::optional<bool> Wanted);

  /// Returns true if nothing will ever be shown: then nobody need call.
  bool silent() const { return How == Style::Silent; }

  /// Begins a work that is to move TotalBytes bytes; 0: nobody knows.
  void begin(uint64_t TotalBytes);
  /// Counts bytes that some work has moved.
  void advance(uint64_t MoreBytes);
  /// Shows that time has passed: for who waits.
  void redraw() { advance(0); }
  /// Ends one of the works; with the last one the line goes.
  void end();

private:
  std::string text(double Seconds) const REQUIRES(Lock);

  const Style How;
  const Clock Now;
  const Printer Print;
  Mutex Lock; ///< guards all below
  unsigned Works GUARDED_BY(Lock) = 0;
  uint64_t Total GUARDED_BY(Lock) = 0;
  uint64_t Done GUARDED_BY(Lock) = 0;
  double Began GUARDED_BY(Lock) = 0;
  double Shown GUARDED_BY(Lock) = 0;
  bool Visible GUARDED_BY(Lock) = false;
};

/// Begins a work, and ends it when it goes out of scope.
class ProgressScope {
public:
  ProgressScope(Progress &P, uint64_t TotalBytes) : P(P) {
    P.begin(TotalBytes);
  }
  ~ProgressScope() { P.end(); }
  ProgressScope(const ProgressScope &) = delete;
  ProgressScope &operator=(const ProgressScope &) = delete;

private:
  Progress &P;
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_REPORT_PROGRESS_H
