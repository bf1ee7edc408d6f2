//===- SharedSignalTest.cpp - Steps that processes wait for ---------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/support/SharedSignal.h"
#include "gtest/gtest.h"
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <thread>

using namespace gridspan;

static FileDescriptor copyOf(const FileDescriptor &File) {
  return FileDescriptor(fcntl(File.get(), F_DUPFD_CLOEXEC, 0));
}

TEST(SharedSignal, StepsAreDoneInAnyOrder) {
  const auto Signal = SharedSignal::create();
  ASSERT_TRUE(Signal);
  EXPECT_EQ(Signal->last(), 0U);
  EXPECT_TRUE(Signal->isDone(0));
  const uint64_t First = Signal->announce(), Second = Signal->announce();
  EXPECT_EQ(Signal->last(), Second);
  EXPECT_FALSE(Signal->isDone(First));
  Signal->finish(Second);
  EXPECT_FALSE(Signal->isDone(First));
  EXPECT_TRUE(Signal->isDone(Second));
  Signal->finish(First);
  EXPECT_TRUE(Signal->isDone(First));
}

TEST(SharedSignal, AProcessWaitsForAnother) {
  const auto Signal = SharedSignal::create();
  ASSERT_TRUE(Signal);
  const uint64_t Mine = Signal->announce();
  const pid_t Child = fork();
  if (Child == 0) {
    const auto Same = SharedSignal::open(copyOf(Signal->file()));
    if (!Same || Same->isDone(Mine))
      _exit(1);
    const uint64_t Own = Same->announce();
    Same->finish(Own);
    Same->wait(Mine);
    _exit(Same->isDone(Mine) ? 0 : 2);
  }
  Signal->wait(Mine + 1); // the child's
  Signal->finish(Mine);
  int Status = 1;
  ASSERT_EQ(waitpid(Child, &Status, 0), Child);
  EXPECT_TRUE(WIFEXITED(Status) && WEXITSTATUS(Status) == 0);
}

TEST(SharedSignal, ManyLaterStepsDoNotHideAnEarlierOne) {
  const auto Signal = SharedSignal::create();
  ASSERT_TRUE(Signal);
  const uint64_t First = Signal->announce();
  std::thread Later([&] {
    for (int I = 0; I < 5000; ++I)
      Signal->finish(Signal->announce());
  });
  Signal->wait(First + 100);
  EXPECT_FALSE(Signal->isDone(First));
  Signal->finish(First);
  Later.join();
  EXPECT_TRUE(Signal->isDone(First));
  EXPECT_TRUE(Signal->isDone(Signal->last()));
}

TEST(SharedSignal, OtherFilesAreNone) {
  EXPECT_FALSE(SharedSignal::open(FileDescriptor()));
  EXPECT_FALSE(
      SharedSignal::open(FileDescriptor(memfd_create("test", MFD_CLOEXEC))));
}
