//===- ThreadTeam.cpp - Threads that wait awake ---------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A helper that has seen a new generation steps inside, and looks at the work
// only if it is open then. Whoever brought the work closes it when no call is
// left to begin, and waits until nobody is inside; only then is it changed. A
// helper that is late finds it closed, or the next work open, which is as good.
// Both write one of Inside and IsOpen and then read the other, so these are in
// one order for all (C++20, [atomics.order]).
//
//===----------------------------------------------------------------------===//

#include "runtime/support/ThreadTeam.h"
#include "runtime/support/SignalsBlocked.h"
#include <chrono>
#include <system_error>

namespace gridspan {

/// About as long as a frame takes over the bus: while one follows another,
/// nobody sleeps.
static constexpr std::chrono::microseconds Awake{500};
static constexpr unsigned Looks = 64;

/// Looks for a while whether it is so; afterwards others may have the
/// processor.
template <typename Fn> static void lookAgain(Fn IsSo) {
  for (unsigned I = 0; I < Looks && !IsSo(); ++I) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }
  std::this_thread::yield();
}

ThreadTeam::ThreadTeam(unsigned Threads) {
  const SignalsBlocked Scope;
  try {
    while (Helpers.size() + 1 < Threads)
      Helpers.emplace_back([this] { help(); });
  } catch (const std::system_error &) {
    // There are no more; the work is done with fewer.
  }
}

ThreadTeam::~ThreadTeam() {
  Stopping = true;
  ++Generation;
  Generation.notify_all();
  for (std::thread &T : Helpers)
    T.join();
}

void ThreadTeam::takePart() {
  for (size_t I; (I = Next.fetch_add(1)) < Count;)
    (*Work)(I);
}

void ThreadTeam::run(size_t NumCalls, const std::function<void(size_t)> &Fn) {
  MutexLock Guard(Turn);
  Work = &Fn;
  Count = NumCalls;
  Next = 0;
  IsOpen = true;
  ++Generation;
  Generation.notify_all();
  takePart();
  IsOpen = false;
  while (Inside != 0)
    lookAgain([this] { return Inside == 0; });
}

void ThreadTeam::help() {
  uint32_t Seen = 0;
  while (!Stopping) {
    ++Inside;
    if (IsOpen)
      takePart();
    --Inside;
    const auto Begin = std::chrono::steady_clock::now();
    while (Generation == Seen &&
           std::chrono::steady_clock::now() - Begin < Awake)
      lookAgain([&] { return Generation != Seen; });
    Generation.wait(Seen);
    Seen = Generation;
  }
}

} // namespace gridspan
