//===- OutOfCoreReplicas.cpp - Copies of arguments for chunks -------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Paged memory crosses the bus once: frames are dealt out to the devices, each
// brings its own, by its own link, and the others copy them from there. A frame
// that is on a device already, as a copy of the program may have brought it
// early, comes from there.
//
// Why a replica that is good is right: as in Executor.cpp. Here nothing is
// under way, so that versions do not change between being read and the copy.
//
//===----------------------------------------------------------------------===//

#include "runtime/launch/OutOfCoreReplicas.h"
#include "runtime/backend/DeviceStreams.h"
#include "runtime/backend/EventList.h"
#include "runtime/report/Tracing.h"
#include "runtime/support/UntrackedCode.h"
#include <algorithm>
#include <map>

namespace gridspan {

std::optional<unsigned> OutOfCoreReplicas::make(const OutOfCorePlan &Plan,
                                                const Allocations &Of) {
  for (unsigned I = 0; I < Of.size(); ++I)
    for (size_t D = 0; Of[I] && D < Of[I]->Replicas.size(); ++D) {
      std::unique_ptr<Replica> &R = Of[I]->Replicas[D];
      if (R && std::find(Plan.Replicas.begin(), Plan.Replicas.end(),
                         OutOfCoreReplica{I, static_cast<int>(D)}) ==
                   Plan.Replicas.end()) {
        Exec.noteEmptied(*Of[I], static_cast<int>(D));
        Memory.destroyReplica(*R);
        R.reset();
      }
    }
  for (const OutOfCoreReplica &R : Plan.Replicas) {
    Allocation &A = *Of[R.Allocation];
    A.Replicas.resize(B.system().numDevices());
    if (A.Replicas[R.Device])
      continue;
    Expected<std::unique_ptr<Replica>> New = Memory.createReplica(A, R.Device);
    if (!New)
      return R.Allocation;
    A.Replicas[R.Device] = std::move(*New);
  }
  return std::nullopt;
}

cudaError_t OutOfCoreReplicas::copy(Stream &S, std::byte *Dst,
                                    const std::byte *Src, uint64_t Bytes) {
  Out.Replicas.count(Bytes);
  return B.copy(S, Dst, Src, Bytes);
}

/// Fills the replicas frame by frame. Present is a device whose replica is
/// good; -1: there is none.
cudaError_t OutOfCoreReplicas::fillFrames(Allocation &A,
                                          const std::vector<int> &Missing,
                                          int Present) {
  const std::vector<PagedMemory::Frame> &Frames = A.Paged->Frames;
  if (Present < 0)
    if (cudaError_t Error = Memory.pager().ensureReady(A, 0, A.bytes()))
      return Error;
  EventList Events(B);
  std::vector<std::pair<int, int>> From; ///< by frame: device, event
  for (uint32_t F = 0; F < Frames.size() && Present < 0; ++F) {
    const std::byte *Src = A.base() + Frames[F].Lo;
    int Owner = Missing[F % Missing.size()];
    if (Frames[F].Device) {
      Src = Pager::address(A, F);
      if (const int At = Frames[F].Device->location();
          std::find(Missing.begin(), Missing.end(), At) != Missing.end())
        Owner = At;
    }
    if (cudaError_t Error =
            copy(*Streams[Owner], A.Replicas[Owner]->Base + Frames[F].Lo, Src,
                 std::min(Frames[F].Bytes, A.bytes() - Frames[F].Lo)))
      return Error;
    From.emplace_back(Owner, -1);
    if (cudaError_t Error = Events.record(*Streams[Owner], From.back().second))
      return Error;
  }
  for (int Device : Missing)
    for (uint32_t F = 0; F < Frames.size(); ++F) {
      const auto [Owner, Event] =
          Present < 0 ? From[F] : std::pair(Present, -1);
      if (Owner == Device)
        continue;
      if (Event >= 0)
        if (cudaError_t Error = Events.wait(*Streams[Device], Event))
          return Error;
      if (cudaError_t Error =
              copy(*Streams[Device], A.Replicas[Device]->Base + Frames[F].Lo,
                   A.Replicas[Owner]->Base + Frames[F].Lo,
                   std::min(Frames[F].Bytes, A.bytes() - Frames[F].Lo)))
        return Error;
    }
  return cudaSuccess;
}

/// Fills the replicas where devices do not reach each other, each by its own
/// link.
cudaError_t OutOfCoreReplicas::fillFromHost(Allocation &A,
                                            const std::vector<int> &Missing) {
  if (cudaError_t Error = Memory.pager().hostAccess(A, 0, A.bytes(), false))
    return Error;
  if (cudaError_t Error = Memory.pager().ensureReady(A, 0, A.bytes()))
    return Error;
  // Frames are pinned one by one, and no copy may cross from one to the next.
  for (int Device : Missing)
    for (const PagedMemory::Frame &F : A.Paged->Frames)
      if (cudaError_t Error =
              copy(*Streams[Device], A.Replicas[Device]->Base + F.Lo,
                   A.base() + F.Lo, std::min(F.Bytes, A.bytes() - F.Lo)))
        return Error;
  return cudaSuccess;
}

cudaError_t OutOfCoreReplicas::fillPages(Allocation &A,
                                         const std::vector<int> &Missing) {
  for (int Device : Missing)
    for (const PageHomes::Run &Run : A.Homes.runs(0, A.bytes()))
      if (cudaError_t Error =
              copy(*Streams[Device], A.Replicas[Device]->Base + Run.Lo,
                   A.base() + Run.Lo, Run.Hi - Run.Lo))
        return Error;
  return cudaSuccess;
}

/// Fills the replicas on Devices that are not good.
cudaError_t OutOfCoreReplicas::fillOne(Allocation &A,
                                       const std::vector<int> &Devices) {
  const std::vector<bool> Good = Exec.goodReplicas(A);
  std::vector<int> Missing;
  int Present = -1;
  for (int Device : Devices)
    if (Good[Device])
      Present = Device;
    else
      Missing.push_back(Device);
  if (Missing.empty())
    return cudaSuccess;
  const ContentsVersion Version = Exec.versionOf(A);
  for (int Device : Missing)
    Exec.noteEmptied(A, Device);
  cudaError_t Error = !A.Paged ? fillPages(A, Missing)
                      : B.system().allReachAll()
                          ? fillFrames(A, Missing, Present)
                          : fillFromHost(A, Missing);
  for (int Device : Missing) {
    const cudaError_t Copying = B.synchronize(*Streams[Device]);
    Error = Error ? Error : Copying;
  }
  for (int Device : Missing)
    if (!Error)
      Exec.noteFilled(A, Device, Version);
  return Error;
}

cudaError_t OutOfCoreReplicas::fill(const OutOfCorePlan &Plan,
                                    const Allocations &Of) {
  if (Plan.Replicas.empty())
    return cudaSuccess;
  if (untrackedDeviceCode())
    Exec.distrustReplicas();
  if (cudaError_t Error = createDeviceStreams(B, Streams))
    return Error;
  TraceScope Scope(Activity::Replica);
  std::map<unsigned, std::vector<int>> Devices;
  for (const OutOfCoreReplica &R : Plan.Replicas)
    Devices[R.Allocation].push_back(R.Device);
  for (const auto &[I, On] : Devices) {
    Allocation &A = *Of[I];
    if (cudaError_t Error = fillOne(A, On))
      return Error;
    if (!A.Paged)
      continue;
    if (cudaError_t Error = Memory.pager().hostAccess(A, 0, A.bytes(), true))
      return Error;
  }
  return cudaSuccess;
}

} // namespace gridspan
