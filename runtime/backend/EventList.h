//===- EventList.h - The events of one execution ----------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Points in streams by number, for executions that need many of them to the
// end.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_BACKEND_EVENTLIST_H
#define GRIDSPAN_RUNTIME_BACKEND_EVENTLIST_H

#include "runtime/backend/Backend.h"
#include <memory>
#include <vector>

namespace gridspan {

class EventList {
public:
  explicit EventList(Backend &B) : B(B) {}

  /// Makes an event behind all work so far in S.
  cudaError_t record(Stream &S, int &Number) {
    std::unique_ptr<Event> New;
    cudaError_t Error = B.createEvent(S.device(), cudaEventDisableTiming, New);
    if (!Error)
      Error = B.record(*New, S);
    Number = static_cast<int>(All.size());
    All.push_back(std::move(New));
    return Error;
  }
  /// Orders later work in S behind the event.
  cudaError_t wait(Stream &S, int Number) { return B.wait(S, *All[Number]); }
  cudaError_t wait(Stream &S, const std::vector<int> &Numbers) {
    for (int Number : Numbers)
      if (cudaError_t Error = wait(S, Number))
        return Error;
    return cudaSuccess;
  }
  Event &at(int Number) { return *All[Number]; }
  /// Blocks until the event is reached.
  cudaError_t synchronize(int Number) { return B.synchronize(*All[Number]); }

private:
  Backend &B;
  std::vector<std::unique_ptr<Event>> All;
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_BACKEND_EVENTLIST_H
