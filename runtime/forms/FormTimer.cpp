//===- FormTimer.cpp - Times launches on arrays of records ----------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Events are used again. Launches are looked at in their order, up to the first
// that is not done, so that a program which enqueues many asks for one event at
// each.
//
//===----------------------------------------------------------------------===//

#include "runtime/forms/FormTimer.h"

namespace gridspan {

/// Launches whose times are waited for, at most.
static constexpr size_t MostPending = 16;

bool FormTimer::begin(FormTiming What, Stream &S) {
  if (What.For.empty() || Pending.size() == MostPending)
    return false;
  Open = {};
  if (!Free.empty()) {
    Open = std::move(Free.back());
    Free.pop_back();
  } else if (B.createEvent(0, 0, Open.From) || B.createEvent(0, 0, Open.To)) {
    return false;
  }
  if (B.record(*Open.From, S)) {
    Free.push_back(std::move(Open));
    return false;
  }
  Open.What = std::move(What);
  return true;
}

void FormTimer::end(Stream &S, bool Failed) {
  if (!B.record(*Open.To, S) && !Failed) {
    Pending.push_back(std::move(Open));
    return;
  }
  Open.What = {};
  Free.push_back(std::move(Open));
}

void FormTimer::collect() {
  while (!Pending.empty()) {
    Timing &T = Pending.front();
    const cudaError_t Error = B.query(*T.To);
    if (Error == cudaErrorNotReady)
      return;
    float Ms = 0;
    if (!Error && !B.elapsed(*T.From, *T.To, Ms))
      for (const std::shared_ptr<FormTimes> &To : T.What.For)
        To->add(T.What.Of, T.What.In, Ms * 1e-3);
    T.What = {};
    Free.push_back(std::move(T));
    Pending.pop_front();
  }
}

} // namespace gridspan
