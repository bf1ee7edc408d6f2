//===- Signals.h - Tokens that streams wait for -----------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each token is waited for once, and answered once, in any order.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_BACKEND_RANKS_SIGNALS_H
#define GRIDSPAN_RUNTIME_BACKEND_RANKS_SIGNALS_H

#include "runtime/backend/SpinningCondition.h"
#include "runtime/backend/ranks/Messages.h"
#include "runtime/support/ThreadSafety.h"
#include <driver_types.h>
#include <unordered_map>

namespace gridspan::ranks {

/// Thread-safe.
class Signals {
public:
  void arrive(Token T, Reply Answer) {
    MutexLock Guard(Lock);
    Arrived.emplace(T, Answer);
    Changed.notifyAll();
  }
  void arrive(Token T, int32_t Error) { arrive(T, Reply{T, Error}); }

  /// Blocks until the answer is here.
  Reply wait(Token T) {
    MutexLock Guard(Lock);
    Changed.wait(Guard, [&]() REQUIRES(Lock) {
      return Failed || Arrived.find(T) != Arrived.end();
    });
    const auto It = Arrived.find(T);
    if (It == Arrived.end())
      return {T, cudaErrorUnknown};
    const Reply Out = It->second;
    Arrived.erase(It);
    return Out;
  }

  /// Answers all that is waited for, now and later.
  void fail() {
    MutexLock Guard(Lock);
    Failed = true;
    Changed.notifyAll();
  }

private:
  Mutex Lock;
  SpinningCondition Changed;
  std::unordered_map<Token, Reply> Arrived GUARDED_BY(Lock);
  bool Failed GUARDED_BY(Lock) = false;
};

} // namespace gridspan::ranks

#endif // GRIDSPAN_RUNTIME_BACKEND_RANKS_SIGNALS_H
