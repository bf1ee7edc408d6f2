//===- LoopNetwork.h - Ranks in one process ---------------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A transport through memory, and servers with CPU devices behind it, so that
// ranks can be tested without MPI.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_TEST_UNIT_RUNTIME_BACKEND_RANKS_LOOPNETWORK_H
#define GRIDSPAN_TEST_UNIT_RUNTIME_BACKEND_RANKS_LOOPNETWORK_H

#include "runtime/backend/CreateBackend.h"
#include "runtime/backend/ranks/RankBackend.h"
#include "runtime/backend/ranks/RankServer.h"
#include <deque>
#include <thread>

namespace gridspan::ranks {

/// The queues of messages for all ranks.
class LoopNetwork {
public:
  explicit LoopNetwork(int NumRanks) : Ends(static_cast<size_t>(NumRanks)) {}

  struct Arrival {
    int From;
    Buffer Bytes;
  };
  struct End {
    Mutex Lock;
    std::condition_variable Changed;
    std::deque<Arrival> Queue GUARDED_BY(Lock);
    bool Stopped GUARDED_BY(Lock) = false;
  };
  std::vector<End> Ends;
};

class LoopTransport : public Transport {
public:
  LoopTransport(std::shared_ptr<LoopNetwork> Net, int Rank)
      : Net(std::move(Net)), Rank(Rank) {}
  ~LoopTransport() override { stop(); }

  int rank() const override { return Rank; }
  int numRanks() const override { return static_cast<int>(Net->Ends.size()); }

  void start(Handler Handle) override {
    Worker = std::thread([this, Handle = std::move(Handle)] {
      LoopNetwork::End &Own = Net->Ends[static_cast<size_t>(Rank)];
      MutexLock Guard(Own.Lock);
      while (true) {
        while (Own.Queue.empty() && !Own.Stopped)
          Guard.wait(Own.Changed);
        if (Own.Queue.empty())
          return;
        LoopNetwork::Arrival Next = std::move(Own.Queue.front());
        Own.Queue.pop_front();
        Guard.unlock();
        Handle(Next.From, std::move(Next.Bytes));
        Guard.lock();
      }
    });
  }
  void stop() override {
    LoopNetwork::End &Own = Net->Ends[static_cast<size_t>(Rank)];
    {
      MutexLock Guard(Own.Lock);
      Own.Stopped = true;
      Own.Changed.notify_all();
    }
    if (Worker.joinable())
      Worker.join();
  }
  void send(int To, MessageBytes Message) override {
    LoopNetwork::End &Other = Net->Ends[static_cast<size_t>(To)];
    MutexLock Guard(Other.Lock);
    Other.Queue.push_back(
        {Rank, std::make_shared<MessageBytes>(std::move(Message))});
    Other.Changed.notify_all();
  }

private:
  const std::shared_ptr<LoopNetwork> Net;
  const int Rank;
  std::thread Worker;
};

/// A server in this process.
class LoopServer {
public:
  using Wrap =
      std::function<std::unique_ptr<Backend>(std::unique_ptr<Backend>)>;
  /// Theirs makes its devices what the test needs.
  LoopServer(const std::shared_ptr<LoopNetwork> &Net, int Rank,
             RankServer::Options Settings = {}, Wrap Theirs = nullptr)
      : Way(Net, Rank),
        Server(
            Way,
            [Theirs = std::move(Theirs)](const Hello &Wanted,
                                         std::string &Message) {
              CpuBackendOptions Options;
              Options.NumDevices = Wanted.NumCpuDevices;
              Options.MemoryPerDevice = Wanted.DeviceMemory;
              Options.SharesAddresses = true;
              auto Out = createCpuBackend(Options, Message);
              return Theirs ? Theirs(std::move(Out)) : std::move(Out);
            },
            std::move(Settings)) {
    Way.start(
        [this](int From, const Buffer &Bytes) { Server.handle(From, Bytes); });
  }
  ~LoopServer() { Way.stop(); }

  LoopTransport Way;
  RankServer Server;
};

/// What a RankBackend in this process needs.
struct LoopParts {
  std::vector<std::unique_ptr<LoopServer>> Servers;
  std::unique_ptr<LoopTransport> Way;
};

/// A RankBackend with its transport and its servers, which live longer.
class LoopBackend : private std::unique_ptr<LoopParts>,
                    public ForwardingBackend {
public:
  using Wrap = LoopServer::Wrap;
  /// Own makes rank 0's own devices what the test needs, and Theirs the others.
  static std::unique_ptr<Backend> create(int NumRanks, unsigned DevicesEach,
                                         uint64_t Memory = 0,
                                         const Wrap &Own = nullptr,
                                         const Wrap &Theirs = nullptr) {
    auto Net = std::make_shared<LoopNetwork>(NumRanks);
    auto Parts = std::make_unique<LoopParts>();
    for (int Rank = 1; Rank < NumRanks; ++Rank)
      Parts->Servers.push_back(std::make_unique<LoopServer>(
          Net, Rank, RankServer::Options(), Theirs));
    Parts->Way = std::make_unique<LoopTransport>(Net, 0);
    CpuBackendOptions Options;
    Options.NumDevices = DevicesEach;
    Options.MemoryPerDevice = Memory;
    RankBackend::Options Settings;
    Settings.Wanted.NumCpuDevices = DevicesEach;
    Settings.Wanted.DeviceMemory = Memory;
    std::string Message;
    std::unique_ptr<Backend> First = createCpuBackend(Options, Message);
    if (Own)
      First = Own(std::move(First));
    std::unique_ptr<Backend> All =
        RankBackend::create(*Parts->Way, std::move(First), Settings, Message);
    if (!All)
      return nullptr;
    return std::unique_ptr<Backend>(
        new LoopBackend(std::move(Parts), std::move(All)));
  }

private:
  LoopBackend(std::unique_ptr<LoopParts> Parts, std::unique_ptr<Backend> All)
      : std::unique_ptr<LoopParts>(std::move(Parts)),
        ForwardingBackend(std::move(All)) {}
};

} // namespace gridspan::ranks

#endif // GRIDSPAN_TEST_UNIT_RUNTIME_BACKEND_RANKS_LOOPNETWORK_H
