//===- PacketRunner.cpp - Hand out the packets of a launch ----------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The launch call itself hands the packets out. Each device has one packet more
// than it works on, so that it never waits for the host, and gets the next one
// when one has ended. The call returns when the last packet has been enqueued;
// the program's stream then waits for all devices, as behind static tiles. So
// every dependence is one that CUDA knows: nothing is enqueued behind work that
// waits for it, however streams share the hardware's queues.
//
// The call waits for packets, so it must not come behind work that waits for
// the program: Executor hands out only where the stream was idle, and has got
// nothing but copies, fills and kernels that may be split since. Kernels that
// are split do not wait for the host, and devices may be busy with others that
// do: what is left after Patience is enqueued without waiting, each device's
// part on the device.
//
// A packet that a device refuses is offered to the others. If none takes it,
// the launch fails, as it does where a static tile is refused.
//
//===----------------------------------------------------------------------===//

#include "runtime/launch/PacketRunner.h"
#include <algorithm>
#include <thread>

using namespace std::chrono_literals;

namespace gridspan {

/// The time for which an event is asked again at once, and the pauses after.
static constexpr auto Eagerly = 100us;
static constexpr auto Pause = 20us;

bool PacketRunner::patient() const {
  return std::chrono::steady_clock::now() - LastEnd < Patience;
}

cudaError_t PacketRunner::enqueue(unsigned Device, const Packet &P) {
  std::array<uint32_t, 3> Lo = L.Lo, Count = L.Count;
  Lo[L.Axis] = P.Lo;
  Count[L.Axis] = P.Count;
  LaunchShape Shape = L.Shape;
  Shape.Grid = {Count[0], Count[1], Count[2]};
  const GridspanTile Where = {{Lo[0], Lo[1], Lo[2]},
                              {L.Grid[0], L.Grid[1], L.Grid[2]}};
  const PacketLaunch::Part &Part = L.Parts[Device];
  const cudaError_t Error =
      B.launch(*Part.On, L.Target, Shape, Part.Arguments.get(), &Where);
  NumPackets += !Error;
  return Error;
}

/// Enqueues a packet that Device was to run on any device that takes it.
cudaError_t PacketRunner::enqueueSomewhere(unsigned Device, const Packet &P) {
  const auto N = static_cast<unsigned>(L.Parts.size());
  const cudaError_t First = enqueue(Device, P);
  for (unsigned I = 1; First && I != N; ++I)
    if (!enqueue((Device + I) % N, P))
      return cudaSuccess;
  return First;
}

/// Gives a device packets until it is one ahead, or there are none.
cudaError_t PacketRunner::fill(unsigned Device) {
  Ahead &A = Devices[Device];
  while (A.Count != A.Ends.size()) {
    const std::optional<Packet> P = Queue.claim(Device);
    if (!P)
      return cudaSuccess;
    if (cudaError_t Error = enqueueSomewhere(Device, *P))
      return Error;
    if (cudaError_t Error = B.record(*A.Ends[A.Count++], *L.Parts[Device].On))
      return Error;
  }
  return cudaSuccess;
}

/// Takes note of packets that have ended. Returns true if there were any.
bool PacketRunner::anyEnded() {
  bool Any = false;
  for (Ahead &A : Devices)
    // An error of the device tells the program of itself.
    while (A.Count && B.query(*A.Ends[0]) != cudaErrorNotReady) {
      std::swap(A.Ends[0], A.Ends[1]);
      --A.Count;
      Any = true;
    }
  if (Any)
    LastEnd = std::chrono::steady_clock::now();
  return Any;
}

/// Waits until a device has room for a packet, or for as long as it may.
void PacketRunner::waitForAny() {
  const auto Begin = std::chrono::steady_clock::now();
  while (!anyEnded() && patient())
    if (std::chrono::steady_clock::now() - Begin < Eagerly)
      std::this_thread::yield();
    else
      std::this_thread::sleep_for(Pause);
}

cudaError_t PacketRunner::run() {
  Devices.resize(L.Parts.size());
  for (size_t I = 0, E = Devices.size(); I != E; ++I)
    for (std::unique_ptr<Event> &End : Devices[I].Ends)
      if (cudaError_t Error =
              B.createEvent(static_cast<int>(I), cudaEventDisableTiming, End))
        return Error;
  LastEnd = std::chrono::steady_clock::now();
  while (Queue.left() && patient()) {
    for (unsigned I = 0, E = Devices.size(); I != E; ++I)
      if (cudaError_t Error = fill(I))
        return Error;
    if (Queue.left())
      waitForAny();
  }
  while (Queue.left())
    for (unsigned I = 0, E = Devices.size(); I != E; ++I)
      if (const std::optional<Packet> P = Queue.claim(I))
        if (cudaError_t Error = enqueueSomewhere(I, *P))
          return Error;
  return cudaSuccess;
}

} // namespace gridspan
