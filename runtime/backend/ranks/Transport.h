//===- Transport.h - Messages from rank to rank -----------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The way on which messages travel: MPI, or memory in tests. Messages from one
// rank to another arrive in the order in which they were sent.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_BACKEND_RANKS_TRANSPORT_H
#define GRIDSPAN_RUNTIME_BACKEND_RANKS_TRANSPORT_H

#include "runtime/backend/ranks/Wire.h"
#include <functional>

namespace gridspan::ranks {

class Transport {
public:
  using Handler = std::function<void(int From, Buffer Message)>;

  virtual ~Transport();
  virtual int rank() const = 0;
  virtual int numRanks() const = 0;

  /// Has arriving messages handled, on the transport's own thread, from now on.
  /// The handler does not wait for other messages.
  virtual void start(Handler Handle) = 0;
  /// Handles no message any more when this returns.
  virtual void stop() = 0;
  /// Sends a message, also to this rank itself. Thread-safe; does not wait for
  /// the receiver.
  virtual void send(int To, MessageBytes Message) = 0;
  /// Threads that wait may look again and again before they sleep, if there are
  /// processors enough: the devices of this rank are none of them. Thread-safe.
  virtual void allowSpinning() {}
};

} // namespace gridspan::ranks

#endif // GRIDSPAN_RUNTIME_BACKEND_RANKS_TRANSPORT_H
