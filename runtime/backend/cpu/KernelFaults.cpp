//===- KernelFaults.cpp - Faults in device code ---------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The handler runs on a stack of its own, as a full stack is one of the faults.
// It leaves device code as any failing thread does: a fiber is never resumed, a
// thread that is no fiber jumps to where its block was called. Both are sound
// because frames of device code have nothing to destroy, and because the signal
// is synchronous: it comes where device code accesses memory, never inside of
// the runtime (LaunchState::Running). The signal is not blocked while the
// handler runs, so that leaving it needs no mask to be restored.
//
// What is no fault of device code goes to the handler that was there before.
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/cpu/KernelFaults.h"
#include "runtime/backend/cpu/BlockScheduler.h"
#include <algorithm>
#include <csignal>
#include <fmt/format.h>
#include <mutex>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace gridspan;

static thread_local LaunchState *Current = nullptr;

namespace {

/// A stack for the handler, and the bounds of the thread's own.
class ThreadStacks {
public:
  ThreadStacks();
  ~ThreadStacks();

  /// Returns true if a fault at P says that the thread's own stack is full.
  bool isBelow(const char *P) const {
    return P >= Lo - GuardBytes && P < Lo + PageBytes;
  }

private:
  static constexpr size_t HandlerBytes = 64 << 10;
  static constexpr size_t PageBytes = 4096;
  static constexpr size_t GuardBytes = 64 << 10;

  void *Handler = nullptr;
  const char *Lo = nullptr;
};

} // namespace

ThreadStacks::ThreadStacks() {
  pthread_attr_t Attributes;
  if (!pthread_getattr_np(pthread_self(), &Attributes)) {
    void *Base = nullptr;
    size_t Size = 0;
    pthread_attr_getstack(&Attributes, &Base, &Size);
    pthread_attr_destroy(&Attributes);
    Lo = static_cast<const char *>(Base);
  }
  stack_t Before = {};
  if (sigaltstack(nullptr, &Before) || !(Before.ss_flags & SS_DISABLE))
    return;
  void *Base = mmap(nullptr, HandlerBytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (Base == MAP_FAILED)
    return;
  stack_t New = {};
  New.ss_sp = Base;
  New.ss_size = HandlerBytes;
  if (sigaltstack(&New, nullptr))
    munmap(Base, HandlerBytes);
  else
    Handler = Base;
}

ThreadStacks::~ThreadStacks() {
  if (!Handler)
    return;
  stack_t Off = {};
  Off.ss_flags = SS_DISABLE;
  sigaltstack(&Off, nullptr);
  munmap(Handler, HandlerBytes);
}

static thread_local const ThreadStacks Stacks;

//===--- The handler ----------------------------------------------------===//

static struct sigaction BeforeSegv, BeforeBus;

/// Hands the signal on; by default the process ends when the instruction runs
/// again.
static void callHandlerBefore(int Signal, siginfo_t *Info, void *Context) {
  const struct sigaction &Before = Signal == SIGBUS ? BeforeBus : BeforeSegv;
  if (Before.sa_flags & SA_SIGINFO)
    Before.sa_sigaction(Signal, Info, Context);
  else if (Before.sa_handler != SIG_DFL && Before.sa_handler != SIG_IGN)
    Before.sa_handler(Signal);
  else
    sigaction(Signal, &Before, nullptr);
}

/// Says which kernel the process ends for. Takes no memory.
static void printFaultOfCallee(const LaunchState &Launch, const void *Address) {
  char Text[1024];
  const auto End = fmt::format_to_n(
      Text, sizeof(Text),
      "gridspan: {}: a function that block {} called, such as printf, accesses "
      "{}\n",
      Launch.Launch.Kernel->Name, Launch.Calling->Number, Address);
  if (write(STDERR_FILENO, Text, std::min(End.size, sizeof(Text))) < 0)
    return;
}

static void onFault(int Signal, siginfo_t *Info, void *Context) {
  LaunchState *Launch = Current;
  // Sent by somebody, or not from device code.
  if (!Launch || !Launch->Running || Info->si_code <= 0) {
    if (Launch && Launch->Calling && Info->si_code > 0)
      printFaultOfCallee(*Launch, Info->si_addr);
    callHandlerBefore(Signal, Info, Context);
    return;
  }
  BlockState &Block = *Launch->Running;
  Launch->Running = nullptr;
  const auto *Address = static_cast<const char *>(Info->si_addr);
  DeviceFault &Fault = Launch->Fault.emplace();
  Fault.Address = Address;
  Fault.Block = Block.Number;
  if (Block.Scheduled) {
    constexpr size_t GuardBytes = 4096;
    const DeviceThread &Thread = Block.Scheduled->current();
    const char *Lo = Thread.Stack->stackLo();
    Fault.Thread = Thread.Linear;
    Fault.StackOverflow = Address >= Lo - GuardBytes && Address < Lo;
  } else {
    Fault.Thread = Launch->Thread;
    Fault.StackOverflow = Stacks.isBelow(Address);
  }
  Launch->Error = Fault.StackOverflow ? cudaErrorHardwareStackError
                                      : cudaErrorIllegalAddress;
  if (Block.Scheduled)
    Block.Scheduled->endThread();
  std::longjmp(Launch->Failed, 1);
}

/// Sanitizers have handlers of their own, which say more.
static constexpr bool HasOwnHandler =
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
    true;
#else
    false;
#endif
#else
    false;
#endif

static void installHandler() {
  struct sigaction Action = {};
  Action.sa_sigaction = onFault;
  Action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  sigemptyset(&Action.sa_mask);
  sigaction(SIGSEGV, &Action, &BeforeSegv);
  sigaction(SIGBUS, &Action, &BeforeBus);
}

FaultScope::FaultScope(LaunchState &Launch) : Outer(Current) {
  static std::once_flag Installed;
  if (!HasOwnHandler)
    std::call_once(Installed, installHandler);
  (void)Stacks.isBelow(nullptr); // makes them
  Current = &Launch;
}

FaultScope::~FaultScope() { Current = Outer; }

CalleeScope::CalleeScope()
    : Launch(Current), Caller(Launch ? Launch->Running : nullptr) {
  if (!Launch)
    return;
  Launch->Running = nullptr;
  Launch->Calling = Caller;
}

CalleeScope::~CalleeScope() {
  if (!Launch)
    return;
  Launch->Running = Caller;
  Launch->Calling = nullptr;
}
