//===- RankServer.h - The devices of a rank, for rank 0 ---------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Does what rank 0 asks for with the devices of this process. Every stream of
// rank 0 here is a stream of the backend, with a thread for what cannot be left
// to it: waiting for other ranks. Commands reach the backend at once as long as
// that thread has nothing to do, and in their order behind it else.
//
// What may take long (opening devices, mapping memory, compiling a kernel, and
// any command to a GPU, whose queue may be full) is not for the thread that
// hands over messages: that one tells other ranks that this one is there. A
// queue does it, and what comes behind it, in the same order.
//
// What a message asks for is checked before it is done: numbers that nobody
// gave out, devices that do not exist, and memory that is not mapped are
// failures of the command, not of the process. Arguments of kernels are taken
// as they are.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_BACKEND_RANKS_RANKSERVER_H
#define GRIDSPAN_RUNTIME_BACKEND_RANKS_RANKSERVER_H

#include "runtime/backend/RangeTable.h"
#include "runtime/backend/ranks/DataMover.h"
#include <atomic>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace gridspan::ranks {

class OutputPipe;

class RankServer {
public:
  /// Makes the devices that rank 0 asks for; null with a message if there are
  /// none.
  using MakeDevices = std::function<std::unique_ptr<Backend>(
      const Hello &Wanted, std::string &Message)>;

  struct Options {
    uint64_t Program = 0; ///< checksum of the executable
    std::string Host;
    /// What devices print goes to rank 0; null: where it goes.
    OutputPipe *Output = nullptr;
    /// The address from which offsets of symbols count.
    const void *ImageBase = nullptr;
  };

  RankServer(Transport &Way, MakeDevices Make, Options Settings);
  ~RankServer();

  /// Handles a message, now or soon. To be called by one thread.
  void handle(int From, const Buffer &Bytes);
  /// Blocks until all messages so far are handled.
  void waitUntilHandled() { Handling->last().wait(); }
  /// Blocks until rank 0 has sent Quit.
  void waitUntilQuit();
  bool hasQuit();

private:
  struct ServerStream;
  struct Recording;
  struct Notice;

  // One for each kind of message.
#define GRIDSPAN_MESSAGE(Name)                                                 \
  void on(int From, const Name &M, const Buffer &Keep);
#include "runtime/backend/ranks/Messages.def"
  void on(int, const std::monostate &, const Buffer &) {}

  std::string open(const Hello &M);
  template <typename T> void send(int To, const T &M) {
    Way.send(To, encode(M));
  }
  void reply(Token To, cudaError_t Error, uint64_t First = 0,
             uint64_t Second = 0) {
    send(0, Reply{To, Error, First, Second});
  }
  /// Tells rank 0 of a command that failed.
  void fail(cudaError_t Error, const std::string &Text = "");
  ServerStream *stream(uint64_t Number);
  bool isDevice(int32_t Device) const;
  /// Runs Work, which does not wait, in the stream's order.
  void run(uint64_t Number, std::function<cudaError_t(Stream &)> Work);
  bool takesCommandsAtOnce() const;
  void issue(const std::shared_ptr<Recording> &R, Stream &Native);
  void tell(Recording &R);
  double millisecondsOf(Recording &R);
  void settle(const Write &M);
  void aroundLoading(const std::function<void()> &Load);
  bool mayTouch(uint64_t Address, uint64_t Bytes);

  Transport &Way;
  const MakeDevices Make;
  const Options Settings;
  Signals Tokens;
  std::unique_ptr<Backend> B;
  std::unique_ptr<DataMover> Mover;
  Debts Owed{1, DataMover::PieceBytes}; ///< for Writes

  std::unordered_map<uint64_t, std::shared_ptr<ServerStream>> Streams;
  std::unordered_map<uint64_t, std::unique_ptr<Pages>> AllPages;
  std::unordered_map<uint64_t, const GridspanKernel *> Kernels;
  /// Addresses and sizes of variables that rank 0 knows, by library.
  std::map<std::string, std::vector<std::pair<uint64_t, uint64_t>>> Variables;

  RangeTable<uint64_t> Reserved; ///< by rank 0; the size of each

  Mutex MemoryLock;
  RangeTable<int> Touchable GUARDED_BY(MemoryLock);

  Mutex RecordingLock;
  /// Those that are not reached.
  std::unordered_map<uint64_t, std::shared_ptr<Recording>>
      Recordings GUARDED_BY(RecordingLock);

  Mutex TimeLock;
  struct Epoch {
    std::shared_ptr<Event> Last;
    double Milliseconds = 0;
  };
  std::unordered_map<int, Epoch> Epochs GUARDED_BY(TimeLock);

  /// What may take long, and messages behind it.
  std::shared_ptr<CpuQueue> Handling = std::make_shared<CpuQueue>();
  /// Ends streams that rank 0 has given back.
  std::shared_ptr<CpuQueue> Reaper = std::make_shared<CpuQueue>();

  Mutex QuitLock;
  std::condition_variable Quitting;
  bool HasQuit GUARDED_BY(QuitLock) = false;
};

} // namespace gridspan::ranks

#endif // GRIDSPAN_RUNTIME_BACKEND_RANKS_RANKSERVER_H
