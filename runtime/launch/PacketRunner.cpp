//===- PacketRunner.cpp - Hand out the packets of launches ----------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each device has a thread that claims packets for it and enqueues them in a
// stream of its own. It is one packet ahead: it claims the next one when the
// one before the last has ended, so that the device never waits for a claim.
//
// Order. The streams wait for what the launch is behind. The program's stream
// holds a host function, PacketRun::wait(), which ends when all packets have:
// so whoever asks that stream, or waits for it, gets the right answer, and the
// launch call returns at once. The host function waits for threads of the
// runtime alone. These wait for packets, and packets for what the program's
// stream held before: it has all ended when the host function begins. So there
// is no circle, also if the driver has one thread for all host functions.
//
// Locks. The threads take no lock of the runtime but the run's own. That pages
// move or are freed while they enqueue is excluded by whoever does it: he waits
// for the program's streams, as for any work.
//
// Errors. Those of the first packets are the launch's. A later packet that is
// refused is offered to every device again. If all refuse, a device has failed,
// and the backend tells the program so; or else the program ends with a
// message, since a part of its launch would be missing.
//
//===----------------------------------------------------------------------===//

#include "runtime/launch/PacketRunner.h"
#include <cstdlib>
#include <fmt/format.h>
#include <utility>

namespace gridspan {

/// Waits for what the stream holds; a call that is refused is made again. After
/// a fault of the device all of them are refused, and nothing is left to run.
static void drain(Backend &B, Stream &S) {
  constexpr unsigned Attempts = 3;
  for (unsigned I = 0; I != Attempts && B.synchronize(S); ++I)
    ;
}

//===--- A launch -------------------------------------------------------===//

std::optional<Packet> PacketRun::claim(unsigned Device) {
  MutexLock Guard(Lock);
  return Queue.claim(Device);
}

cudaError_t PacketRun::enqueue(unsigned Device, const Packet &P) {
  std::array<uint32_t, 3> Lo = Launch.Lo, Count = Launch.Count;
  Lo[Launch.Axis] = P.Lo;
  Count[Launch.Axis] = P.Count;
  LaunchShape Shape = Launch.Shape;
  Shape.Grid = {Count[0], Count[1], Count[2]};
  const GridspanTile Where = {{Lo[0], Lo[1], Lo[2]},
                              {Launch.Grid[0], Launch.Grid[1], Launch.Grid[2]}};
  const cudaError_t Error = B.launch(*Streams[Device], Launch.Target, Shape,
                                     Launch.Arguments[Device].get(), &Where);
  if (!Error && Launch.NumPackets)
    Launch.NumPackets->fetch_add(1, std::memory_order_relaxed);
  return Error;
}

/// Enqueues a packet that Device was to run on any device that takes it.
void PacketRun::enqueueSomewhere(unsigned Device, const Packet &P) {
  const auto Devices = static_cast<unsigned>(Streams.size());
  cudaError_t Error = enqueue(Device, P);
  for (unsigned I = 1; Error && I <= Devices; ++I) {
    const unsigned Other = (Device + I) % Devices;
    Error = enqueue(Other, P);
    // The other device's thread does not know of it.
    if (!Error)
      drain(B, *Streams[Other]);
  }
  if (!Error)
    return;
  for (unsigned I = 0; I != Devices; ++I)
    if (B.synchronizeDevice(static_cast<int>(I)))
      return; // the program hears of it
  fmt::print(stderr,
             "gridspan: a part of a launch was refused by all devices (error "
             "{}); the program ends, since its results would be wrong\n",
             static_cast<int>(Error));
  std::abort();
}

/// Enqueues the first packets.
cudaError_t PacketRun::begin() {
  for (unsigned Device = 0, E = Streams.size(); Device != E; ++Device) {
    Events &Of = Done.emplace_back();
    for (std::unique_ptr<Event> &New : Of)
      if (cudaError_t Error = B.createEvent(
              static_cast<int>(Device),
              cudaEventDisableTiming | cudaEventBlockingSync, New))
        return Error;
    const std::optional<Packet> P = claim(Device);
    if (!P)
      continue;
    if (cudaError_t Error = enqueue(Device, *P))
      return Error;
    if (cudaError_t Error = B.record(*Of[0], *Streams[Device]))
      return Error;
  }
  return cudaSuccess;
}

/// Hands packets to a device until there are none.
void PacketRun::work(unsigned Device) {
  TraceScope Scope(Context);
  size_t Next = 1; // of its events
  while (const std::optional<Packet> P = claim(Device)) {
    enqueueSomewhere(Device, *P);
    // An event that cannot be recorded is that of an earlier packet.
    if (B.record(*Done[Device][Next], *Streams[Device]))
      drain(B, *Streams[Device]);
    Next = 1 - Next;
    (void)B.synchronize(*Done[Device][Next]);
  }
  drain(B, *Streams[Device]);
}

/// Notes that a device has ended. Returns true for the last one.
bool PacketRun::isLast() {
  MutexLock Guard(Lock);
  return --Running == 0;
}

void PacketRun::finish() {
  MutexLock Guard(Lock);
  IsDone = true;
  Finished.notify_all();
}

void PacketRun::wait() {
  MutexLock Guard(Lock);
  while (!IsDone)
    Guard.wait(Finished);
}

//===--- All launches ---------------------------------------------------===//

Expected<std::shared_ptr<PacketRun>> PacketRunner::prepare(PacketLaunch Launch,
                                                           PacketQueue Queue) {
  std::vector<std::unique_ptr<Stream>> Streams;
  for (size_t Device = 0, E = Launch.Arguments.size(); Device != E; ++Device) {
    std::unique_ptr<Stream> Mine;
    {
      MutexLock Guard(Lock);
      if (Free.size() <= Device)
        Free.resize(Device + 1);
      if (!Free[Device].empty()) {
        Mine = std::move(Free[Device].back());
        Free[Device].pop_back();
      }
    }
    if (!Mine)
      if (cudaError_t Error = B.createStream(static_cast<int>(Device),
                                             StreamKind::NonBlocking, 0, Mine))
        return Error;
    Streams.push_back(std::move(Mine));
  }
  return std::make_shared<PacketRun>(B, std::move(Launch), std::move(Queue),
                                     std::move(Streams));
}

void PacketRunner::giveBack(PacketRun &Run) {
  MutexLock Guard(Lock);
  for (size_t Device = 0, E = Run.Streams.size(); Device != E; ++Device)
    Free[Device].push_back(std::move(Run.Streams[Device]));
}

cudaError_t PacketRunner::start(const std::shared_ptr<PacketRun> &Run) {
  const auto Devices = static_cast<unsigned>(Run->Streams.size());
  if (cudaError_t Error = Run->begin()) {
    for (std::unique_ptr<Stream> &S : Run->Streams)
      drain(B, *S);
    giveBack(*Run);
    return Error;
  }
  auto Work = [this, Run](unsigned Device) {
    Run->work(Device);
    if (!Run->isLast())
      return;
    giveBack(*Run);
    Run->finish();
  };
  std::vector<unsigned> Left;
  for (unsigned Device = 0; Device != Devices; ++Device)
    if (!Threads.run([Work, Device] { Work(Device); }))
      Left.push_back(Device);
  // Without threads the launch call does it, and returns later.
  for (unsigned Device : Left)
    Work(Device);
  return cudaSuccess;
}

} // namespace gridspan
