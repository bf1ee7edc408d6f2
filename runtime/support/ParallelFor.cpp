//===- ParallelFor.cpp - Work that threads share --------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Threads are started with all signals blocked, so that handlers of the program
// run on its own threads. Work that gets no thread runs on the caller's.
//
//===----------------------------------------------------------------------===//

#include "runtime/support/ParallelFor.h"
#include "runtime/support/SignalsBlocked.h"
#include "runtime/support/ThreadSafety.h"
#include <exception>
#include <thread>
#include <vector>

namespace gridspan {

void parallelFor(size_t Count, const std::function<void(size_t)> &Work) {
  if (Count == 0)
    return;
  Mutex Lock;
  std::exception_ptr First;
  auto Run = [&](size_t I) {
    try {
      Work(I);
    } catch (...) {
      MutexLock Guard(Lock);
      if (!First)
        First = std::current_exception();
    }
  };
  // Room first: what throws while threads run must be caught.
  std::vector<std::thread> Threads;
  Threads.reserve(Count - 1);
  size_t Next = 1;
  {
    SignalsBlocked Scope;
    try {
      for (; Next < Count; ++Next)
        Threads.emplace_back(Run, Next);
    } catch (...) {
      // There are no more.
    }
  }
  Run(0);
  for (; Next < Count; ++Next)
    Run(Next);
  for (std::thread &T : Threads)
    T.join();
  if (First)
    std::rethrow_exception(First);
}

} // namespace gridspan
