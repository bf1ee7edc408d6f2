//===- Tracing.h - What the calling thread's work belongs to ----*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Backends do not know why they copy. Who does says so for a scope, and the
// backend that traces looks here. Without tracing a scope costs a branch.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_REPORT_TRACING_H
#define GRIDSPAN_RUNTIME_REPORT_TRACING_H

#include "runtime/report/Timeline.h"
#include <atomic>
#include <chrono>
#include <optional>

namespace gridspan {

struct TraceContext {
  /// The purpose of copies; none: the program's.
  std::optional<Activity> Why;
  const char *Name = nullptr; ///< of the spans; constant text
  uint64_t Launch = 0;

  static TraceContext &current() {
    static thread_local constinit TraceContext Mine;
    return Mine;
  }
};

/// Returns true if anybody looks.
inline std::atomic<bool> TracingOn{false};
inline bool isTracing() { return TracingOn.load(std::memory_order_relaxed); }

/// Changes the calling thread's context; the one before comes back at the end.
class TraceScope {
public:
  /// Begins work of one purpose, within the same launch.
  explicit TraceScope(Activity Why, const char *Name = nullptr) {
    if (!isTracing())
      return;
    TraceContext New = TraceContext::current();
    New.Why = Why;
    New.Name = Name;
    enter(New);
  }
  /// Takes over the context of another thread.
  explicit TraceScope(const TraceContext &Of) {
    if (isTracing())
      enter(Of);
  }
  ~TraceScope() {
    if (Before)
      TraceContext::current() = *Before;
  }
  TraceScope(const TraceScope &) = delete;
  TraceScope &operator=(const TraceScope &) = delete;

  /// Returns the next launch's context.
  static TraceContext nextLaunch() {
    TraceContext Out;
    if (isTracing())
      Out.Launch = Launches.fetch_add(1, std::memory_order_relaxed) + 1;
    return Out;
  }

private:
  void enter(const TraceContext &New) {
    Before = TraceContext::current();
    TraceContext::current() = New;
  }
  std::optional<TraceContext> Before;
  static inline std::atomic<uint64_t> Launches{0};
};

/// Keeps what threads of the host did; thread-safe.
class HostSpanKeeper {
public:
  virtual void addHostSpan(Activity What, uint64_t Bytes,
                           std::chrono::steady_clock::time_point Begin) = 0;

protected:
  ~HostSpanKeeper() = default;
};
/// The receiver of host spans; set while isTracing().
inline std::atomic<HostSpanKeeper *> HostSpans{nullptr};

/// A span of work that the calling thread does, or waits for other threads to
/// do; as long as the object lives.
class HostSpan {
public:
  /// Bytes: 0 if nothing was done, but for a plan.
  explicit HostSpan(Activity What, uint64_t Bytes = 0)
      : What(What), Bytes(Bytes) {
    if (isTracing())
      Begin = std::chrono::steady_clock::now();
  }
  ~HostSpan() {
    HostSpanKeeper *Keeper = Begin ? HostSpans.load() : nullptr;
    if (Keeper && (Bytes != 0 || What == Activity::Plan))
      Keeper->addHostSpan(What, Bytes, *Begin);
  }
  HostSpan(const HostSpan &) = delete;
  HostSpan &operator=(const HostSpan &) = delete;

private:
  const Activity What;
  const uint64_t Bytes;
  std::optional<std::chrono::steady_clock::time_point> Begin;
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_REPORT_TRACING_H
