//===- FormTimer.h - Times launches on arrays of records --------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sets events around the few launches that FormTimes wants, and looks for their
// times when others come by. Nobody waits for them.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_FORMS_FORMTIMER_H
#define GRIDSPAN_RUNTIME_FORMS_FORMTIMER_H

#include "runtime/backend/Backend.h"
#include "runtime/forms/FormTimes.h"
#include <deque>
#include <memory>
#include <vector>

namespace gridspan {

/// What the time of a launch is for: allocations that it uses in one order.
struct FormTiming {
  FormTimes::Key Of;
  RecordOrder In = RecordOrder::AsMade;
  std::vector<std::shared_ptr<FormTimes>> For; ///< none: it is not timed
};

/// Used with OwnedBytes::lock() held.
class FormTimer {
public:
  explicit FormTimer(Backend &B) : B(B) {}

  /// Sets an event in front of a launch. Returns true if end() is to set the
  /// one behind it.
  bool begin(FormTiming What, Stream &S);
  /// Failed: the launch was not made, and has no time.
  void end(Stream &S, bool Failed);
  /// Adds the times of launches that are done.
  void collect();

private:
  struct Timing {
    std::unique_ptr<Event> From, To;
    FormTiming What;
  };
  Backend &B;
  std::vector<Timing> Free;
  std::deque<Timing> Pending; ///< in the order of their launches
  Timing Open;                ///< between begin() and end()
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_FORMS_FORMTIMER_H
