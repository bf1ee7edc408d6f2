//===- Fiber.cpp - Threads of a device as fibers --------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Boost.Context switches stacks; ours are mapped in slabs, each with a page
// below it that cannot be touched. The first frames of neighbouring stacks are
// moved against each other by a few cache lines, since all threads of a block
// run the same code and would otherwise use the same cache sets.
//
// The address and the thread sanitizer are told of each switch
// (sanitizer/common_interface_defs.h, sanitizer/tsan_interface.h).
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/cpu/Fiber.h"
#include <boost/context/preallocated.hpp>
#include <boost/context/stack_context.hpp>
#include <cassert>
#include <new>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define GRIDSPAN_ASAN 1
#endif
#if __has_feature(thread_sanitizer)
#define GRIDSPAN_TSAN 1
#endif
#endif
#ifdef GRIDSPAN_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef GRIDSPAN_TSAN
#include <sanitizer/tsan_interface.h>
#endif

using namespace gridspan;

//===--- Sanitizer ------------------------------------------------------===//

static void beginSwitch(void **Fake, const void *Lo, size_t Size) {
#ifdef GRIDSPAN_ASAN
  __sanitizer_start_switch_fiber(Fake, Lo, Size);
#endif
}

static void endSwitch(void *Fake, const void **OldLo, size_t *OldSize) {
#ifdef GRIDSPAN_ASAN
  __sanitizer_finish_switch_fiber(Fake, OldLo, OldSize);
#endif
}

static void forgetStack(char *Lo, char *Hi) {
#ifdef GRIDSPAN_ASAN
  __asan_unpoison_memory_region(Lo, Hi - Lo);
#endif
}

static void *makeThreadState() {
#ifdef GRIDSPAN_TSAN
  return __tsan_create_fiber(0);
#else
  return nullptr;
#endif
}

static void destroyThreadState(void *State) {
#ifdef GRIDSPAN_TSAN
  __tsan_destroy_fiber(State);
#endif
}

static void *currentThreadState() {
#ifdef GRIDSPAN_TSAN
  return __tsan_get_current_fiber();
#else
  return nullptr;
#endif
}

static void switchThreadState(void *State) {
#ifdef GRIDSPAN_TSAN
  __tsan_switch_to_fiber(State, 0);
#endif
}

//===--- Fiber ----------------------------------------------------------===//

namespace {
/// An allocator that does nothing: stacks belong to the pool.
struct NoStackAllocator {
  boost::context::stack_context allocate() { return {}; }
  void deallocate(boost::context::stack_context &) {}
};
} // namespace

Fiber::Fiber(char *Lo, char *Hi) : Lo(Lo), Hi(Hi) {}

Fiber::~Fiber() { leave(); }

void Fiber::leave() {
  if (Started) {
    forgetStack(Lo, Hi);
    destroyThreadState(ThreadState);
  }
  Started = false;
  Busy = false;
}

void Fiber::start() {
  boost::context::stack_context Context;
  Context.sp = Hi;
  Context.size = Hi - Lo;
  boost::context::preallocated Stack(Hi, Context.size, Context);
  new (&Self.Fiber)
      boost::context::fiber(std::allocator_arg, Stack, NoStackAllocator(),
                            [this](boost::context::fiber &&From) {
                              runJobs(std::move(From));
                              return std::move(Caller.Fiber);
                            });
  ThreadState = makeThreadState();
  Started = true;
}

void Fiber::runJobs(boost::context::fiber &&From) {
  endSwitch(nullptr, &CallerStack, &CallerSize);
  new (&Caller.Fiber) boost::context::fiber(std::move(From));
  for (;;) {
    Fn(Data);
    Busy = false;
    suspend();
  }
}

void Fiber::setJob(JobFn NewFn, void *NewData) {
  if (Busy)
    leave();
  Fn = NewFn;
  Data = NewData;
  Busy = true;
}

void Fiber::resume() {
  assert(Busy && "a job is set");
  if (!Started)
    start();
  void *Fake = nullptr;
  beginSwitch(&Fake, Lo, Hi - Lo);
  CallerThreadState = currentThreadState();
  switchThreadState(ThreadState);
  Self.Fiber = std::move(Self.Fiber).resume();
  endSwitch(Fake, nullptr, nullptr);
}

void Fiber::suspend() {
  beginSwitch(&CallerFake, CallerStack, CallerSize);
  switchThreadState(CallerThreadState);
  Caller.Fiber = std::move(Caller.Fiber).resume();
  endSwitch(CallerFake, &CallerStack, &CallerSize);
}

//===--- FiberPool ------------------------------------------------------===//

FiberPool &FiberPool::get() {
  static thread_local FiberPool Pool;
  return Pool;
}

FiberPool::~FiberPool() {
  All.clear();
  for (const Slab &S : Slabs)
    munmap(S.Base, S.Bytes);
}

bool FiberPool::addSlab() {
  constexpr size_t PerSlab = 64;
  const size_t Page = sysconf(_SC_PAGESIZE);
  if (All.size() + PerSlab > MaxFibers)
    return false;
  const size_t Stride = StackBytes + Page, Bytes = PerSlab * Stride;
  void *Base = mmap(nullptr, Bytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (Base == MAP_FAILED)
    return false;
  Slabs.push_back({static_cast<char *>(Base), Bytes});
  for (size_t I = 0; I != PerSlab; ++I) {
    char *Lo = Slabs.back().Base + I * Stride;
    if (mprotect(Lo, Page, PROT_NONE))
      return I > 0;
    const size_t Shift = (All.size() % 61) * 128;
    All.push_back(std::make_unique<Fiber>(Lo + Page, Lo + Stride - Shift));
    Free.push_back(All.back().get());
  }
  return true;
}

Fiber *FiberPool::acquire() {
  if (Free.empty() && !addSlab())
    return nullptr;
  Fiber *F = Free.back();
  Free.pop_back();
  return F;
}
