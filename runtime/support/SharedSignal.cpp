//===- SharedSignal.cpp - Steps that processes wait for -------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The file is mapped by all processes. Each step has a word that holds its
// number once it is done. There are finitely many: a step gets the word of the
// one that is NumWords older, and waits for that to be done, so that a word
// only grows and tells of all steps up to its number that share it. Waiting is
// a futex on a count of the changes (futex(2)), read before the word is: a
// change in between makes the call return.
//
//===----------------------------------------------------------------------===//

#include "runtime/support/SharedSignal.h"
#include <array>
#include <atomic>
#include <climits>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>

namespace gridspan {

static constexpr uint64_t NumWords = 2048;

/// Zeros are a signal without steps, as a new file has.
struct SharedSignal::Contents {
  std::atomic<uint32_t> Changes;
  std::atomic<uint64_t> Last;
  std::array<std::atomic<uint64_t>, NumWords> Done;
};
static_assert(std::atomic<uint64_t>::is_always_lock_free);
static_assert(sizeof(std::atomic<uint32_t>) == sizeof(uint32_t));

SharedSignal::SharedSignal(FileDescriptor File, Contents *Mapped)
    : File(std::move(File)), Mapped(Mapped) {}

SharedSignal::~SharedSignal() { munmap(Mapped, sizeof(Contents)); }

std::shared_ptr<SharedSignal> SharedSignal::map(FileDescriptor File) {
  void *Address = mmap(nullptr, sizeof(Contents), PROT_READ | PROT_WRITE,
                       MAP_SHARED, File.get(), 0);
  if (Address == MAP_FAILED)
    return nullptr;
  return std::shared_ptr<SharedSignal>(
      new SharedSignal(std::move(File), static_cast<Contents *>(Address)));
}

std::shared_ptr<SharedSignal> SharedSignal::create() {
  FileDescriptor File(memfd_create("gridspan-signal", MFD_CLOEXEC));
  if (!File || ftruncate(File.get(), sizeof(Contents)) != 0)
    return nullptr;
  return map(std::move(File));
}

std::shared_ptr<SharedSignal> SharedSignal::open(FileDescriptor File) {
  struct stat Status;
  if (!File || fstat(File.get(), &Status) != 0 ||
      Status.st_size != sizeof(Contents))
    return nullptr;
  return map(std::move(File));
}

uint64_t SharedSignal::announce() { return Mapped->Last.fetch_add(1) + 1; }

uint64_t SharedSignal::last() const { return Mapped->Last; }

bool SharedSignal::isDone(uint64_t Step) const {
  return Mapped->Done[Step % NumWords] >= Step;
}

static long callFutex(std::atomic<uint32_t> &Word, int Operation,
                      uint32_t Value) {
  return syscall(SYS_futex, &Word, Operation, Value, nullptr, nullptr, 0);
}

void SharedSignal::finish(uint64_t Step) {
  if (Step > NumWords)
    wait(Step - NumWords);
  Mapped->Done[Step % NumWords] = Step;
  ++Mapped->Changes;
  callFutex(Mapped->Changes, FUTEX_WAKE, INT_MAX);
}

void SharedSignal::wait(uint64_t Step) const {
  for (;;) {
    const uint32_t Seen = Mapped->Changes;
    if (isDone(Step))
      return;
    callFutex(Mapped->Changes, FUTEX_WAIT, Seen);
  }
}

} // namespace gridspan
