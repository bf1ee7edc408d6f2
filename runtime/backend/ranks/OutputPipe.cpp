//===- OutputPipe.cpp - What kernels of a server print --------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread empties the pipe, as whoever prints more than it holds waits. A
// flush reads what there is on its own, so that it needs no answer from that
// thread.
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/ranks/OutputPipe.h"
#include <array>
#include <cstdio>
#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

namespace gridspan::ranks {

OutputPipe::OutputPipe(Receiver Receive) : Receive(std::move(Receive)) {
  int Ends[2];
  std::fflush(stdout);
  if (pipe2(Ends, O_CLOEXEC) != 0)
    return;
  From = FileDescriptor(Ends[0]);
  (void)fcntl(From.get(), F_SETFL, O_NONBLOCK);
  (void)dup2(Ends[1], STDOUT_FILENO);
  close(Ends[1]);
  Stop = FileDescriptor(eventfd(0, EFD_CLOEXEC));
  Reader = std::thread([this] { work(); });
}

OutputPipe::~OutputPipe() {
  if (!Reader.joinable())
    return;
  (void)eventfd_write(Stop.get(), 1);
  Reader.join();
}

void OutputPipe::drain() {
  std::array<std::byte, 65536> Bytes;
  while (true) {
    const ssize_t Got = read(From.get(), Bytes.data(), Bytes.size());
    if (Got <= 0)
      return;
    if (!IsMute)
      Receive({Bytes.data(), static_cast<size_t>(Got)});
  }
}

void OutputPipe::flush() {
  std::fflush(stdout);
  MutexLock Guard(Lock);
  drain();
}

void OutputPipe::mute(const std::function<void()> &Fn) {
  flush();
  {
    MutexLock Guard(Lock);
    IsMute = true;
  }
  Fn();
  flush();
  MutexLock Guard(Lock);
  IsMute = false;
}

void OutputPipe::work() {
  while (true) {
    pollfd Wanted[] = {{From.get(), POLLIN, 0}, {Stop.get(), POLLIN, 0}};
    if (poll(Wanted, 2, -1) < 0)
      continue;
    if (Wanted[1].revents)
      return;
    MutexLock Guard(Lock);
    drain();
  }
}

} // namespace gridspan::ranks
