//===- PrivateReductions.cpp - Private copies of tiles --------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each part of a copy is combined by the device that is home to the bytes it
// stands for, so that atomics are on its own memory and only reading goes over
// a link. The stream waits for that, so that whatever follows finds the sums.
//
// A buffer is filled again only behind its last combination, which an event of
// device 0 marks: launches of other streams may have used it.
//
//===----------------------------------------------------------------------===//

#include "runtime/launch/PrivateReductions.h"
#include "runtime/backend/Reduction.h"
#include "runtime/report/Tracing.h"
#include <algorithm>
#include <boost/container/small_vector.hpp>

namespace gridspan {

/// Tiles whose copies are combined without asking for memory.
static constexpr size_t FewTiles = 8;

/// Returns a buffer of at least Bytes bytes; null without room. One that is too
/// small stays, as work that uses it may not be done; the next one is at least
/// twice as large, so that all together are not much more than the last.
PrivateBuffer *PrivateReductions::find(Allocation &A, int Device,
                                       uint64_t Bytes) {
  A.PrivateBuffers.resize(B.system().numDevices());
  std::vector<std::unique_ptr<PrivateBuffer>> &Buffers =
      A.PrivateBuffers[Device];
  if (!Buffers.empty()) {
    const uint64_t Last = Buffers.back()->MappedBytes;
    if (Bytes <= Last)
      return Buffers.back().get();
    Bytes = std::max(Bytes, std::min(2 * Last, A.bytes()));
  }
  Expected<std::unique_ptr<PrivateBuffer>> New =
      Memory.createPrivateBuffer(Bytes, Device);
  if (!New)
    return nullptr;
  return Buffers.emplace_back(std::move(*New)).get();
}

void PrivateReductions::begin(const TilePlan &Tile, LaunchArguments &Args,
                              ProgramStream &S) {
  TraceScope Scope(Activity::Combine);
  Stream &On = S.on(Tile.Device);
  for (const PrivateCopy &C : Tile.Privates) {
    Allocation &A = *D.Allocations[C.Allocation];
    PrivateBuffer *Buffer = find(A, Tile.Device, C.Hi - C.Lo);
    if (!Buffer || B.wait(On, *Buffer->Combined) ||
        B.fillIdentity(On, C.Kind, Buffer->Base,
                       (C.Hi - C.Lo) / elementBytes(C.Kind)))
      continue;
    Args.redirect(D.Pointers, C.Allocation, Buffer->Base - (A.base() + C.Lo));
    Used.push_back({&C, Buffer});
  }
}

/// What a copy is of, and how it is combined with that.
PrivateReductions::Source PrivateReductions::sourceOf(const Use &U) {
  return {U.What->Allocation, U.What->Lo, U.What->Hi, U.What->Kind};
}

cudaError_t PrivateReductions::combine(std::span<const Use> Uses,
                                       ProgramStream &S) {
  const PrivateCopy &C = *Uses.front().What;
  const Allocation &A = *D.Allocations[C.Allocation];
  boost::container::small_vector<const void *, FewTiles> From;
  for (const PageHomes::Run &Run : A.Homes.runs(C.Lo, C.Hi)) {
    From.clear();
    for (const Use &U : Uses) {
      From.push_back(U.Buffer->Base + (Run.Lo - C.Lo));
      Out.Combinations.count(Run.Hi - Run.Lo);
    }
    if (cudaError_t Error =
            B.combine(S.on(Run.Where), C.Kind, A.base() + Run.Lo,
                      {From.data(), From.size()},
                      (Run.Hi - Run.Lo) / elementBytes(C.Kind)))
      return Error;
  }
  return cudaSuccess;
}

cudaError_t PrivateReductions::combine(ProgramStream &S) {
  TraceScope Scope(Activity::Combine);
  std::vector<bool> IsHome(B.system().numDevices());
  for (const Use &U : Used)
    for (const PageHomes::Run &Run :
         D.Allocations[U.What->Allocation]->Homes.runs(U.What->Lo, U.What->Hi))
      IsHome[Run.Where] = true;
  unsigned Devices = 0;
  for (unsigned Device = 1; Device < IsHome.size(); ++Device)
    if (IsHome[Device])
      Devices = Device + 1;
  if (Devices)
    if (cudaError_t Error = S.fork(Devices))
      return Error;
  cudaError_t First = cudaSuccess;
  // Of the same memory at once: one behind the other they would take as many
  // times as long.
  std::ranges::sort(Used, {}, [](const Use &U) { return sourceOf(U); });
  for (auto I = Used.begin(); I != Used.end() && !First;) {
    const auto End = std::find_if(I, Used.end(), [&](const Use &U) {
      return sourceOf(U) != sourceOf(*I);
    });
    First = combine({I, End}, S);
    I = End;
  }
  for (unsigned Device = 1; Device < Devices; ++Device) {
    if (!IsHome[Device])
      continue;
    const cudaError_t Error = S.join(static_cast<int>(Device));
    First = First ? First : Error;
  }
  for (const Use &U : Used)
    if (B.record(*U.Buffer->Combined, S.main()))
      (void)B.synchronize(S.main());
  // The stream holds more than tiles now.
  ProgramStream::operated(ProgramStream::Work::EndsByItself);
  return First;
}

} // namespace gridspan
