//===- SignalsBlocked.h - Threads without the program's signals -*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The program's signals are for the program's threads, not for the runtime's.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_SUPPORT_SIGNALSBLOCKED_H
#define GRIDSPAN_RUNTIME_SUPPORT_SIGNALSBLOCKED_H

#include <csignal>

namespace gridspan {

/// While it lives, threads that the calling one creates leave the program's
/// signals to the program's threads; but for those that an instruction of
/// theirs causes.
class SignalsBlocked {
public:
  SignalsBlocked() {
    sigset_t All;
    sigfillset(&All);
    for (int Own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP})
      sigdelset(&All, Own);
    pthread_sigmask(SIG_SETMASK, &All, &Before);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &Before, nullptr); }
  SignalsBlocked(const SignalsBlocked &) = delete;
  SignalsBlocked &operator=(const SignalsBlocked &) = delete;

private:
  sigset_t Before;
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_SUPPORT_SIGNALSBLOCKED_H
