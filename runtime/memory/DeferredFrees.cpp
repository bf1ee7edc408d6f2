//===- DeferredFrees.cpp - Memory that a stream still uses ----------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each allocation has an event behind what its stream held when it was freed.
// Events are asked when memory is wanted, as nothing else is late then. Those
// of a stream come in their order, so that one is asked for each stream, and
// those that have come.
//
//===----------------------------------------------------------------------===//

#include "runtime/memory/DeferredFrees.h"
#include <algorithm>

namespace gridspan {

cudaError_t
DeferredFrees::add(const std::function<std::shared_ptr<Allocation>()> &Take,
                   Stream &S) {
  Entry New = {nullptr, nullptr, &S};
  cudaError_t Error = B.createEvent(0, cudaEventDisableTiming, New.After);
  if (!Error)
    Error = B.record(*New.After, S);
  if (Error) {
    // Without the event nobody would know when: it is free after a wait.
    New.After.reset();
    Error = B.synchronize(S);
  }
  MutexLock Guard(Lock);
  New.A = Take();
  if (!New.A)
    return cudaErrorInvalidValue;
  Entries.push_back(std::move(New));
  return Error;
}

std::shared_ptr<Allocation>
DeferredFrees::reuse(uint64_t Bytes, const Stream &S,
                     const std::function<bool(const Allocation &)> &Fits) {
  MutexLock Guard(Lock);
  const auto It =
      std::find_if(Entries.begin(), Entries.end(), [&](const Entry &E) {
        return E.FreedIn == &S && E.A->bytes() == Bytes && Fits(*E.A);
      });
  if (It == Entries.end())
    return nullptr;
  std::shared_ptr<Allocation> Out = std::move(It->A);
  Entries.erase(It);
  return Out;
}

std::shared_ptr<Allocation> DeferredFrees::find(const void *Address) const {
  MutexLock Guard(Lock);
  const auto *At = static_cast<const std::byte *>(Address);
  const auto It =
      std::find_if(Entries.begin(), Entries.end(), [&](const Entry &E) {
        return At >= E.A->base() && At < E.A->base() + E.A->bytes();
      });
  return It == Entries.end() ? nullptr : It->A;
}

bool DeferredFrees::any() const {
  MutexLock Guard(Lock);
  return !Entries.empty();
}

void DeferredFrees::forget(const Stream &S) {
  MutexLock Guard(Lock);
  for (Entry &E : Entries)
    if (E.FreedIn == &S)
      E.FreedIn = nullptr;
}

void DeferredFrees::putBack(std::vector<std::shared_ptr<Allocation>> Free) {
  MutexLock Guard(Lock);
  for (std::shared_ptr<Allocation> &A : Free)
    Entries.push_back({std::move(A), nullptr, nullptr});
}

std::vector<std::shared_ptr<Allocation>> DeferredFrees::collect(bool Wait) {
  std::vector<Entry> Ready, Remaining;
  std::vector<const Stream *> Busy;
  {
    // Stays locked while events are asked: so that none is asked twice.
    MutexLock Guard(Lock);
    for (Entry &E : Entries) {
      const bool IsBusy = E.FreedIn && std::find(Busy.begin(), Busy.end(),
                                                 E.FreedIn) != Busy.end();
      if (Wait || !E.After ||
          (!IsBusy && B.query(*E.After) != cudaErrorNotReady)) {
        Ready.push_back(std::move(E));
        continue;
      }
      if (E.FreedIn && !IsBusy)
        Busy.push_back(E.FreedIn);
      Remaining.push_back(std::move(E));
    }
    Entries = std::move(Remaining);
  }
  std::vector<std::shared_ptr<Allocation>> Out;
  for (Entry &E : Ready) {
    if (Wait && E.After)
      (void)B.synchronize(*E.After);
    Out.push_back(std::move(E.A));
  }
  return Out;
}

} // namespace gridspan
